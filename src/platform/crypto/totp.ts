import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { SealingKeys } from './secrets.ts'

// RFC 6238 with the parameters of every authenticator app: SHA-1, six digits, a new code every 30 seconds.
const period_seconds = 30
const secret_bytes = 20

const totpOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: period_seconds })

/** 160 random bits in base32, which a person can type into an app without a camera. */
export const newTotpSecret = (): string => new Secret({ size: secret_bytes }).base32

/** The content of the QR code: `otpauth://totp/Issuer:account?secret=…`. */
export function totpUri(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  return new TOTP({
    issuer,
    label: account,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: period_seconds,
  }).toString()
}

/**
 * The time step of the code, which is the previous, the present or the next one; undefined if the code is wrong or used.
 *
 * The caller stores the step (`where totp_last_step < step`), so that a code works once and no earlier one afterwards.
 */
export function verifyTotp(secret: string, code: string, now: Date, lastStep: number): number | undefined {
  if (!/^[0-9]{6}$/.test(code)) return undefined
  const delta = totpOf(secret).validate({ token: code, timestamp: now.getTime(), window: 1 })
  if (delta === null) return undefined
  const step = Math.floor(now.getTime() / 1000 / period_seconds) + delta
  return step > lastStep ? step : undefined
}

const iv_bytes = 12
const tag_bytes = 16
const sealOptions = { authTagLength: tag_bytes }
/** Binds a sealed secret to its user, so that a copy in another user's row does not open. */
const associated = (userId: number) => Buffer.from(`totp of user ${userId}`)

/** The stored form of the secret, AES-256-GCM, so that a copy of the database alone makes no codes. */
export function sealTotpSecret([key]: SealingKeys, userId: number, secret: string): Buffer {
  const iv = randomBytes(iv_bytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv, sealOptions).setAAD(associated(userId))
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

/** Undefined if the bytes are another user's, were changed, or were sealed by none of the keys. */
export function openTotpSecret(keys: SealingKeys, userId: number, sealed: Buffer): string | undefined {
  for (const key of keys) {
    try {
      return open(key, userId, sealed)
    } catch {
      // The next key may have sealed it.
    }
  }
  return undefined
}

/** Whether the key in use sealed it, and not the one before. */
export const isSealedByFirst = ([key]: SealingKeys, userId: number, sealed: Buffer): boolean =>
  openTotpSecret([key], userId, sealed) !== undefined

function open(key: KeyObject, userId: number, sealed: Buffer): string {
  const iv = sealed.subarray(0, iv_bytes)
  const tag = sealed.subarray(iv_bytes, iv_bytes + tag_bytes)
  const decipher = createDecipheriv('aes-256-gcm', key, iv, sealOptions).setAAD(associated(userId)).setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(iv_bytes + tag_bytes)), decipher.final()]).toString('utf8')
}
