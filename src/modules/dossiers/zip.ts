import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import yazl from 'yazl'
import { openForTheLastTime } from '#platform/files/disk.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import { openIntact } from '#platform/storage/verified.ts'

/** A part of a dossier: a few bytes, a file in the spool, or one of the store. */
export type Entry = { name: string; size: number; sha256: string } & (
  | { bytes: Buffer }
  | { spooled: string }
  | { key: string }
)

/** In the order of the entries, and nothing of it before it is read: a slow reader costs nothing but an open file. */
export function zipOf(storage: FileStorage, entries: readonly Entry[], mtime: Date): Readable {
  const zip = new yazl.ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => output.destroy(error))
  for (const entry of entries) {
    const options = { mtime, mode: 0o100644 }
    if ('bytes' in entry) zip.addBuffer(entry.bytes, entry.name, options)
    // The files of records are compressed already, most of them.
    else
      zip.addReadStreamLazy(entry.name, { ...options, compress: 'spooled' in entry, size: entry.size }, give => {
        open(storage, entry).then(
          stream => {
            stream.once('error', error => output.destroy(error))
            output.once('close', () => stream.destroy())
            give(null, stream)
          },
          error => output.destroy(error as Error),
        )
      })
  }
  // Who breaks off before it is their turn leaves them in the spool.
  output.once('close', () => {
    for (const entry of entries) if ('spooled' in entry) rm(entry.spooled, { force: true }).catch(() => {})
  })
  zip.end()
  return output
}

const open = (storage: FileStorage, entry: Exclude<Entry, { bytes: Buffer }>) =>
  'spooled' in entry
    ? openForTheLastTime(entry.spooled)
    : openIntact(storage, { key: entry.key, sha256: entry.sha256, size_bytes: entry.size })
