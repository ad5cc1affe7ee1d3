import { createHash, randomUUID } from 'node:crypto'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { tooLarge } from '#kernel/errors.ts'
import { makeFolder, missing } from '../files/disk.ts'
import { messages } from '../files/messages.ts'
import { asFailure } from './failure.ts'

/** A file that has arrived whole and lies in the spool until it is kept or discarded. */
export interface Received {
  /** Where it lies on this machine. */
  path: string
  size_bytes: number
  /** In hexadecimal. */
  sha256: string
  /** The first 4,100 bytes or all there are: what it takes to tell what kind of file it is. */
  head: Buffer
}

const head_bytes = 4_100
const abandoned_after_ms = 24 * 60 * 60 * 1000

/**
 * The folder that uploads pass through, whatever they are kept in afterwards.
 *
 * Several processes may share it. What a killed one left behind goes when the folder is next opened; only files that
 * nobody has written to for 24 hours, because the others are perhaps being received.
 */
export async function openSpool(folder: string) {
  await makeFolder(folder)
  await forgetUnfinished(new Date(Date.now() - abandoned_after_ms))

  /** What nobody has written to since then. */
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
        if (size_bytes > max_bytes)
          throw tooLarge(messages.file_too_large({ maximum_bytes: max_bytes }))
        const written = file.writeFile(chunk).catch(asFailure)
        hash.update(chunk) // while the disk is at work
        await written
      }
      await file.close().catch(asFailure) // some file systems say only here what they could not write
      return { path, size_bytes, sha256: hash.digest('hex'), head: Buffer.concat(head) }
    } catch (error) {
      await file.close().catch(() => {})
      // What went wrong first is what the caller must hear of; a file that cannot be removed now goes after 24 hours.
      await rm(path, { force: true }).catch(() => {})
      throw error
    }
  }

  /** A path in the spool that no other process uses. */
  const newPath = () => join(folder, randomUUID())

  /** Never in the way of what is answered: what cannot be removed now goes after 24 hours. */
  const discard = (received: Received) => rm(received.path, { force: true }).catch(() => {})

  return { receive, discard, newPath, forgetUnfinished }
}
