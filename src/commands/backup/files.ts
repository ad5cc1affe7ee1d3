import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { sync } from '#platform/files/disk.ts'
import { requireKey } from '#platform/storage/storage.ts'
import { Refusal } from '../command.ts'
import { lines } from './messages.ts'

/** Several at a time, because each mostly waits for the disk. */
const atOnce = 8
const read_bytes = 256 * 1024

export interface StoredFile {
  key: string
  sha256: string
  size_bytes: number
}

interface Measure {
  sha256: string
  bytes: number
  lines: number
}

/** Writes lines to a new file, which is on the disk when it resolves. */
export async function writeLines(path: string, lines: AsyncIterable<string>): Promise<Measure> {
  const hash = createHash('sha256')
  const measure = { bytes: 0, lines: 0 }
  async function* chunks() {
    for await (const line of lines) {
      const chunk = Buffer.from(`${line}\n`)
      hash.update(chunk)
      measure.bytes += chunk.length
      measure.lines += 1
      yield chunk
    }
  }
  await pipeline(
    Readable.from(chunks(), { objectMode: false, highWaterMark: read_bytes }),
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  )
  return { ...measure, sha256: hash.digest('hex') }
}

/** The measure of `writeLines` without writing. */
export async function measureLines(lines: AsyncIterable<string>): Promise<Measure> {
  const hash = createHash('sha256')
  const measure = { bytes: 0, lines: 0 }
  for await (const line of lines) {
    hash.update(line).update('\n')
    measure.bytes += Buffer.byteLength(line) + 1
    measure.lines += 1
  }
  return { ...measure, sha256: hash.digest('hex') }
}

export const readLines = (path: string): AsyncIterable<string> =>
  createInterface({ input: createReadStream(path, { highWaterMark: read_bytes }), crlfDelay: Number.POSITIVE_INFINITY })

export async function* readFileList(path: string): AsyncGenerator<StoredFile> {
  for await (const line of readLines(path)) {
    const file = JSON.parse(line) as StoredFile
    requireKey(file.key)
    yield file
  }
}

/** The length and hash of a stream, which is also written to the new file `to`, if given. */
export async function digestOf(source: Readable, to?: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  async function* counted() {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  if (to) await pipeline(counted, createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }))
  else for await (const _ of counted());
  return { sha256: hash.digest('hex'), bytes }
}

/** Copies files to their keys below `root`; they are on the disk when it resolves. Each must match its record. */
export async function copyFiles(
  files: AsyncIterable<StoredFile>,
  open: (key: string) => Promise<Readable>,
  root: string,
): Promise<{ count: number; bytes: number }> {
  const folders = new Set<string>()
  const done = { count: 0, bytes: 0 }
  await each(files, async ({ key, sha256, size_bytes }) => {
    const path = join(root, requireKey(key))
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) folders.add(folder)
    const source = await open(key)
    try {
      requireSame(`the file ${key}`, await digestOf(source, path), { sha256, bytes: size_bytes })
    } finally {
      source.destroy()
    }
    done.count += 1
    done.bytes += size_bytes
  })
  for (const folder of folders) await sync(folder)
  return done
}

/** Reads every file of a list and compares it. */
export const checkFiles = (files: AsyncIterable<StoredFile>, pathOf: (key: string) => string) =>
  each(files, async ({ key, sha256, size_bytes }) => {
    const found = await digestOf(createReadStream(pathOf(key), { highWaterMark: read_bytes })).catch(
      refuseMissing(`the file ${key}`),
    )
    requireSame(`the file ${key}`, found, { sha256, bytes: size_bytes })
  })

export const refuseMissing =
  (what: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw error.code === 'ENOENT' ? new Refusal(lines.backup_part_missing({ what })) : error
  }

export function requireSame(
  what: string,
  found: { sha256: string; bytes: number },
  expected: { sha256: string; bytes: number },
) {
  if (found.bytes !== expected.bytes)
    throw new Refusal(lines.backup_part_length_differs({ what, found: found.bytes, expected: expected.bytes }))
  if (found.sha256 !== expected.sha256) throw new Refusal(lines.backup_part_differs({ what }))
}

/** Works on several items at a time. Rejects with the first failure when the running ones have ended. */
export async function each<T>(items: AsyncIterable<T>, work: (item: T) => Promise<void>) {
  const iterator = items[Symbol.asyncIterator]()
  let failure: { error: unknown } | undefined
  const worker = async () => {
    while (!failure) {
      try {
        const { done, value } = await iterator.next()
        if (done) return
        await work(value)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  await iterator.return?.()
  if (failure) throw failure.error
}
