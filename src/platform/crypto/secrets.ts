import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** The first one seals. All of them open, so that a new SECRET_KEY loses nothing that the previous one sealed. */
export type SealingKeys = readonly [KeyObject, ...KeyObject[]]

/** One key for each purpose, so that the loss of one does not affect the others. */
export interface DerivedKeys {
  /** Signs access tokens. Of SECRET_KEY alone: a previous key may have leaked, and whoever has it could make tokens. */
  jwt: KeyObject
  /** Seals the secrets of authenticator apps. */
  totp: SealingKeys
  /** Seals the secrets that tenants give us for other services, such as that of a provider. */
  secrets: SealingKeys
  /** Seals the manifests of backups. */
  backup: SealingKeys
  /** Seals one-time links. Of SECRET_KEY alone, as the tokens: a link of a key that leaked must not open. */
  links: KeyObject
  /** Seals the cookies of browsers' sessions. Of SECRET_KEY alone, as the tokens. */
  sessions: KeyObject
  /** Seals passkeys, and the challenges that they answer at a log-in and a registration. */
  passkeys: SealingKeys
  /** Seals who users are at providers for single sign-on, and the keys that providers sign with. */
  identities: SealingKeys
}

const min_bytes = 32
/** Far fewer than 32 random characters have; excludes `aaaa…` and `12341234…`. */
const minDifferentCharacters = 8
/** Placeholders for a key in examples and templates, compared without case and punctuation. */
const placeholders = [
  'changeme',
  'changethis',
  'pleasechange',
  'changeinproduction',
  'replaceme',
  'replacethis',
  'placeholder',
  'example',
  'insecure',
]
placeholders.push(
  'secretkey',
  'yoursecret',
  'supersecret',
  'mysecret',
  'notsosecret',
  'topsecret',
  'devsecret',
  'testsecret',
  'password',
  '0123456789abcdef',
)

/** AUTH-04: the weakness of a SECRET_KEY, as the end of a sentence that begins with the variable's name. */
export function weaknessOf(secretKey: string): string | undefined {
  if (Buffer.byteLength(secretKey) < min_bytes) return `must have at least ${min_bytes} bytes`
  const letters = secretKey.toLowerCase().replace(/[^a-z0-9]/g, '')
  const isPlaceholder = placeholders.some(each => letters.includes(each))
  if (isPlaceholder || new Set(secretKey).size < minDifferentCharacters) return 'is a placeholder: give it random bytes'
}

/** The service's keys, by HKDF-SHA256 (RFC 5869) from SECRET_KEY, and from SECRET_KEY_PREVIOUS what that one sealed. Throws on a weak SECRET_KEY. */
export function deriveKeys({ secret_key, secret_key_previous }: SecretKeys): DerivedKeys {
  const weakness = weaknessOf(secret_key)
  if (weakness) throw new Error(`SECRET_KEY ${weakness}`)
  const keyFor = (purpose: string, secret = secret_key) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `attest ${purpose} v1`, 32)))
  const sealing = (purpose: string): SealingKeys => [
    keyFor(purpose),
    ...(secret_key_previous === undefined ? [] : [keyFor(purpose, secret_key_previous)]),
  ]
  return {
    jwt: keyFor('jwt'),
    totp: sealing('totp'),
    secrets: sealing('secrets'),
    backup: sealing('backup'),
    links: keyFor('links'),
    sessions: keyFor('sessions'),
    passkeys: sealing('passkeys'),
    identities: sealing('identities'),
  }
}

interface SecretKeys {
  secret_key: string
  secret_key_previous?: string | undefined
}
