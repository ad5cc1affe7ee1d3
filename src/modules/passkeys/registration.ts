import { type Actor, command, type PrepareContext, query } from '#action'
import { conflict, forbidden, invalidField } from '#kernel/errors.ts'
import { findCredentials, requirePasswordOrRecentLogin } from '#modules/accounts'
import { newTimedChallenge, readTimedChallenge, sealPasskey } from '#platform/crypto/passkey-seal.ts'
import {
  challengeOf,
  passkeyAlgorithms,
  type RegisteredPasskey,
  readRegistration,
  WebAuthnRefusal,
} from '#platform/crypto/webauthn.ts'
import type { Tx } from '#platform/db/database.ts'
import { requireParty } from './answers.ts'
import { messages } from './messages.ts'
import { findHandle, findShown, insertPasskey, listPasskeys, lockOwner } from './queries.ts'
import { maxPasskeys, patienceMs, recentMinutes, registrationMs, registrationPurpose } from './rules.ts'
import { Passkey, Registration, RegistrationOptions, RegistrationStart } from './schema.ts'

const permission = 'account.manage_own'

const purposeOf = ({ tenantId, userId, session }: Actor) =>
  registrationPurpose({ tenantId, userId: userId!, sessionId: session?.id ?? null })

/** Whoever set or reset the password could otherwise register a passkey of their own, and keep it. */
async function requireOwner(tx: Tx, userId: number) {
  const { must_change_password, identity_reset_at } = (await findCredentials(tx, userId))!
  if (must_change_password) throw forbidden(messages.passkey_password_temporary())
  if (identity_reset_at !== null) throw forbidden(messages.passkey_identity_reset())
}

export const begin = query({
  summary: 'Begin to register a passkey',
  description: `Needs the password, and the code of the second factor where there is one, or a log-in of the last ${recentMinutes} minutes. The answer is for \`navigator.credentials.create\`.`,
  permission,
  input: { body: RegistrationStart },
  response: RegistrationOptions,
  async prepare(context: PrepareContext, { body }) {
    requireParty(context.services)
    await context.read(tx => requireOwner(tx, context.actor.userId!))
    await requirePasswordOrRecentLogin(context, body, recentMinutes)
  },
  async run({ tx, actor, services }) {
    const { id, origin: _origin } = requireParty(services)
    const handle = await findHandle(tx, actor.userId!)
    const known = await listPasskeys(tx, actor.userId!)
    if (known.length >= maxPasskeys) throw conflict(messages.passkey_too_many({ most: maxPasskeys }))
    return {
      rp: { id, name: 'Attest' },
      user: {
        id: handle.toString('base64url'),
        name: actor.username,
        displayName: actor.fullName ?? actor.username,
      },
      challenge: newTimedChallenge(services.keys.passkeys, purposeOf(actor), services.clock.now()),
      pubKeyCredParams: passkeyAlgorithms.map(alg => ({ type: 'public-key' as const, alg })),
      timeout: patienceMs,
      attestation: 'none' as const,
      authenticatorSelection: {
        residentKey: 'required' as const,
        requireResidentKey: true,
        userVerification: 'required' as const,
      },
      excludeCredentials: known.map(({ credential_id, transports }) => ({
        ...{ id: credential_id.toString('base64url'), type: 'public-key' as const, transports },
      })),
    }
  },
})

export const register = command({
  summary: 'Register a passkey',
  description:
    'With the answer of `navigator.credentials.create`, within ten minutes and in the session of the beginning. The device verified its holder by a PIN, a finger or a face. The user is told.',
  permission,
  input: { body: Registration },
  response: Passkey,
  async prepare({ actor, services, read }, { body: { response } }): Promise<RegisteredPasskey> {
    const party = requireParty(services)
    const challenge = challengeOf(response.response.clientDataJSON) ?? ''
    const now = services.clock.now()
    const issued = readTimedChallenge(services.keys.passkeys, purposeOf(actor), challenge, {
      ...{ now, lifetime_ms: registrationMs },
    })
    if (!issued) throw invalidField('response', messages.passkey_refused())
    await read(tx => requireOwner(tx, actor.userId!))
    return readRegistration(response, { challenge, party }).catch(error => {
      if (error instanceof WebAuthnRefusal) throw invalidField('response', messages.passkey_refused())
      throw error
    })
  },
  async run({ tx, actor, services, record, prepared }, { body: { name, response } }) {
    const { tenantId, userId } = { tenantId: actor.tenantId, userId: actor.userId! }
    await lockOwner(tx, userId)
    await requireOwner(tx, userId)
    if ((await listPasskeys(tx, userId)).length >= maxPasskeys)
      throw conflict(messages.passkey_too_many({ most: maxPasskeys }))
    const { credential_id, public_key, is_device_bound } = prepared
    const { id } = await insertPasskey(tx, {
      ...prepared,
      ...{ user_id: userId, name, transports: response.response.transports ?? [] },
      seal: sealPasskey(services.keys.passkeys, { tenantId, userId, credential_id, public_key }),
    })
    record('passkey.registered', id, {
      after: { user_id: userId, username: actor.username, name, is_device_bound },
      notify: [userId],
    })
    return findShown(tx, id)
  },
})
