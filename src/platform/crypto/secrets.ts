import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** One key for each purpose, so that the loss of one does not affect the others. */
export interface DerivedKeys {
  /** Signs access tokens. */
  jwt: KeyObject
  /** Seals the secrets of authenticator apps. */
  totp: KeyObject
  /** Seals the manifests of backups. */
  backup: KeyObject
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

/** The service's keys, by HKDF-SHA256 (RFC 5869) from its one secret. Throws on a secret that protects nothing. */
export function deriveKeys(secretKey: string): DerivedKeys {
  const weakness = weaknessOf(secretKey)
  if (weakness) throw new Error(`SECRET_KEY ${weakness}`)
  const keyFor = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', `attest ${purpose} v1`, 32)))
  return { jwt: keyFor('jwt'), totp: keyFor('totp'), backup: keyFor('backup') }
}
