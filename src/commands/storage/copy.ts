import { AppError } from '#kernel/errors.ts'
import { placeOf } from '#platform/storage/open.ts'
import { CorruptFile, type FileStorage, hashOf, MissingFile } from '#platform/storage/storage.ts'
import type { StoredFile } from '../backup/files.ts'
import { Refusal } from '../command.ts'
import { lines } from './messages.ts'

/** A fault of one file, which does not stop the others. */
export class FileFault extends Refusal {}

/** For `catch`: a failure of the store itself, with its place. */
export const storeFailed =
  (config: Parameters<typeof placeOf>[0]) =>
  (error: Error & { code?: string }): never => {
    if (error instanceof Refusal) throw error
    throw new Refusal(lines.store_failed({ place: placeOf(config), reason: error.message || String(error.code) }), {
      cause: error,
    })
  }

/** Undefined if the target's file matches its record; otherwise its fault. */
async function faultOf(storage: FileStorage, { key, sha256, size_bytes }: StoredFile) {
  const found = await storage.stat(key)
  if (!found) return lines.storage_file_missing({ file: key })
  if (found.size_bytes !== size_bytes)
    return lines.storage_file_length_differs({ file: key, found: found.size_bytes, expected: size_bytes })
  return (await hashOf(storage, key)) === sha256 ? undefined : lines.storage_file_differs({ file: key })
}

export async function verify(target: FileStorage, file: StoredFile): Promise<'there'> {
  const fault = await faultOf(target, file)
  if (fault) throw new FileFault(fault)
  return 'there'
}

/**
 * Copies a file of a record and reads it back. A correct file in the target stays. A wrong one is replaced after the source has been
 * verified, and the result is `replaced`.
 */
export async function copy(
  source: Pick<FileStorage, 'open'>,
  target: FileStorage,
  file: StoredFile,
): Promise<'copied' | 'replaced' | 'there'> {
  const { key } = file
  const before = await faultOf(target, file)
  if (!before) return 'there'
  const isMissing = before.code === 'storage_file_missing'
  const received = await receive(source, target, file)
  try {
    if (!isMissing) await target.remove(key)
    await target.keep(received, key)
  } catch (error) {
    await target.discard(received).catch(() => {}) // the first error is reported
    throw error
  }
  const after = await faultOf(target, file)
  if (after) {
    await target.remove(key)
    throw new FileFault([lines.storage_target_differs({ file: key }), after])
  }
  return isMissing ? 'copied' : 'replaced'
}

async function receive(
  source: Pick<FileStorage, 'open'>,
  target: FileStorage,
  { key, sha256, size_bytes }: StoredFile,
) {
  try {
    const stream = await source.open(key)
    const received = await target.receive(stream, { max_bytes: size_bytes })
    if (received.size_bytes === size_bytes && received.sha256 === sha256) return received
    await target.discard(received)
    throw new CorruptFile(key, `${received.size_bytes} bytes with the SHA-256 ${received.sha256}`)
  } catch (error) {
    if (error instanceof MissingFile) throw new FileFault(lines.storage_source_missing({ file: key }))
    // A 413 means that the file is longer than its record.
    const isCorrupt = error instanceof CorruptFile || (error instanceof AppError && error.status === 413)
    if (isCorrupt) throw new FileFault(lines.storage_source_differs({ file: key }))
    throw error
  }
}
