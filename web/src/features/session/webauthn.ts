import type { Answer, Given } from '../../api/client.ts'
import { base64url, bytesFrom } from './base64url.ts'

/** `cancelled`: by the person, or the time was over, or no passkey of the device is known here; a browser does not say which. */
export type PasskeyTrouble = 'cancelled' | 'registered' | 'unusable'

export class PasskeyFailure extends Error {
  readonly trouble: PasskeyTrouble
  constructor(trouble: PasskeyTrouble) {
    super(trouble)
    this.trouble = trouble
  }
}

const troubles: Record<string, PasskeyTrouble> = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'registered',
}

type Known = Answer<'POST /api/auth/passkeys/options'>['excludeCredentials']
type Created = Given<'POST /api/auth/passkeys/'>['body']['response']
type Proof = Given<'POST /api/auth/passkeys/login'>['body']['response']

const descriptors = (known: Known): PublicKeyCredentialDescriptor[] =>
  known.map(({ id, type, transports }) => ({
    id: bytesFrom(id),
    type,
    transports: transports as AuthenticatorTransport[],
  }))

/** The device makes a passkey: what `POST /api/auth/passkeys/` takes. */
export async function createPasskey(options: Answer<'POST /api/auth/passkeys/options'>): Promise<Created> {
  const { id, rawId, response } = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: bytesFrom(options.challenge),
        user: { ...options.user, id: bytesFrom(options.user.id) },
        excludeCredentials: descriptors(options.excludeCredentials),
      },
    }),
  )
  const { clientDataJSON, attestationObject, getTransports } = response as AuthenticatorAttestationResponse
  return {
    ...{ id, rawId: base64url(rawId), type: 'public-key' },
    response: {
      clientDataJSON: base64url(clientDataJSON),
      attestationObject: base64url(attestationObject),
      transports: getTransports.call(response),
    },
  }
}

/** The device uses one, after it was unlocked: what a log-in or a signing challenge takes. */
export async function askPasskey(options: Answer<'POST /api/auth/passkeys/login/options'>): Promise<Proof> {
  const { id, rawId, response } = await asked(() =>
    navigator.credentials.get({
      publicKey: {
        ...options,
        challenge: bytesFrom(options.challenge),
        allowCredentials: descriptors(options.allowCredentials),
      },
    }),
  )
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse
  return {
    ...{ id, rawId: base64url(rawId), type: 'public-key' },
    response: {
      clientDataJSON: base64url(clientDataJSON),
      authenticatorData: base64url(authenticatorData),
      signature: base64url(signature),
      userHandle: userHandle && base64url(userHandle),
    },
  }
}

async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  // A browser has it on https and on localhost alone.
  if (!('credentials' in navigator)) throw new PasskeyFailure('unusable')
  const credential = await ask().catch((error: Error) => {
    throw new PasskeyFailure(troubles[error.name] ?? 'unusable')
  })
  if (!credential) throw new PasskeyFailure('cancelled')
  return credential as PublicKeyCredential
}
