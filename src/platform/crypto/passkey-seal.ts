import { type KeyObject, randomBytes } from 'node:crypto'
import { hmacOf, isSameHmac, openRowSeal, sealRow } from './row-seal.ts'
import type { SealingKeys } from './secrets.ts'

export interface SealedPasskey {
  tenantId: number
  userId: number
  credential_id: Buffer
  public_key: Buffer
}

const textOf = ({ tenantId, userId, credential_id, public_key }: SealedPasskey) =>
  `passkey ${tenantId} ${userId} ${credential_id.toString('base64url')} ${public_key.toString('base64url')}`

/** Names the user and the public key, so that a login to the database gives nobody a passkey. */
export const sealPasskey = (keys: SealingKeys, passkey: SealedPasskey): Buffer => sealRow(keys, textOf(passkey))

/** `previous`: only SECRET_KEY_PREVIOUS opens it, so it is to be sealed again. */
export const openPasskeySeal = (keys: SealingKeys, passkey: SealedPasskey & { seal: Buffer }) =>
  openRowSeal(keys, textOf(passkey), passkey.seal)

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
  hmacOf(key, `challenge ${purpose} ${body.toString('base64url')}`)

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
  if (!isSameHmac(challengeSeal(key, purpose, body), bytes.subarray(length))) return undefined
  const issued = body.readUIntBE(randomLength, momentBytes)
  return Math.abs(now.getTime() - issued) <= lifetime_ms ? new Date(issued) : undefined
}
