import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { AppError } from '#kernel/errors.ts'
import { messages } from '../messages.ts'
import { refusal } from './bytes.ts'

/** The limits of an upload, over all archives in it. */
export interface Budget {
  /** Entries that are left. */
  entries: number
  /** Bytes inflated so far. */
  bytes: number
  readonly most_bytes: number
  /** The size of the uploaded file. */
  readonly file_bytes: number
  /** Levels of nesting that are left. */
  depth: number
  readonly signal: AbortSignal
}

/** An entry whose place agrees with the list of entries, so that it can be read. */
export interface Part {
  name: string
  /** As they stand in the archive. */
  name_bytes: Buffer
  /** Its inflated bytes, counted against the budget and compared with the size and checksum in the archive. */
  content(): AsyncIterable<Buffer>
}

const maxEntries = 2_000
const maxRatio = 100
/** The deepest nesting of archives within the uploaded file. */
export const maxDepth = 3
/** Small files may have a higher ratio, as a table of blanks has. */
const ratioMattersFromBytes = 10 * 1024 * 1024
const piece_bytes = 64 * 1024
/** Sizes may follow the bytes of an entry, and a record for large archives may precede the end record. */
const descriptor_bytes = 24
const largeEndBytes = 76
const endRecordBytes = 22
const stored = 0
const deflated = 8
/** Bits of an entry's flags. */
const encrypted = 0x2041
const sizesFollow = 0x8
/** Stands for a size that is recorded elsewhere because it is larger. */
const unknownYet = 0xffffffff

export const newBudget = (file_bytes: number, most_bytes: number, signal: AbortSignal): Budget => ({
  entries: maxEntries,
  bytes: 0,
  most_bytes,
  file_bytes,
  depth: maxDepth,
  signal,
})

/**
 * The parts of a ZIP archive that every program reads alike: it begins with its first entry and ends with its list, entries neither
 * overlap nor leave room for hidden data, and both headers of each entry agree.
 */
export async function readArchive<T>(path: string, budget: Budget, work: (parts: Part[]) => Promise<T>): Promise<T> {
  const zip = await openPromise(path, { autoClose: false, strictFileNames: true }).catch(error => {
    throw asDamaged(error as Error)
  })
  try {
    const places = await listEntries(zip, budget)
    requireOneAfterTheOther(places)
    return await work(places.map(({ entry, start }) => partOf(path, entry, start, budget)))
  } finally {
    // An error of closing does not matter after reading, but without a listener it would end the process.
    zip.once('error', () => {})
    zip.close()
  }
}

interface Place {
  entry: Entry
  offset: number
  start: number
  end: number
}

async function listEntries(zip: ZipFile, budget: Budget): Promise<(Place & { until: number })[]> {
  budget.entries -= zip.entryCount
  if (budget.entries < 0) throw refusal(messages.archive_too_many_entries({ maximum: maxEntries }))
  const list = Number(zip.readEntryCursor)
  const places: Place[] = []
  const names = new Set<string>()
  try {
    for await (const entry of { [Symbol.asyncIterator]: () => zip.eachEntry() }) {
      budget.signal.throwIfAborted()
      requireOrdinary(entry, names)
      const header = await zip.readLocalFileHeaderPromise(entry)
      const isSame =
        header.fileName.equals(entry.fileNameRaw) &&
        header.compressionMethod === entry.compressionMethod &&
        (header.generalPurposeBitFlag & encrypted) === 0 &&
        (header.generalPurposeBitFlag & sizesFollow ||
          [unknownYet, entry.compressedSize].includes(header.compressedSize))
      if (!isSame) throw refusal(messages.archive_inconsistent({ name: shown(entry.fileName) }))
      const offset = entry.relativeOffsetOfLocalHeader
      places.push({ entry, offset, start: header.fileDataStart, end: header.fileDataStart + entry.compressedSize })
    }
  } catch (error) {
    throw asDamaged(error as Error)
  }
  const gap = zip.fileSize - endRecordBytes - zip.comment.length - Number(zip.readEntryCursor)
  if (gap !== 0 && gap !== largeEndBytes) throw hiddenData()
  const sorted = places.toSorted((a, b) => a.offset - b.offset)
  return sorted.map((place, index) => ({ ...place, until: sorted[index + 1]?.offset ?? list }))
}

