import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { SealingKeys } from './secrets.ts'

const iv_bytes = 12
const tag_bytes = 16
const options = { authTagLength: tag_bytes }

/** The place of a secret: a copy in another row or column does not open. */
export interface SecretPlace {
  table: string
  column: string
  tenantId: number
  id: number
  /** Values that the secret is for: with others it does not open. */
  bound?: readonly string[]
}
const associated = ({ table, column, tenantId, id, bound = [] }: SecretPlace) =>
  Buffer.from(JSON.stringify([table, column, tenantId, id, ...bound]))

/** The stored form of a secret, AES-256-GCM, so that a copy of the database alone is worth nothing. */
export function sealText([key]: SealingKeys, place: SecretPlace, text: string): Buffer {
  const iv = randomBytes(iv_bytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv, options).setAAD(associated(place))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

/** Undefined if the bytes are of another place, were changed, or were sealed by none of the keys. */
export function openText(keys: SealingKeys, place: SecretPlace, sealed: Buffer): string | undefined {
  for (const key of keys) {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, iv_bytes), options)
        .setAAD(associated(place))
        .setAuthTag(sealed.subarray(iv_bytes, iv_bytes + tag_bytes))
      return Buffer.concat([decipher.update(sealed.subarray(iv_bytes + tag_bytes)), decipher.final()]).toString('utf8')
    } catch {
      // The next key may have sealed it.
    }
  }
  return undefined
}

/** Whether the key in use sealed it, and not the one before. */
export const isTextSealedByFirst = ([key]: SealingKeys, place: SecretPlace, sealed: Buffer): boolean =>
  openText([key], place, sealed) !== undefined
