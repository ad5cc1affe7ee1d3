import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { SealingKeys } from './secrets.ts'

export const hmacOf = (key: KeyObject, text: string) => createHmac('sha256', key).update(text).digest()
export const isSameHmac = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

/** Seals what a row says, so that a login to the database makes no row that counts. `text` names the table and every value that matters. */
export const sealRow = ([key]: SealingKeys, text: string): Buffer => hmacOf(key, text)

/** Whether the service sealed it. `previous`: only SECRET_KEY_PREVIOUS opens it, so it is to be sealed again. */
export function openRowSeal(keys: SealingKeys, text: string, seal: Buffer | null): 'current' | 'previous' | undefined {
  const place = seal === null ? -1 : keys.findIndex(key => isSameHmac(hmacOf(key, text), seal))
  return place < 0 ? undefined : place === 0 ? 'current' : 'previous'
}
