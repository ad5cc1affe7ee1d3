import { type Static, Type } from 'typebox'
import { Body, Id, Nullable, OneOf, Timestamp } from '#kernel/schema.ts'
import { maxActs, proofKinds } from './rules.ts'

/** Base64url, as WebAuthn writes bytes in JSON. */
const bytes = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' })

/** `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. */
export const PasskeyRequest = Type.Object(
  {
    challenge: Type.String(),
    rpId: Type.String(),
    timeout: Type.Integer(),
    userVerification: OneOf('required'),
    allowCredentials: Type.Array(
      Type.Object({ id: Type.String(), type: OneOf('public-key'), transports: Type.Array(Type.String()) }),
    ),
  },
  { description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`' },
)
export type PasskeyRequest = Static<typeof PasskeyRequest>

/** What a browser adds to an answer, and nobody reads here. */
const others = {
  authenticatorAttachment: Type.Optional(Type.Unknown()),
  clientExtensionResults: Type.Optional(Type.Unknown()),
}

/** `AuthenticationResponseJSON` of WebAuthn. */
export const PasskeyAnswer = Body({
  id: bytes(1400),
  rawId: bytes(1400),
  type: OneOf('public-key'),
  response: Body({
    clientDataJSON: bytes(4096),
    authenticatorData: bytes(4096),
    signature: bytes(2048),
    userHandle: Type.Optional(Nullable(bytes(100))),
  }),
  ...others,
})
export type PasskeyAnswer = Static<typeof PasskeyAnswer>

/** `RegistrationResponseJSON` of WebAuthn. */
export const PasskeyCreated = Body({
  id: bytes(1400),
  rawId: bytes(1400),
  type: OneOf('public-key'),
  response: Body({
    clientDataJSON: bytes(4096),
    attestationObject: bytes(16384),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 30, pattern: '^[a-z-]+$' }), { maxItems: 10 })),
    authenticatorData: Type.Optional(Type.Unknown()),
    publicKey: Type.Optional(Type.Unknown()),
    publicKeyAlgorithm: Type.Optional(Type.Unknown()),
  }),
  ...others,
})

const Signs = Type.Object({
  record: Type.Object({
    type: Type.String(),
    id: Nullable(Type.String({ description: 'null for a record that the act itself creates' })),
    number: Nullable(Type.String()),
    version: Nullable(Type.String()),
    content_revision: Type.String(),
    content_sha256: Type.String(),
    without: Type.Array(Type.String(), {
      description:
        'The fields of the content that the act itself fills in, such as its moment: they are not in the digest',
    }),
  }),
  meaning: Type.String(),
  intent: Type.String(),
  on_behalf_of: Nullable(Type.String({ description: 'The id of the person for whom a deputy signs' })),
})

export const ChallengeRequest = Body({
  kind: OneOf(...proofKinds),
  acts: Type.Array(
    Body({
      method: OneOf('POST', 'PUT', 'PATCH'),
      path: Type.String({
        ...{ minLength: 1, maxLength: 200, pattern: '^/api/[A-Za-z0-9/_-]+$' },
        examples: ['/api/documents/7/approve'],
      }),
      body: Type.Record(Type.String(), Type.Unknown(), {
        description: 'The body of that request, without the proof of identity',
      }),
    }),
    { minItems: 1, maxItems: maxActs },
  ),
  return_to: Type.Optional(
    Type.String({
      maxLength: 500,
      description:
        'With `provider`: a path of a page of this service, to which the provider sends the browser back; anything else is `/`',
    }),
  ),
})

const challenge = {
  id: Id,
  kind: OneOf(...proofKinds),
  text: Type.String({
    description: 'The canonical JSON (RFC 8785) of all that is proved; the device or the provider signs its SHA-256',
  }),
  sha256: Type.String(),
  expires_at: { ...Timestamp, description: 'Until then it can be proved' },
}
const act = { method: Type.String(), path: Type.String(), signs: Nullable(Signs) }

export const SigningChallenge = Type.Object({
  ...challenge,
  acts: Type.Array(Type.Object(act)),
  passkey: Type.Optional(PasskeyRequest),
  start: Type.Optional(
    Type.String({ description: 'With `provider`: its address, to be opened by the browser that got this answer' }),
  ),
})

export const ChallengeState = Type.Object({
  ...challenge,
  acts: Type.Array(
    Type.Object({
      ...act,
      spent_at: Nullable({ ...Timestamp, description: 'When the proof was used for this request' }),
    }),
  ),
  proved_at: Nullable(Timestamp),
  is_refused: Type.Boolean({ description: 'A proof was refused: begin another challenge' }),
})

export const ProvedChallenge = Type.Object({
  id: Id,
  proved_at: Timestamp,
  valid_until: { ...Timestamp, description: 'Until then the acts can be done' },
})
