import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { keepNewest } from '#kernel/keep-newest.ts'
import { type ByteRange, CorruptFile, type FileStorage, hashOf } from './storage.ts'

/** The size and hash of a stored file by its record. */
export interface Described {
  key: string
  size_bytes: number
  sha256: string
  /** For so long one reading of a large file counts; a minute by default. */
  verified_for_ms?: number
}

/** Smaller files are hashed at each request. */
const rememberedFromBytes = 8 * 1024 * 1024
const remembered_ms = 60_000
const maxCached = 1_000

/** For each storage, the large files that were found intact, with the time until which this counts. */
const found = new WeakMap<FileStorage, Map<string, { intact: Promise<void>; until: number }>>()

/**
 * Rejects with `MissingFile` or `CorruptFile` if the stored file differs from its record (21 CFR 11.10(c)).
 *
 * It compares the size each time, and reads the whole file. A viewer requests a large file in a hundred ranges, so one reading counts for a minute,
 * or for longer where the file says so.
 */
export async function requireIntact(storage: FileStorage, file: Described): Promise<void> {
  const { key, size_bytes, sha256, verified_for_ms = remembered_ms } = file
  const stored = await storage.stat(key)
  // Opening it decides: it may be in the trash.
  if (!stored) return requireHash(storage, file)
  if (stored.size_bytes !== size_bytes) throw new CorruptFile(key, `${stored.size_bytes} bytes, not ${size_bytes}`)
  if (size_bytes < rememberedFromBytes) return requireHash(storage, file)
  const known = found.get(storage) ?? new Map<string, { intact: Promise<void>; until: number }>()
  found.set(storage, known)
  const name = `${key} ${sha256}`
  const before = known.get(name)
  if (before && before.until > performance.now()) return before.intact
  const intact = requireHash(storage, file)
  const entry = { intact, until: Number.POSITIVE_INFINITY }
  keepNewest(known, name, entry, maxCached)
  try {
    await intact
    entry.until = performance.now() + verified_for_ms
  } catch (error) {
    if (known.get(name) === entry) known.delete(name)
    throw error
  }
}

async function requireHash(storage: FileStorage, { key, sha256 }: Described) {
  requireSame(key, await hashOf(storage, key), sha256)
}

/**
 * Opens a file that was found intact, or a range of it. A whole file is hashed again while it is sent, and its last piece is held back
 * until the hash is verified: if the file changes meanwhile, the stream fails with `CorruptFile` and no client gets all of it.
 */
export async function openIntact(
  storage: FileStorage,
  { key, sha256 }: Described,
  range?: ByteRange,
): Promise<Readable> {
  const source = await storage.open(key, range)
  if (range) return source
  const stream = Readable.from(hashed(source, key, sha256), { objectMode: false })
  // If the stream is destroyed before its first piece, the generator never begins and would not close its source.
  stream.once('close', () => source.destroy())
  return stream
}

async function* hashed(source: Readable, key: string, sha256: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let held: Buffer | undefined
  for await (const chunk of source as AsyncIterable<Buffer>) {
    hash.update(chunk)
    if (held) yield held
    held = chunk
  }
  requireSame(key, hash.digest('hex'), sha256)
  if (held) yield held
}

function requireSame(key: string, hash: string, expected: string) {
  if (hash !== expected) throw new CorruptFile(key, `SHA-256 ${hash}, not ${expected}`)
}
