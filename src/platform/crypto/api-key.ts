import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

export interface ApiKeyOf {
  tenantId: number
  keyId: number
}
export interface ApiKey extends ApiKeyOf {
  secret: string
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Letters and digits alone, so that a double click selects all of it. */
function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = digits[Number(rest % 62n)] + text
  return text
}

const secretLength = 43

/** 256 random bits, so a slow hash would gain nothing. */
export const newApiSecret = () => base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength)

/** Names the account, so that a copy in the row of another account opens nothing. */
export const hashOfApiSecret = ({ tenantId, userId }: { tenantId: number; userId: number }, secret: string) =>
  createHash('sha256').update(`api key ${tenantId} ${userId} ${secret}`).digest()

export const isApiSecret = (of: { tenantId: number; userId: number }, secret: string, hash: Buffer) =>
  hash.length === 32 && timingSafeEqual(hashOfApiSecret(of, secret), hash)

/** What names the key in lists and logs. Its ids say where the key is looked up, as those of a token do, and are worth nothing by themselves. */
export const nameOfApiKey = ({ tenantId, keyId }: ApiKeyOf) => `att_${tenantId.toString(36)}-${keyId.toString(36)}`

const checksumOf = (text: string) => base62(BigInt(crc32(text)), 6)

/** The key as it is shown once. Scanners of leaked secrets recognise its beginning and its checksum. */
export function textOfApiKey({ secret, ...of }: ApiKey): string {
  const text = `${nameOfApiKey(of)}_${secret}`
  return `${text}${checksumOf(text)}`
}

export const looksLikeApiKey = (text: string) => text.startsWith('att_')

const form = /^(att_([1-9a-z][0-9a-z]{0,10})-([1-9a-z][0-9a-z]{0,10})_([0-9A-Za-z]{43}))([0-9A-Za-z]{6})$/

/** Undefined for what is no key, or a mistyped one: it is refused without the database. */
export function readApiKey(text: string): ApiKey | undefined {
  const [, checked, tenant, id, secret, checksum] = form.exec(text) ?? []
  if (checked === undefined || secret === undefined || checksumOf(checked) !== checksum) return undefined
  const [tenantId, keyId] = [Number.parseInt(tenant!, 36), Number.parseInt(id!, 36)]
  return Number.isSafeInteger(tenantId) && Number.isSafeInteger(keyId) ? { tenantId, keyId, secret } : undefined
}
