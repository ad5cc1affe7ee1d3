import { type Static, Type } from 'typebox'
import { type Origin, openAction, type Services } from '#action'
import { withSession } from '#action/cookie-answer.ts'
import { AppError, forbidden, unauthorized } from '#kernel/errors.ts'
import { messages as shared } from '#kernel/messages.ts'
import type { SessionKind } from '#modules/sessions'
import { dummyVerify, verifyPassword } from '#platform/crypto/password.ts'
import type { Database } from '#platform/db/database.ts'
import { findAccount, platformTenantId, systemActor } from '../actors.ts'
import { messages, reasons } from '../messages.ts'
import { findCredentials, findLogin } from '../queries.ts'
import { networkOf } from '../rules.ts'
import { Login, TokenResponse } from '../schema.ts'
import { beginLogin, tokenOf } from './begin.ts'
import { openLoginCounter } from './failures.ts'
import { attempt } from './identity.ts'

/** Whose user name or e-mail address it is; in every tenant. */
export const findByLogin = (database: Database, login: string) =>
  database.transaction({ tenantId: null, userId: null }, 'read only', tx => findLogin(tx, login))

/** For the operator who asks whether a password that lies about is still in use. It counts no attempt, and writes no entry. */
export async function hasPassword(database: Database, login: string, password: string): Promise<boolean> {
  const found = await findByLogin(database, login)
  if (!found) return false
  const binding = { tenantId: found.tenant_id, userId: null }
  const credentials = await database.transaction(binding, 'read only', tx => findCredentials(tx, found.user_id))
  return typeof credentials?.password_hash === 'string' && verifyPassword(credentials.password_hash, password)
}

export const tooManyFailures = (seconds: number) =>
  new AppError(503, messages.too_many_failed_logins({ minutes: Math.ceil(seconds / 60) }), {
    'retry-after': String(seconds),
  })

interface LoginContext {
  services: Services
  origin: Origin
}

/** A failure that is no account's, so none is locked by it. */
export const recordStranger = ({ services, origin }: LoginContext, reason: string) =>
  services.runner.inSeparateTransaction(systemActor(platformTenantId), origin, async writing => {
    const address = networkOf(origin.clientAddr)
    const counter = await openLoginCounter(writing, { userId: null, address, now: services.clock.now() })
    await counter.fail(reason, { counts: false })
  })

/**
 * Proves an identity and begins a session. Every failure has the same answer and takes as long: an unknown name costs a hash and an entry
 * too. The name is not stored, because people sometimes type their password into the wrong field.
 */
async function proveLogin(context: LoginContext, body: Static<typeof Login>, kind: SessionKind) {
  const { services, origin } = context
  const { database, runner } = services
  const address = networkOf(origin.clientAddr)
  const { failures } = services.loginLimits
  const secondsLeft = failures.secondsLeft(address, services.clock.now())
  // The same for every cause and every name, as the usual refusal is.
  const refuse = () => {
    if (secondsLeft !== undefined) return tooManyFailures(secondsLeft)
    if (failures.count(address, services.clock.now()))
      services.log.child({ logger: 'attest.accounts' }).warn(`log-ins from ${address} are limited: too many failed`)
    return unauthorized(messages.login_failed())
  }
  const login = await findByLogin(database, body.username)
  const account = await database.transaction({ tenantId: login?.tenant_id ?? null, userId: null }, 'read only', tx =>
    findAccount(tx, login?.user_id ?? 0),
  )
  if (!account) {
    await database.transaction({ tenantId: null, userId: null }, 'read only', tx => findAccount(tx, 0))
    await dummyVerify(body.password, address)
    await recordStranger(context, 'Unknown user name or e-mail address')
    throw refuse()
  }
  const actor = { ...account.actor, authTime: 0 }
  const verdict = await attempt(
    {
      read: work => database.transaction(actor, 'read only', work),
      inSeparateTransaction: work => runner.inSeparateTransaction(actor, origin, work),
      keys: services.keys,
      clock: services.clock,
      log: services.log,
      login: {
        address,
        isAddressLimited: secondsLeft !== undefined,
        begin: (writing, credentials, amr) => beginLogin(writing, services, { credentials, kind, amr, origin }),
      },
      userId: login!.user_id,
      refused: 'auth.login_failed',
      withTotp: true,
    },
    body,
  )
  if (!verdict.ok) throw refuse()
  return verdict
}

const proof =
  'With the user name or the e-mail address, the password, and the code of the second factor (`otp`) where there is one.'

export const logIn = openAction({
  summary: 'Get an access token',
  description: `${proof} There is no refresh.`,
  input: { body: Login },
  response: TokenResponse,
  async run(context, { body }) {
    const { credentials, amr, login } = await proveLogin(context, body, 'token')
    return tokenOf(context.services, credentials, { ...login!, amr, ver: credentials.session_version })
  },
})

export const logInBrowser = openAction({
  summary: 'Log in with a browser',
  description: `${proof} Sets the cookie \`__Host-attest\`, which no script can read and no other site can send. It ends when it is not used (\`session_idle_minutes\` of the settings), and after \`session_max_hours\` in any case.`,
  input: { body: Login },
  response: Type.Null(),
  async run(context, { body }) {
    // Otherwise a page of another site could log a person in as somebody else, whose records they would then write.
    if (context.origin.isCrossSite) {
      await recordStranger(context, reasons.reason_login_cross_site().text)
      throw forbidden(shared.cross_site_request())
    }
    const { login } = await proveLogin(context, body, 'browser')
    return withSession(null, login!.session.cookie)
  },
})
