import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

// RFC 6238 as every authenticator app has it: SHA-1, six digits, a new code every 30 seconds.
const period_seconds = 30
const secret_bytes = 20

const totpOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: period_seconds })

/** 160 random bits, in base32 as a person types them into an app that has no camera. */
export const newTotpSecret = (): string => new Secret({ size: secret_bytes }).base32

/** What the QR code says: `otpauth://totp/Issuer:account?secret=…`. */
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
 * The step that the code belongs to, of the one before, this one and the next; undefined where it is wrong or was used.
 *
 * The caller stores the step (`where totp_last_step < step`): a code is good once, and none before it is good any more.
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
/** A sealed secret that is copied into another user's row does not open there. */
const associated = (userId: number) => Buffer.from(`totp of user ${userId}`)

/** The secret as it is stored: AES-256-GCM, so that a copy of the database alone makes no codes. */
export function sealTotpSecret(key: KeyObject, userId: number, secret: string): Buffer {
  const iv = randomBytes(iv_bytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv, sealOptions).setAAD(associated(userId))
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

/** Throws where the bytes are not this user's, were changed, or were sealed under another SECRET_KEY. */
export function openTotpSecret(key: KeyObject, userId: number, sealed: Buffer): string {
  const iv = sealed.subarray(0, iv_bytes)
  const tag = sealed.subarray(iv_bytes, iv_bytes + tag_bytes)
  const decipher = createDecipheriv('aes-256-gcm', key, iv, sealOptions).setAAD(associated(userId)).setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(iv_bytes + tag_bytes)), decipher.final()]).toString('utf8')
}
