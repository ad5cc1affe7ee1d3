import type { ActionContext, ActorSession, Origin, Services, Writing } from '#action'
import { withSession } from '#action/cookie-answer.ts'
import { type BegunSession, beginSession, type SessionKind } from '#modules/sessions'
import type { Config } from '#platform/config.ts'
import { issueToken } from '#platform/crypto/jwt.ts'
import { platformTenantId } from '../actors.ts'
import type { Credentials } from '../queries.ts'
import { readSettings } from '../tenants/settings.ts'

type Holder = Pick<Credentials, 'id' | 'username' | 'email' | 'role' | 'tenant_id' | 'is_break_glass'>

const userOf = ({ id, username, email, role }: Holder) => ({ id, username, email, role })

const secondsOf = (moment: Date) => Math.floor(moment.getTime() / 1000)

/** Counted from the proof of identity, so that a stolen token cannot be renewed: there is no refresh. In seconds since 1970. */
const endOfToken = (
  { access_token_expire_minutes }: Pick<Config, 'access_token_expire_minutes'>,
  begun: Begun,
  { is_break_glass }: Pick<Holder, 'is_break_glass'>,
) => Math.max(secondsOf(begun.now) + 1, begun.auth_time + atMost(access_token_expire_minutes * 60, is_break_glass))

/** Long enough to mend what keeps the others out. */
const break_glass_seconds = 3600
const atMost = (seconds: number, is_break_glass: boolean) =>
  is_break_glass ? Math.min(seconds, break_glass_seconds) : seconds

/** When the identity was proven, in seconds since 1970, and when the session begins. */
interface Begun {
  auth_time: number
  now: Date
}
interface Beginning {
  kind: SessionKind
  amr: string[]
  origin: Origin
  begun: Begun
  session_version: number
  /** The end of the session that is renewed, which does not change. */
  ends_at?: Date
  provider?: ActorSession['provider']
}

/** The caller records it in the same transaction, and holds the lock of the credentials. */
async function beginOf(
  writing: Writing,
  services: Services,
  holder: Holder,
  { begun, session_version, ends_at, ...rest }: Beginning,
): Promise<BegunSession> {
  const settings = await readSettings(writing.tx)
  const end =
    rest.kind === 'token'
      ? endOfToken(services.config, begun, holder)
      : begun.auth_time + atMost(settings.session_max_hours * 3600, holder.is_break_glass)
  return beginSession(writing, services, {
    ...rest,
    now: begun.now,
    auth_time: begun.auth_time,
    holder: { id: holder.id, tenant_id: holder.tenant_id, session_version },
    expires_at: ends_at ?? new Date(end * 1000),
    settings,
  })
}

export interface BegunLogin {
  session: BegunSession
  begun: Begun
}

/** A log-in, from now. */
export async function beginLogin(
  writing: Writing,
  services: Services,
  {
    credentials,
    ...how
  }: {
    credentials: Credentials
    kind: SessionKind
    amr: string[]
    origin: Origin
    provider?: ActorSession['provider']
  },
): Promise<BegunLogin> {
  const now = services.clock.now()
  const begun = { auth_time: secondsOf(now), now }
  const session = await beginOf(writing, services, credentials, {
    ...how,
    begun,
    session_version: credentials.session_version,
  })
  return { session, begun }
}

/** AUTH-01, AUTH-04: the token of a session. */
export async function tokenOf(
  { keys, config }: Pick<Services, 'keys' | 'config'>,
  holder: Holder,
  { session, begun, amr, ver }: { session: BegunSession; begun: Begun; amr: string[]; ver: number },
) {
  const { id, tenant_id } = holder
  const tid = tenant_id === platformTenantId ? {} : { tid: tenant_id }
  const access_token = await issueToken(
    keys.jwt,
    { sub: String(id), ...tid, auth_time: begun.auth_time, amr, ver, sid: session.id },
    { lifetime_seconds: endOfToken(config, begun, holder) - secondsOf(begun.now), now: begun.now },
  )
  return { access_token, token_type: 'bearer' as const, user: userOf(holder) }
}

/**
 * All sessions of the caller have ended by a change of their password or second factor. That of the request goes on: with a new token, or
 * with a new cookie where it is a browser's, because no token reaches a script there. Its end stays, as does the time of its log-in.
 */
export async function goOn(
  { tx, actor, origin, services, record }: ActionContext<unknown>,
  holder: Holder,
  { amr, ver }: { amr: string[]; ver: number },
) {
  const { kind, endsAt, provider } = actor.session ?? { kind: 'token' as const, endsAt: undefined, provider: null }
  const begun = { auth_time: actor.authTime, now: services.clock.now() }
  const session = await beginOf({ tx, record }, services, holder, {
    ...{ kind, amr, origin, begun, session_version: ver, provider },
    ...(kind === 'browser' && endsAt !== undefined && { ends_at: new Date(endsAt) }),
  })
  record('auth.session_renewed', holder.id, { after: { session: session.id, session_kind: kind } })
  return session.cookie === null
    ? tokenOf(services, holder, { session, begun, amr, ver })
    : withSession({ access_token: null, token_type: 'cookie' as const, user: userOf(holder) }, session.cookie)
}