function requireOrdinary(entry: Entry, names: Set<string>) {
  const { fileName, generalPurposeBitFlag: flags } = entry
  const isFolder = fileName.endsWith('/')
  const isLink = entry.versionMadeBy >> 8 === 3 && entry.externalFileAttributes >>> 28 === 0xa
  if (fileName === '' || /\p{Cc}/u.test(fileName) || isLink || (isFolder && entry.uncompressedSize > 0))
    throw invalidName()
  if (flags & encrypted) throw locked()
  if (entry.compressionMethod !== stored && entry.compressionMethod !== deflated)
    throw refusal(messages.archive_compression_not_accepted())
  const name = fileName.toLowerCase()
  if (names.has(name)) throw refusal(messages.archive_duplicate_entry({ name: shown(fileName) }))
  names.add(name)
}

function requireOneAfterTheOther(places: (Place & { until: number })[]) {
  if (places.length === 0) throw refusal(messages.archive_empty())
  if (places[0]!.offset !== 0) throw hiddenData()
  for (const { end, until } of places) {
    if (end > until) throw refusal(messages.archive_entries_overlap())
    if (until - end > descriptor_bytes) throw hiddenData()
  }
}

const partOf = (path: string, entry: Entry, start: number, budget: Budget): Part => ({
  name: entry.fileName,
  name_bytes: entry.fileNameRaw,
  content: () => inflated(path, entry, start, budget),
})

async function* inflated(path: string, entry: Entry, start: number, budget: Budget): AsyncGenerator<Buffer> {
  const { compressedSize, uncompressedSize, crc32: expected, fileName } = entry
  if (uncompressedSize > budget.most_bytes) throw tooMuch(budget)
  let size = 0
  let found = 0
  if (compressedSize > 0) {
    const raw = createReadStream(path, { start, end: start + compressedSize - 1, highWaterMark: piece_bytes })
    const plain =
      entry.compressionMethod === deflated ? pipeline(raw, createInflateRaw({ chunkSize: piece_bytes }), () => {}) : raw
    try {
      for await (const piece of plain as AsyncIterable<Buffer>) {
        budget.signal.throwIfAborted()
        size += piece.length
        spend(budget, piece.length)
        if (size > uncompressedSize) break
        found = crc32(piece, found)
        yield piece
      }
    } catch (error) {
      throw asDamaged(error as Error)
    } finally {
      raw.destroy()
      plain.destroy()
    }
  }
  if (size !== uncompressedSize) throw refusal(messages.archive_entry_size_wrong({ name: shown(fileName) }))
  if (found !== expected) throw refusal(messages.archive_entry_damaged({ name: shown(fileName) }))
}

function spend(budget: Budget, bytes: number) {
  budget.bytes += bytes
  const isBomb = budget.bytes > ratioMattersFromBytes && budget.bytes > maxRatio * budget.file_bytes
  if (isBomb || budget.bytes > budget.most_bytes) throw tooMuch(budget)
}

const tooMuch = ({ most_bytes }: Budget) =>
  refusal(messages.archive_inflates_too_much({ ratio: maxRatio, maximum_mib: Math.floor(most_bytes / 1024 / 1024) }))

export const shown = (name: string) => JSON.stringify(name.slice(0, 100))

/** Turns an error of the archive reader into a refusal. An error of the disk stays as it is. */
function asDamaged(error: NodeJS.ErrnoException): Error {
  if (error instanceof AppError || error.syscall || error.name === 'TimeoutError') return error
  if (/^(absolute path|invalid relative path|invalid characters)/.test(error.message)) return invalidName()
  if (error.message.startsWith('strong encryption')) return locked()
  return refusal(messages.archive_damaged())
}

const hiddenData = () => refusal(messages.archive_has_hidden_data())
const invalidName = () => refusal(messages.archive_entry_name_invalid())
const locked = () => refusal(messages.file_password_protected())
