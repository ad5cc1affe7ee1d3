import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'

/** No character of it is taken for another one when it is read from a terminal. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const length = 20

/** 100 random bits, so a slow hash would gain nothing. */
const sealOf = (key: KeyObject, characters: string) =>
  createHmac('sha256', key).update(`setup code ${characters}`).digest()

/** `7KQD-29XA-…`, with the seal that is stored in its place. */
export function newSetupCode(key: KeyObject): { code: string; hash: Buffer } {
  const characters = Array.from(randomBytes(length), byte => alphabet[byte % alphabet.length]).join('')
  return { code: characters.match(/.{4}/g)!.join('-'), hash: sealOf(key, characters) }
}

/** However it was typed: in small letters, with blanks or without hyphens. Each hash takes the same time. */
export function isSetupCode(key: KeyObject, typed: string, hashes: readonly Buffer[]): boolean {
  const seal = sealOf(key, typed.toUpperCase().replace(/[\s-]/g, ''))
  return hashes.map(hash => hash.length === seal.length && timingSafeEqual(hash, seal)).includes(true)
}
