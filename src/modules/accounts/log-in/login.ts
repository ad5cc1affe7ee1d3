import { openAction, type Services } from '#action'
import { AppError, unauthorized } from '#kernel/errors.ts'
import { issueToken } from '#platform/crypto/jwt.ts'
import { dummyVerify, verifyPassword } from '#platform/crypto/password.ts'
import type { Database } from '#platform/db/database.ts'
import { findAccount, platformTenantId, systemActor } from '../actors.ts'
import { messages } from '../messages.ts'
import { type Credentials, findCredentials, findLogin } from '../queries.ts'
import { networkOf } from '../rules.ts'
import { Login, TokenResponse } from '../schema.ts'
import { openLoginCounter } from './failures.ts'
import { attempt } from './identity.ts'

type Holder = Pick<Credentials, 'id' | 'username' | 'email' | 'role' | 'tenant_id'>

/**
 * AUTH-01, AUTH-04. `auth_time` is the time of the proof of identity, in seconds since 1970. The lifetime is counted from it, so that a
 * stolen token cannot be renewed: there is no refresh.
 */
export async function tokenFor(
  { keys, config, clock }: Services,
  { id, username, email, role, tenant_id }: Holder,
  { auth_time, amr, ver }: { auth_time: number; amr: string[]; ver: number },
) {
  const tid = tenant_id === platformTenantId ? {} : { tid: tenant_id }
  const now = clock.now()
  const secondsNow = Math.floor(now.getTime() / 1000)
  const access_token = await issueToken(
    keys.jwt,
    { sub: String(id), ...tid, auth_time, amr, ver },
    { lifetime_seconds: Math.max(1, auth_time + config.access_token_expire_minutes * 60 - secondsNow), now },
  )
  return { access_token, token_type: 'bearer' as const, user: { id, username, email, role } }
}

/** Whose user name or e-mail address it is; in every tenant. */
export const findByLogin = (database: Database, login: string) =>
  database.transaction({ tenantId: null, userId: null }, 'read only', tx => findLogin(tx, login))

/** For the operator who asks whether a password that lies about is still in use. It counts no attempt, and writes no entry. */
export async function hasPassword(database: Database, login: string, password: string): Promise<boolean> {
  const found = await findByLogin(database, login)
  if (!found) return false
  const binding = { tenantId: found.tenant_id, userId: null }
  const credentials = await database.transaction(binding, 'read only', tx => findCredentials(tx, found.user_id))
  return credentials !== undefined && verifyPassword(credentials.password_hash, password)
}

export const tooManyFailures = (seconds: number) =>
  new AppError(503, messages.too_many_failed_logins({ minutes: Math.ceil(seconds / 60) }), {
    'retry-after': String(seconds),
  })

/**
 * Every failure has the same answer and takes as long: an unknown name costs a hash and an entry too. The name is not stored, because
 * people sometimes type their password into the wrong field.
 */
export const logIn = openAction({
  summary: 'Get an access token',
  description:
    'With the user name or the e-mail address, the password, and the code of the second factor (`otp`) where there is one. There is no refresh.',
  input: { body: Login },
  response: TokenResponse,
  async run({ services, origin }, { body }) {
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
      await runner.inSeparateTransaction(systemActor(platformTenantId), origin, async writing => {
        const counter = await openLoginCounter(writing, { userId: null, address, now: services.clock.now() })
        await counter.fail('Unknown user name or e-mail address', { counts: false })
      })
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
        address,
        isAddressLimited: secondsLeft !== undefined,
        userId: login!.user_id,
        refused: 'auth.login_failed',
        withTotp: true,
      },
      body,
    )
    if (!verdict.ok) throw refuse()
    const auth_time = Math.floor(services.clock.now().getTime() / 1000)
    return tokenFor(services, verdict.credentials, {
      auth_time,
      amr: verdict.amr,
      ver: verdict.credentials.session_version,
    })
  },
})
