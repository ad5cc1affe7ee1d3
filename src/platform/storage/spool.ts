import { createHash, randomUUID } from 'node:crypto'
import { open, readdir, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { tooLarge } from '#kernel/errors.ts'
import { makeFolder, missing } from '../files/disk.ts'
import { messages } from '../files/messages.ts'
import { asFailure } from './failure.ts'
import type { Received } from './storage.ts'

const head_bytes = 4_100
/** As much as an inspection reads at a time. */
const whole_bytes = 256 * 1024
const abandonedAfterMs = 24 * 60 * 60 * 1000

/** A copy, so that the pieces that it is from are not held in memory. */
const headOf = (pieces: readonly Uint8Array[]) => Buffer.from(Buffer.concat(pieces).subarray(0, head_bytes))

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

  async function receive(
    source: AsyncIterable<Uint8Array>,
    { max_bytes, isSynced = false }: { max_bytes: number; isSynced?: boolean },
  ): Promise<Received> {
    const path = newPath()
    const file = await open(path, 'wx', 0o600).catch(asFailure)
    try {
      const hash = createHash('sha256')
      let held: Uint8Array[] = []
      let head: Buffer | undefined
      let size_bytes = 0
      for await (const chunk of source) {
        size_bytes += chunk.length
        if (size_bytes > max_bytes) throw tooLarge(messages.file_too_large({ maximum_bytes: max_bytes }))
        if (!head) held.push(chunk)
        if (!head && size_bytes > whole_bytes) {
          head = headOf(held)
          held = []
        }
        const written = file.writeFile(chunk).catch(asFailure)
        hash.update(chunk) // while the disk is at work
        await written
      }
      if (isSynced) await file.sync().catch(asFailure)
      await file.close().catch(asFailure) // some file systems report a failed write only here
      const found = { path, size_bytes, sha256: hash.digest('hex'), isSynced }
      if (head) return { ...found, head }
      const whole = Buffer.concat(held)
      return { ...found, head: whole.subarray(0, head_bytes), whole }
    } catch (error) {
      await file.close().catch(() => {})
      // The first error is reported. A file that cannot be removed now is removed after 24 hours.
      await rm(path, { force: true }).catch(() => {})
      throw error
    }
  }

  /** A path in the spool that no other process uses. */
  const newPath = () => join(folder, randomUUID())

  const discarded = new WeakSet<Received>()

  /** Never fails, because the answer must not depend on it. A file that cannot be removed now is removed after 24 hours. */
  const discard = async (received: Received) => {
    if (discarded.has(received)) return
    await unlink(received.path).then(
      () => discarded.add(received),
      () => {},
    )
  }

  return { receive, discard, newPath, forgetUnfinished }
}
