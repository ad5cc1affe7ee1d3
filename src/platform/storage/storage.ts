import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Received } from './spool.ts'

export type { Received } from './spool.ts'

/** Bytes `start` to `end`, both of them included, counted from 0 as in an HTTP Range header. */
export interface ByteRange {
  start: number
  end: number
}

/** A file as the store itself knows it. */
export interface ListedFile {
  key: string
  size_bytes: number
  /** When it was kept, or moved to this key. */
  modified_at: Date
}

/**
 * Where the files of records are kept. A file is written once, under a key of its own, and never replaced.
 *
 * The order is `receive`, look at what came, `keep` (or `discard`), and only then the row that names the key: a crash in
 * between leaves a file without a row, never a row without its file.
 */
export interface FileStorage {
  /** Spools a stream to this machine's disk, hashing and counting. More than `max_bytes` is a 413. Leaves nothing behind when it fails. */
  receive(source: AsyncIterable<Uint8Array>, limits: { max_bytes: number }): Promise<Received>
  /** Once it resolves the file outlives a loss of power. Fails, and leaves both files as they are, where the key is taken. */
  keep(received: Received, key: string): Promise<void>
  /** For what was received and will not be kept. */
  discard(received: Received): Promise<void>
  /** Rejects with `MissingFile` before the first byte; the caller reads the stream to its end or destroys it. */
  open(key: string, range?: ByteRange): Promise<Readable>
  stat(key: string): Promise<{ size_bytes: number } | undefined>
  /** The files whose keys begin with it (`7/`; all of them by an empty text), in no order, page by page: never all in memory. */
  list(prefix: string): AsyncIterable<ListedFile>
  /**
   * Gives a file another key, as of now. A bucket copies and then removes: cut off in between it has both, and the same move
   * finishes it, because nothing else ever has that key. Rejects with `MissingFile`.
   */
  move(key: string, to: string): Promise<void>
  /** Says nothing where there is no such file. */
  remove(key: string): Promise<void>
  /** Clears what was begun before then by a process that did not live to finish it: in the spool, and where the store itself has parts. */
  forgetUnfinished(before: Date): Promise<void>
  /** What `mark` has written, or nothing. No list of files has it. */
  readMark(): Promise<string | undefined>
  /** Writes which installation the store belongs to (mark.ts). Fails with `KeyTaken` where that is written already. */
  mark(text: string): Promise<void>
  /** Stores, reads and removes a few bytes, and rejects with what went wrong: a store that can only be read is not ready. */
  check(): Promise<void>
  close?(): Promise<void>
}

/** A record names a file that the storage does not have. */
export class MissingFile extends Error {
  constructor(key: string, options?: ErrorOptions) {
    super(`the file ${key} is missing from the storage`, options)
  }
}

/** The bytes in the storage are not those that the record was made with. */
export class CorruptFile extends Error {
  constructor(key: string, found: string) {
    super(`the file ${key} is not what was stored: ${found}`)
  }
}

/** What `keep` and `mark` fail with where another file has the key. */
export class KeyTaken extends Error {
  constructor(key: string, options?: ErrorOptions) {
    super(`the storage has a file ${key} already`, options)
  }
}

/** The tenant comes first so that one tenant's files can be copied or counted apart; two hexadecimal digits keep folders small. */
export function newKey(tenantId: number): string {
  const name = randomUUID()
  return `${tenantId}/${name.slice(0, 2)}/${name}`
}

const keyPattern = /^[a-z0-9][a-z0-9_-]*(\/[a-z0-9][a-z0-9_-]*){1,7}$/

/** Keys are ours, never a caller's text, so a strange one is a bug: it throws before it can name anything outside the storage. */
export function requireKey(key: string): string {
  if (!isKey(key)) throw new Error(`${JSON.stringify(key)} is not a storage key`)
  return key
}

const prefixPattern = /^([a-z0-9][a-z0-9_-]*\/){0,7}$/

/** Whole parts of keys: `7/` must not find the files of tenant 70. */
export function requirePrefix(prefix: string): string {
  if (!prefixPattern.test(prefix)) throw new Error(`${JSON.stringify(prefix)} is not the beginning of storage keys`)
  return prefix
}

/** What others have put into the folder or bucket is none of ours. */
export const isKey = (text: string) => text.length <= 255 && keyPattern.test(text)

/** Beside the folders of tenants; no key has a dot, so that it is never taken for a file of a record. */
export const markName = 'installation.json'

/** The SHA-256 of the stored bytes, in hexadecimal. */
export async function hashOf(storage: FileStorage, key: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of await storage.open(key)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** What a check has left in a bucket where it was ended. */
export const isCheck = (key: string) => key.startsWith('check/')

/** The check of a store that is reached over a network: a few bytes go the way that a file goes, and are removed. */
export async function checkByUse(storage: Omit<FileStorage, 'check'>): Promise<void> {
  const bytes = randomBytes(64)
  const key = `check/${randomUUID()}`
  const received = await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length })
  try {
    await storage.keep(received, key)
  } catch (error) {
    await storage.discard(received).catch(() => {}) // the first error is the one to tell
    throw error
  }
  try {
    const found = await buffer(await storage.open(key))
    if (!bytes.equals(found)) throw new Error('the storage does not give back what was written to it')
  } catch (error) {
    await storage.remove(key).catch(() => {})
    throw error
  }
  await storage.remove(key)
}
