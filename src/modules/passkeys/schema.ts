import { Type } from 'typebox'
import { Body, Id, Nullable, OneOf, Timestamp, Words } from '#kernel/schema.ts'
import { PasskeyAnswer, PasskeyCreated } from '#modules/accounts'

export const Passkey = Type.Object({
  id: Id,
  name: Type.String(),
  is_device_bound: Type.Boolean({
    description: 'It never leaves its device; otherwise it may be copied between devices',
  }),
  is_backed_up: Type.Boolean({ description: 'It is on other devices too, or with their maker' }),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
})

/** The person proves who they are, unless they have just logged in. */
export const RegistrationStart = Body({
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  otp: Type.Optional(Type.String({ pattern: '^\\d{6}$', examples: ['123456'] })),
})

const Known = Type.Array(
  Type.Object({ id: Type.String(), type: OneOf('public-key'), transports: Type.Array(Type.String()) }),
)

/** `PublicKeyCredentialCreationOptionsJSON` of WebAuthn. */
export const RegistrationOptions = Type.Object(
  {
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    challenge: Type.String(),
    pubKeyCredParams: Type.Array(Type.Object({ type: OneOf('public-key'), alg: Type.Integer() })),
    timeout: Type.Integer(),
    attestation: OneOf('none'),
    authenticatorSelection: Type.Object({
      residentKey: OneOf('required'),
      requireResidentKey: Type.Boolean(),
      userVerification: OneOf('required'),
    }),
    excludeCredentials: Known,
  },
  { description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON` and `navigator.credentials.create`' },
)

export const Registration = Body({ name: Words(80), response: PasskeyCreated })
export const PasskeyName = Body({ name: Words(80) })
export const PasskeyLogin = Body({ response: PasskeyAnswer })
export const PasskeyProof = Body({ response: PasskeyAnswer })
export const UserPasskeyParams = Type.Object({ id: Id, passkey_id: Id })
