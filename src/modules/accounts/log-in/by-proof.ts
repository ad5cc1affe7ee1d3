import type { Origin, Services, Writing } from '#action'
import { AppError, forbidden, unauthorized } from '#kernel/errors.ts'
import { messages as shared } from '#kernel/messages.ts'
import type { SessionKind } from '#modules/sessions'
import { networkOf } from '#platform/client-network.ts'
import { findAccount, platformTenantId, systemActor } from '../actors.ts'
import { messages, reasons } from '../messages.ts'
import { listAdmins } from '../people-queries.ts'
import { lockCredentials, noteLogin } from '../queries.ts'
import { readSettings } from '../tenants/settings.ts'
import { type BegunLogin, beginLogin } from './begin.ts'
import { openLoginCounter } from './failures.ts'

export interface LoginContext {
  services: Services
  origin: Origin
}

export const tooManyFailures = (seconds: number) =>
  new AppError(503, messages.too_many_failed_logins({ minutes: Math.ceil(seconds / 60) }), {
    'retry-after': String(seconds),
  })

/** A failure that is no account's, so none is locked by it. */
export const recordStranger = ({ services, origin }: LoginContext, reason: string) =>
  services.runner.inSeparateTransaction(systemActor(platformTenantId), origin, async writing => {
    const address = networkOf(origin.clientAddr)
    const counter = await openLoginCounter(writing, { userId: null, address, now: services.clock.now() })
    await counter.fail(reason, { counts: false })
  })

/** Otherwise a page of another site could log a person in as somebody else, whose records they would then write. */
export async function refuseCrossSite(context: LoginContext) {
  if (!context.origin.isCrossSite) return
  await recordStranger(context, reasons.reason_login_cross_site().text)
  throw forbidden(shared.cross_site_request())
}

/** The refusal of a log-in, counted for its network when it is made: the same for every cause and every name. */
export async function loginRefusal({ services, origin }: LoginContext) {
  const address = networkOf(origin.clientAddr)
  const { attempts, failures } = services.loginLimits
  const limited = await attempts.take(origin)
  const secondsLeft = failures.secondsLeft(address, services.clock.now())
  const refuse = () => {
    if (limited) return limited
    if (secondsLeft !== undefined) return tooManyFailures(secondsLeft)
    if (failures.count(address, services.clock.now()))
      services.log.child({ logger: 'attest.accounts' }).warn(`log-ins from ${address} are limited: too many failed`)
    return unauthorized(messages.login_failed())
  }
  return { address, isAddressLimited: limited !== undefined || secondsLeft !== undefined, refuse }
}

/** Told to everybody in charge: nobody gets in past the provider of the company unnoticed. */
export async function tellOfBreakGlass(
  { tx, record }: Writing,
  { id, is_break_glass }: { id: number; is_break_glass: boolean },
  { session }: BegunLogin,
) {
  if (is_break_glass)
    record('auth.break_glass_used', id, { after: { session: session.id }, notify: await listAdmins(tx) })
}

/** What proved the identity; `detail` goes into the entry of the log-in. */
type Proved = { amr: string[]; detail: object } | { refused: string }

/**
 * A log-in by a proof that nobody guesses, such as a passkey: it is let in whatever was counted of failed passwords. `verify` runs under the
 * lock of the account's credentials. Undefined if it is refused.
 */
export async function logInByProof(
  { services, origin }: LoginContext,
  { tenantId, userId, kind }: { tenantId: number; userId: number; kind: SessionKind },
  verify: (writing: Writing) => Promise<Proved>,
): Promise<BegunLogin | undefined> {
  const { database, runner, clock } = services
  const account = await database.transaction({ tenantId, userId: null }, 'read only', tx => findAccount(tx, userId))
  if (!account) return undefined
  return runner.inSeparateTransaction({ ...account.actor, authTime: 0 }, origin, async ({ tx, record }) => {
    const writing = { tx, record }
    const now = clock.now()
    const credentials = await lockCredentials(tx, userId)
    const counter = await openLoginCounter(writing, { userId, address: networkOf(origin.clientAddr), now })
    const refused = !credentials.is_active
      ? reasons.reason_account_inactive()
      : !credentials.is_break_glass && (await readSettings(tx)).sso_required && reasons.reason_sso_required()
    const proved = refused ? { refused: refused.text } : await verify(writing)
    if ('refused' in proved) {
      await counter.fail(proved.refused, { counts: false })
      return undefined
    }
    await counter.succeed()
    await noteLogin(tx, userId, now)
    const begun = await beginLogin(writing, services, { credentials, kind, amr: proved.amr, origin })
    record('auth.logged_in', userId, {
      after: { session: begun.session.id, session_kind: begun.session.kind, ...proved.detail },
    })
    await tellOfBreakGlass(writing, credentials, begun)
    return begun
  })
}
