// IDEM-01: a command that is sent twice with one Idempotency-Key happens once.
import { createHash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { conflict, invalid, issueAt } from '#kernel/errors.ts'
import { isLockTimeout, type Tx } from '#platform/db/database.ts'
import type { AnyAction, Once } from './definitions.ts'
import { FileContent, fileTypesOf } from './file.ts'
import { claimKey, findKey, type KeptAnswer, storeAnswer } from './idempotency-queries.ts'
import { messages } from './messages.ts'

/** The answer of the first time, in the place of what the action answers. */
export class Replayed {
  readonly answer: ReturnType<Once['answerOf']>
  constructor({ status, headers, body }: KeptAnswer) {
    this.answer = { status, headers: { ...headers, 'idempotency-replayed': 'true' }, body: JSON.parse(body) }
  }
}

const secrets = new Set([
  'password',
  'current_password',
  'new_password',
  'temporary_password',
  'otp',
  'secret',
  'access_token',
  'api_key',
  'client_secret',
  // Of a log-in: it is good for the browser that got the cookie with it.
  'start',
])

interface Part {
  type?: string | string[]
  properties?: Record<string, Part>
  items?: Part
  anyOf?: Part[]
}
const isText = ({ type = [], anyOf = [] }: Part): boolean => [type].flat().includes('string') || anyOf.some(isText)
const hasSecret = ({ properties = {}, items, anyOf = [] }: Part): boolean =>
  Object.entries(properties).some(([name, part]) => (secrets.has(name) && isText(part)) || hasSecret(part)) ||
  [...anyOf, ...(items ? [items] : [])].some(hasSecret)

/**
 * Commands in JSON. Not those with a password, a code or a token, in the request or in the answer: neither may be kept, and a proof of
 * identity is used once anyway. Not uploads, whose bytes would have to be compared.
 */
export const takesKey = ({ input, response, pieces }: AnyAction): boolean =>
  !input.form &&
  !pieces &&
  response !== FileContent &&
  fileTypesOf(response as TSchema).length === 0 &&
  ![input.body, response].some(schema => schema && hasSecret(schema as Part))

const sha256 = (text: string) => createHash('sha256').update(text).digest()

export const onceOf = (key: string, request: readonly unknown[]): Pick<Once, 'key_hash' | 'request_hash'> => ({
  key_hash: sha256(key),
  request_hash: sha256(JSON.stringify(request)),
})

interface By {
  tx: Tx
  userId: number
}

/** The answer that is kept of the same request. Another request under its key is a 422. */
export async function findAnswer({ tx, userId }: By, { key_hash, request_hash }: Once): Promise<Replayed | undefined> {
  const kept = await findKey(tx, { user_id: userId, key_hash })
  if (!kept) return undefined
  if (!kept.request_hash.equals(request_hash))
    throw invalid(issueAt(['header', 'idempotency-key'], messages.idempotency_key_used()))
  return new Replayed({ status: kept.status!, headers: kept.headers, body: kept.body! })
}

/** Claims the key for the transaction, or answers what the one before has answered. */
export async function claim(by: By, once: Once, now: Date): Promise<Replayed | undefined> {
  const { key_hash, request_hash } = once
  const isClaimed = await claimKey(by.tx, {
    ...{ user_id: by.userId, key_hash, request_hash, created_at: now.toISOString() },
  }).catch(error => {
    throw isLockTimeout(error) ? conflict(messages.idempotency_key_in_use()) : error
  })
  return isClaimed ? undefined : findAnswer(by, once)
}

export async function keepAnswer({ tx, userId }: By, { key_hash, answerOf }: Once, output: unknown) {
  const { status, headers, body } = answerOf(output)
  await storeAnswer(tx, { user_id: userId, key_hash }, { status, headers, body: JSON.stringify(body ?? null) })
}

/**
 * Requests with one key wait for each other before they take a connection to the database: otherwise those who wait could take them all. Those
 * of other processes wait in the database.
 */
export function openKeyTurns() {
  const running = new Map<string, Promise<void>>()
  return async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    for (let other = running.get(key); other; other = running.get(key)) await other
    const { promise, resolve } = Promise.withResolvers<void>()
    running.set(key, promise)
    try {
      return await work()
    } finally {
      running.delete(key)
      resolve()
    }
  }
}
