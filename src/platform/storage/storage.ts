import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/** A complete file in the spool, until it is kept or discarded. */
export interface Received {
  path: string
  size_bytes: number
  /** In hexadecimal. */
  sha256: string
  /** The first 4,100 bytes, or all if there are fewer, by which the type is recognized. */
  head: Buffer
  /** All bytes of a small file, so that its inspection need not read it again. */
  whole?: Buffer
  /** The bytes are on the disk already. */
  isSynced: boolean
}

/** Bytes `start` to `end`, both of them included, counted from 0 as in an HTTP Range header. */
export interface ByteRange {
  start: number
  end: number
}

/** A file in the list of the store. */
export interface ListedFile {
  key: string
  size_bytes: number
  /** The time at which it was kept, or moved to this key. */
  modified_at: Date
}

/**
 * The store of the files of records. A file is written once, under a key of its own, and never replaced.
 *
 * The order is `receive`, inspect, `keep` (or `discard`), and only then insert the row with the key: a crash in between leaves a file
 * without a row, never a row without its file.
 */
export interface FileStorage {
  /**
   * Spools a stream to this machine's disk, hashes it and counts its bytes. More than `max_bytes` is a 413. A failure leaves nothing
   * behind. `isToKeep`: the file will usually be kept, so a store on this disk syncs it while it is open.
   */
  receive(source: AsyncIterable<Uint8Array>, how: { max_bytes: number; isToKeep?: boolean }): Promise<Received>
  /** When it resolves, the file survives a loss of power. If the key is taken, it fails and leaves both files as they are. */
  keep(received: Received, key: string): Promise<void>
  discard(received: Received): Promise<void>
  /** Rejects with `MissingFile` before the first byte. The caller must read the stream to its end or destroy it. */
  open(key: string, range?: ByteRange): Promise<Readable>
  stat(key: string): Promise<{ size_bytes: number } | undefined>
  /**
   * The files whose keys begin with the prefix (`7/`, or an empty text for all), in any order, page by page, so that they are never all in
   * memory.
   */
  list(prefix: string): AsyncIterable<ListedFile>
  /**
   * Gives a file another key. A bucket copies and then removes; if it is cut off in between, both exist and repeating the move finishes
   * it, because no other file ever has that key. Rejects with `MissingFile`.
   */
  move(key: string, to: string): Promise<void>
  /** Succeeds if there is no such file. */
  remove(key: string): Promise<void>
  /**
   * Removes the content for good, with every version that a bucket keeps of it. Rejects while the store keeps one, as under a retention, and
   * succeeds if there is none.
   */
  erase(key: string): Promise<void>
  /** Removes unfinished uploads that a killed process began before then: in the spool, and parts in the store itself. */
  forgetUnfinished(before: Date): Promise<void>
  /** The text that `mark` has written, if any. It is not in the list of files. */
  readMark(): Promise<string | undefined>
  /** Marks the store as of an installation (mark.ts). Fails with `KeyTaken` if it is marked already. */
  mark(text: string): Promise<void>
  /** Writes, reads and removes a few bytes, and rejects on a failure: a store that is read-only is not ready. */
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

/** `keep` and `mark` found another file under the key. */
export class KeyTaken extends Error {
  constructor(key: string, options?: ErrorOptions) {
    super(`the storage has a file ${key} already`, options)
  }
}

/** The tenant comes first, so that its files can be copied or counted separately. Two hexadecimal digits keep folders small. */
export function newKey(tenantId: number): string {
  const name = randomUUID()
  return `${tenantId}/${name.slice(0, 2)}/${name}`
}

const keyPattern = /^[a-z0-9][a-z0-9_-]*(\/[a-z0-9][a-z0-9_-]*){1,7}$/

/** Keys are never a caller's text, so an invalid one is a bug. It throws before it can name anything outside of the store. */
export function requireKey(key: string): string {
  if (!isKey(key)) throw new Error(`${JSON.stringify(key)} is not a storage key`)
  return key
}

const prefixPattern = /^([a-z0-9][a-z0-9_-]*\/){0,7}$/

/** A prefix ends with a slash, so that tenant 7 does not get the files of tenant 70. */
export function requirePrefix(prefix: string): string {
  if (!prefixPattern.test(prefix)) throw new Error(`${JSON.stringify(prefix)} is not the beginning of storage keys`)
  return prefix
}

/** False for foreign files in the folder or bucket. */
export const isKey = (text: string) => text.length <= 255 && keyPattern.test(text)

/** Lies beside the folders of tenants. No key has a dot, so it is never taken for a file of a record. */
export const markName = 'installation.json'

/** The SHA-256 of the stored bytes, in hexadecimal. */
export async function hashOf(storage: Pick<FileStorage, 'open'>, key: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of await storage.open(key)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** True for a file that an interrupted check left in a bucket. */
export const isCheck = (key: string) => key.startsWith('check/')

/** The check of a bucket: stores a few bytes as a file is stored, and removes them. */
export async function checkByUse(storage: Omit<FileStorage, 'check'>): Promise<void> {
  const bytes = randomBytes(64)
  const key = `check/${randomUUID()}`
  const received = await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length })
  try {
    await storage.keep(received, key)
  } catch (error) {
    await storage.discard(received).catch(() => {}) // the first error is reported
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
