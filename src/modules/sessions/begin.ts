import type { Origin, Services, Writing } from '#action'
import { newSessionSecret, textOfCookie } from '#platform/crypto/session-secret.ts'
import { reasons } from './messages.ts'
import { endSession, insertSession, listOpenSessions } from './queries.ts'
import { endsOf, lifeOf, type SessionKind, type SessionSettings, surplusOf } from './rules.ts'

export interface SessionToBegin {
  kind: SessionKind
  holder: { id: number; tenant_id: number; session_version: number }
  /** The proof of identity, in seconds since 1970. */
  auth_time: number
  amr: string[]
  expires_at: Date
  settings: SessionSettings
  origin: Origin
  now: Date
  /** The provider that said who it is, with its own name of the session. */
  provider?: { id: number; sid: string | null } | null
}
export interface BegunSession {
  id: number
  kind: SessionKind
  /** The value of the browser's cookie: nothing that is stored leads back to it. */
  cookie: string | null
}

/**
 * Begins a session, under the lock of the account's credentials: simultaneous log-ins of one account wait for each other, and together
 * begin no more sessions than the tenant allows. The caller records the log-in.
 */
export async function beginSession(
  { tx, record }: Writing,
  { keys }: Pick<Services, 'keys'>,
  { kind, holder, auth_time, amr, expires_at, settings, origin, now, provider = null }: SessionToBegin,
): Promise<BegunSession> {
  const of = { tenantId: holder.tenant_id, userId: holder.id }
  const isBrowser = kind === 'browser'
  if (isBrowser) await endSurplus({ tx, record }, holder.id, settings, now)
  const made = isBrowser ? newSessionSecret(keys.sessions, of) : undefined
  const { id } = await insertSession(tx, {
    user_id: holder.id,
    kind,
    secret_hash: made?.hash ?? null,
    session_version: holder.session_version,
    auth_time: new Date(auth_time * 1000).toISOString(),
    amr,
    provider_id: provider?.id ?? null,
    provider_sid: provider?.sid ?? null,
    client_addr: origin.clientAddr,
    user_agent: origin.userAgent ?? '',
    idle_minutes: isBrowser ? settings.session_idle_minutes : null,
    created_at: now.toISOString(),
    last_seen_at: now.toISOString(),
    expires_at: expires_at.toISOString(),
  })
  return { id, kind, cookie: made ? textOfCookie(keys.sessions, { ...of, sessionId: id, secret: made.secret }) : null }
}

/** Only browsers are counted: programs get a token for each run, and none of them may end that of another. */
async function endSurplus({ tx, record }: Writing, userId: number, settings: SessionSettings, now: Date) {
  const live = (await listOpenSessions(tx, userId, now)).filter(
    each => each.kind === 'browser' && lifeOf(endsOf(each, settings), now) === 'live',
  )
  const surplus = surplusOf(live, settings.sessions_most)
  if (surplus.length === 0) return
  for (const { id } of surplus) await endSession(tx, { id, userId }, { at: now, by: userId, reason: 'too_many' })
  record('auth.session_ended', userId, {
    after: { sessions: surplus.map(({ id }) => id), cause: 'too_many' },
    reason: reasons.reason_too_many_sessions({ most: settings.sessions_most }).text,
    notify: [userId],
  })
}
