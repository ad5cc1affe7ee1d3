import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'

export interface SessionOf {
  tenantId: number
  userId: number
}
export interface SessionCookie extends SessionOf {
  sessionId: number
  secret: string
}

const hmac = (key: KeyObject, text: string) => createHmac('sha256', key).update(text).digest()

/**
 * Names the user, so that a copy in another user's row opens nothing; and made with a key of the service's, so that a login to the
 * database makes no session. The secret has 256 random bits, so a slow hash would gain nothing.
 */
const sealOf = (key: KeyObject, { tenantId, userId }: SessionOf, secret: string) =>
  hmac(key, `session ${tenantId} ${userId} ${secret}`)

/** The secret of a new session, with the seal that is stored in its place. */
export function newSessionSecret(key: KeyObject, of: SessionOf): { secret: string; hash: Buffer } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, hash: sealOf(key, of, secret) }
}

export const isSessionSecret = (key: KeyObject, { secret, ...of }: SessionCookie, hash: Buffer) =>
  hash.length === 32 && timingSafeEqual(sealOf(key, of, secret), hash)

/**
 * The value of the cookie. Its ids say where the session is looked up, as those of a token do, and are worth nothing without the secret.
 * The seal at its end lets a forged one be refused without the database, as a forged token is.
 */
export function textOfCookie(key: KeyObject, { tenantId, userId, sessionId, secret }: SessionCookie): string {
  const text = `${tenantId}.${userId}.${sessionId}.${secret}`
  return `${text}.${hmac(key, `cookie ${text}`).toString('base64url')}`
}

const form = /^(([1-9]\d{0,15})\.([1-9]\d{0,15})\.([1-9]\d{0,15})\.([A-Za-z0-9_-]{43}))\.([A-Za-z0-9_-]{43})$/

/** Undefined if `textOfCookie` did not make it with this key. */
export function openSessionCookie(key: KeyObject, text: string): SessionCookie | undefined {
  const [, sealed, tenant, user, session, secret, seal] = form.exec(text) ?? []
  if (sealed === undefined || secret === undefined || seal === undefined) return undefined
  // As text, because base64 has several spellings of the same bytes.
  const expected = hmac(key, `cookie ${sealed}`).toString('base64url')
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(seal))) return undefined
  return { tenantId: Number(tenant), userId: Number(user), sessionId: Number(session), secret }
}
