import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual, promisify } from 'node:util'
import { AppError, invalidField } from '#kernel/errors.ts'
import { openTurns } from '../turns.ts'
import { messages } from './messages.ts'

/** The least that OWASP recommends for Argon2id: some 30 ms of one core, and 19 MiB, for every try. */
const current: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const salt_bytes = 16
const tag_bytes = 32
/** Long enough for every phrase; without a limit a body of megabytes would be hashed. */
export const password_max_bytes = 1_024

interface Cost {
  /** In KiB. */
  memory: number
  passes: number
  parallelism: number
}

/**
 * The whole password in Argon2id, as a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. A 422 above 1,024 bytes. `address` as in
 * `verifyPassword`.
 */
export async function hashPassword(password: string, address?: string): Promise<string> {
  const message = bytesOf(password)
  if (!message) throw invalidField('password', messages.password_too_long({ maximum_bytes: password_max_bytes }))
  const salt = randomBytes(salt_bytes)
  return format(current, salt, await derive(message, salt, tag_bytes, current, address))
}

/**
 * Throws if the stored text is not a PHC string of Argon2id, which only a bug can have stored. `address` is the network of somebody who
 * has no session: these wait in turn by network, and apart from checks inside a session.
 */
export async function verifyPassword(phc: string, password: string, address?: string): Promise<boolean> {
  const { cost, salt, tag } = parse(phc)
  const message = bytesOf(password)
  if (!message) return false
  return timingSafeEqual(await derive(message, salt, tag.length, cost, address), tag)
}

const unmatchable = format(current, Buffer.alloc(salt_bytes), Buffer.alloc(tag_bytes))

/** For a user who does not exist: takes as long as `verifyPassword`, so that the time of a refused log-in reveals nothing. */
export async function dummyVerify(password: string, address?: string): Promise<false> {
  await verifyPassword(unmatchable, password, address)
  return false
}

/** True if the hash was made at another cost. It is replaced at its owner's next log-in. */
export function needsRehash(phc: string): boolean {
  const { cost, tag } = parse(phc)
  return !isDeepStrictEqual(cost, current) || tag.length !== tag_bytes
}

/** Composed, because keyboards send one accented letter in two forms (NIST SP 800-63B). */
function bytesOf(password: string): Buffer | undefined {
  const bytes = Buffer.from(password.normalize('NFC'))
  return bytes.length > password_max_bytes ? undefined : bytes
}

function format({ memory, passes, parallelism }: Cost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`
}
function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

const phcPattern =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

function parse(phc: string): { cost: Cost; salt: Buffer; tag: Buffer } {
  const [, memory, passes, parallelism, salt = '', tag = ''] = phcPattern.exec(phc) ?? []
  if (!memory) throw new Error('a stored password hash is not a PHC string of Argon2id')
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

const argon2Async = promisify(argon2)

const derive = (
  message: Buffer,
  nonce: Buffer,
  tagLength: number,
  cost: Cost,
  address: string | undefined,
): Promise<Buffer> => inTurn(address, () => argon2Async('argon2id', { message, nonce, tagLength, ...cost }))

/** Hashes share libuv's four threads with all file work of the process: more than two at once would hold up downloads. */
const maxRunning = 2
const maxWaiting = 64
let running = 0
const openLane = () => openTurns<PromiseWithResolvers<void>>({ most: maxWaiting, most_per_lane: maxWaiting })
const lanes = { login: openLane(), session: openLane() }
let served: keyof typeof lanes = 'login'

/** Log-ins and work inside sessions alternate, so that a flood of log-ins delays a signature by one hash. */
function takeNext() {
  const other = served === 'login' ? 'session' : 'login'
  const next = lanes[other].shift()
  if (!next) return lanes[served].shift()
  served = other
  return next
}

async function inTurn<T>(address: string | undefined, work: () => Promise<T>): Promise<T> {
  if (running < maxRunning) running += 1
  else {
    const place = Promise.withResolvers<void>()
    const displaced = address === undefined ? lanes.session.push('', place) : lanes.login.push(address, place)
    displaced?.reject(new AppError(503, messages.too_many_logins(), { 'retry-after': '1' }))
    await place.promise
  }
  try {
    return await work()
  } finally {
    const next = takeNext()
    if (next)
      next.resolve() // takes over the place of this one
    else running -= 1
  }
}
