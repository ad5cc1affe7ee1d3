import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { openForTheLastTime } from '#platform/files/disk.ts'
import { zipOf } from '#platform/files/zip.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import { openIntact } from '#platform/storage/verified.ts'

/** A part of a dossier: a few bytes, a file in the spool, or one of the store. */
export type Entry = { name: string; size: number; sha256: string } & (
  | { bytes: Buffer }
  | { spooled: string }
  | { key: string }
)

/** The zip in the order of its entries. Each is opened only when the reader comes to it. */
export function zipOfEntries(storage: FileStorage, entries: readonly Entry[], mtime: Date): Readable {
  const output = zipOf(
    entries.map(entry => ({
      name: entry.name,
      size: entry.size,
      // The files of records are compressed already, most of them.
      compress: !('key' in entry),
      open: () => open(storage, entry),
    })),
    mtime,
  )
  // A download that is cancelled early would leave the spooled files behind.
  output.once('close', () => {
    for (const entry of entries) if ('spooled' in entry) rm(entry.spooled, { force: true }).catch(() => {})
  })
  return output
}

function open(storage: FileStorage, entry: Entry) {
  if ('bytes' in entry) return Readable.from([entry.bytes])
  return 'spooled' in entry
    ? openForTheLastTime(entry.spooled)
    : openIntact(storage, { key: entry.key, sha256: entry.sha256, size_bytes: entry.size })
}
