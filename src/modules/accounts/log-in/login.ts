import { type Static, Type } from 'typebox'
import { openAction } from '#action'
import { withSession } from '#action/cookie-answer.ts'
import type { SessionKind } from '#modules/sessions'
import { dummyVerify, verifyPassword } from '#platform/crypto/password.ts'
import type { Database } from '#platform/db/database.ts'
import { findAccount } from '../actors.ts'
import { findCredentials, findLogin } from '../queries.ts'
import { Login, TokenResponse } from '../schema.ts'
import { beginLogin, tokenOf } from './begin.ts'
import { type LoginContext, loginRefusal, recordStranger, refuseCrossSite } from './by-proof.ts'
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

/**
 * Proves an identity and begins a session. Every failure has the same answer and takes as long: an unknown name costs a hash and an entry
 * too. The name is not stored, because people sometimes type their password into the wrong field.
 */
async function proveLogin(context: LoginContext, body: Static<typeof Login>, kind: SessionKind) {
  const { services, origin } = context
  const { database, runner } = services
  const { address, isAddressLimited, refuse } = await loginRefusal(context)
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
        isAddressLimited,
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
    await refuseCrossSite(context)
    const { login } = await proveLogin(context, body, 'browser')
    return withSession(null, login!.session.cookie)
  },
})
