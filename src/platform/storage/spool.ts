import { createHash, randomUUID } from 'node:crypto'
import { open, readdir, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { tooLarge } from '#kernel/errors.ts'
import { makeFolder, missing } from '../files/disk.ts'
import { messages } from '../files/messages.ts'
import { asFailure } from './failure.ts'
import type { Received } from './storage.ts'

const head_bytes = 4_100
const abandonedAfterMs = 24 * 60 * 60 * 1000

/**
 * The folder that uploads pass through on their way to any store.
 *
 * Several processes may share it. Files that a killed process left behind are removed when the folder is next opened, if nobody has
 * written to them for 24 hours, because others may be arriving at present.
 */
export async function openSpool(folder: string) {
  await makeFolder(folder)
  await forgetUnfinished(new Date(Date.now() - abandonedAfterMs))

  /** Removes files that nobody has written to since then. */
  async function forgetUnfinished(before: Date) {
    for (const name of await readdir(folder)) {
      const path = join(folder, name)
      const found = await stat(path).catch(missing)
      if (found && found.mtime < before) await rm(path, { force: true, recursive: true })
    }
  }

  async function receive(source: AsyncIterable<Uint8Array>, { max_bytes }: { max_bytes: number }): Promise<Received> {
    const path = newPath()
    const file = await open(path, 'wx', 0o600).catch(asFailure)
    try {
      const hash = createHash('sha256')
      const head: Uint8Array[] = []
      let size_bytes = 0
      for await (const chunk of source) {
        if (size_bytes < head_bytes) head.push(chunk.subarray(0, head_bytes - size_bytes))
        size_bytes += chunk.length
        if (size_bytes > max_bytes) throw tooLarge(messages.file_too_large({ maximum_bytes: max_bytes }))
        const written = file.writeFile(chunk).catch(asFailure)
        hash.update(chunk) // while the disk is at work
        await written
      }
      await file.close().catch(asFailure) // some file systems report a failed write only here
      return { path, size_bytes, sha256: hash.digest('hex'), head: Buffer.concat(head) }
    } catch (error) {
      await file.close().catch(() => {})
      // The first error is reported. A file that cannot be removed now is removed after 24 hours.
      await rm(path, { force: true }).catch(() => {})
      throw error
    }
  }

  /** A path in the spool that no other process uses. */
  const newPath = () => join(folder, randomUUID())

  /** Never fails, because the answer must not depend on it. A file that cannot be removed now is removed after 24 hours. */
  const discard = (received: Received) => unlink(received.path).catch(() => {})

  return { receive, discard, newPath, forgetUnfinished }
}
