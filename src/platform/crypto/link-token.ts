import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'

export interface LinkOf {
  tenantId: number
  linkId: number
  userId: number
}

/**
 * The seal names link and user, so that a copy in another user's row opens nothing; and it is made with a key of the service's, so that a
 * login to the database makes no link.
 */
const sealOf = (key: KeyObject, { tenantId, linkId, userId }: LinkOf, secret: string) =>
  createHmac('sha256', key).update(`password link ${tenantId} ${linkId} ${userId} ${secret}`).digest()

/** The token of a one-time link, with the seal that is stored in its place. */
export function newLinkToken(key: KeyObject, of: LinkOf): { token: string; hash: Buffer } {
  const secret = randomBytes(32).toString('base64url')
  return { token: `${of.tenantId}.${of.linkId}.${secret}`, hash: sealOf(key, of, secret) }
}

export interface LinkToken {
  tenantId: number
  linkId: number
  secret: string
}

/** Undefined if the text is no token. */
export function parseLinkToken(text: string): LinkToken | undefined {
  const [, tenantId, linkId, secret] = /^(\d{1,15})\.(\d{1,15})\.([A-Za-z0-9_-]{43})$/.exec(text.trim()) ?? []
  return secret === undefined ? undefined : { tenantId: Number(tenantId), linkId: Number(linkId), secret }
}

export const isLinkToken = (key: KeyObject, { secret, ...of }: LinkToken, userId: number, hash: Buffer) =>
  timingSafeEqual(sealOf(key, { ...of, userId }, secret), hash)
