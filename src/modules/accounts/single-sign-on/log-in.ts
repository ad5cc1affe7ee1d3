import type { Actor, Origin, Services } from '#action'
import type { Message } from '#kernel/message.ts'
import type { BegunSession } from '#modules/sessions'
import type { Tx } from '#platform/db/database.ts'
import { findAccount, systemActor } from '../actors.ts'
import { beginLogin } from '../log-in/begin.ts'
import { reasons } from '../messages.ts'
import { lockCredentials, noteLogin } from '../queries.ts'

interface Proven {
  tenantId: number
  userId: number
  provider: { id: number; name: string; sid: string | null }
  /** How the provider says that the person proved who they are. */
  amr: string[]
  /** Facts for the entry. */
  facts: object
  /** In the transaction that begins the session. */
  begun(tx: Tx, session: BegunSession): Promise<void>
}

/** The active user as one who acts; undefined for nobody. */
export async function actorOf(
  { database }: Pick<Services, 'database'>,
  { tenantId, userId }: { tenantId: number; userId: number },
): Promise<Actor | undefined> {
  const account = await database.transaction({ tenantId, userId: null }, 'read only', tx => findAccount(tx, userId))
  return account?.isActive ? { ...account.actor, authTime: 0 } : undefined
}

/** Begins the session of a browser for the user whom a provider has named, or says why not. The caller records a refusal. */
export async function logInByProvider(
  services: Services,
  origin: Origin,
  { tenantId, userId, provider, amr, facts, begun }: Proven,
): Promise<{ ok: true; session: BegunSession } | { ok: false; reason: Message }> {
  const { runner, clock } = services
  const actor = await actorOf(services, { tenantId, userId })
  if (!actor) return { ok: false, reason: reasons.reason_account_inactive() }
  return runner.inSeparateTransaction(actor, origin, async ({ tx, record }) => {
    const credentials = await lockCredentials(tx, userId)
    if (!credentials.is_active) return { ok: false as const, reason: reasons.reason_account_inactive() }
    await noteLogin(tx, userId, clock.now())
    const { session } = await beginLogin({ tx, record }, services, {
      ...{ credentials, kind: 'browser' as const, amr, origin },
      provider: { id: provider.id, sid: provider.sid },
    })
    await begun(tx, session)
    record('auth.logged_in', userId, {
      after: { session: session.id, session_kind: session.kind, provider: provider.name, ...facts },
    })
    return { ok: true as const, session }
  })
}

/** A log-in by a provider that was refused: of a user, or of nobody who is known. */
export const recordRefusedByProvider = (
  services: Services,
  origin: Origin,
  { tenantId, userId, reason }: { tenantId: number; userId: number | null; reason: string },
) =>
  services.runner.inSeparateTransaction(systemActor(tenantId), origin, async ({ record }) =>
    record('auth.login_failed', userId, { outcome: 'denied', reason }),
  )
