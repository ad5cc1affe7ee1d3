import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import type { SealingKeys } from './secrets.ts'

export interface SealedPasskey {
  tenantId: number
  userId: number
  credential_id: Buffer
  public_key: Buffer
}

const hmac = (key: KeyObject, text: string) => createHmac('sha256', key).update(text).digest()
const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

const textOf = ({ tenantId, userId, credential_id, public_key }: SealedPasskey) =>
  `passkey ${tenantId} ${userId} ${credential_id.toString('base64url')} ${public_key.toString('base64url')}`

/** Names the user and the public key, so that a login to the database gives nobody a passkey. */
export const sealPasskey = ([key]: SealingKeys, passkey: SealedPasskey): Buffer => hmac(key, textOf(passkey))

/** `previous`: only SECRET_KEY_PREVIOUS opens it, so it is to be sealed again. */
export function openPasskeySeal(
  keys: SealingKeys,
  passkey: SealedPasskey & { seal: Buffer },
): 'current' | 'previous' | undefined {
  const place = keys.findIndex(key => isSame(hmac(key, textOf(passkey)), passkey.seal))
  return place < 0 ? undefined : place === 0 ? 'current' : 'previous'
}

const momentBytes = 6
const randomLength = 16

/**
 * A challenge that needs no row until somebody has answered it: random bytes, the moment, and a seal over both. `purpose` says what it may
 * be answered for.
 */
export function newTimedChallenge([key]: SealingKeys, purpose: string, now: Date): string {
  const moment = Buffer.alloc(momentBytes)
  moment.writeUIntBE(now.getTime(), 0, momentBytes)
  const body = Buffer.concat([randomBytes(randomLength), moment])
  return Buffer.concat([body, challengeSeal(key, purpose, body)]).toString('base64url')
}

const challengeSeal = (key: KeyObject, purpose: string, body: Buffer) =>
  hmac(key, `challenge ${purpose} ${body.toString('base64url')}`)

/** When it was issued; undefined if it was not issued here for this purpose, or is older than `lifetime_ms`. */
export function readTimedChallenge(
  [key]: SealingKeys,
  purpose: string,
  text: string,
  { now, lifetime_ms }: { now: Date; lifetime_ms: number },
): Date | undefined {
  const bytes = Buffer.from(text, 'base64url')
  const length = randomLength + momentBytes
  if (bytes.length !== length + 32 || bytes.toString('base64url') !== text) return undefined
  const body = bytes.subarray(0, length)
  if (!isSame(challengeSeal(key, purpose, body), bytes.subarray(length))) return undefined
  const issued = body.readUIntBE(randomLength, momentBytes)
  return Math.abs(now.getTime() - issued) <= lifetime_ms ? new Date(issued) : undefined
}
