import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { missing, sync, writeSynced } from '../files/disk.ts'
import { openSpool } from './spool.ts'
import { type FileStorage, MissingFile, requireKey } from './storage.ts'

/** Larger than the 64 KiB of Node's streams: a large download is a fifth faster by it. */
const read_bytes = 256 * 1024

/** Files in a folder of this machine, or of a volume that several machines share. It must be able to link: every POSIX one is. */
export async function openLocalStorage(folder: string): Promise<FileStorage> {
  const root = resolve(folder)
  // A folder of the same file system, because a link cannot reach another; keys never begin with a dot.
  const spool = await openSpool(join(root, '.tmp'))
  const pathOf = (key: string) => join(root, requireKey(key))

  return {
    receive: spool.receive,
    discard: spool.discard,

    async keep(received, key) {
      const path = pathOf(key)
      await sync(received.path)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await link(received.path, path) // a rename would replace the file that another has put there
      try {
        // Up to the root each time: a folder that another upload has just made may not be on the disk yet.
        for (let parent = dirname(path); parent !== dirname(root); parent = dirname(parent)) await sync(parent)
      } catch (error) {
        await rm(path, { force: true }).catch(() => {}) // the first error is the one to tell
        throw error
      }
      await spool.discard(received).catch(() => {}) // it is kept all the same, and the spool is cleared of it later
    },

    async open(key, range) {
      const path = pathOf(key)
      const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new MissingFile(key, { cause: error }) : error
      })
      return file.createReadStream({ highWaterMark: read_bytes, ...range })
    },

    async stat(key) {
      const found = await stat(pathOf(key)).catch(missing)
      return found && { size_bytes: found.size }
    },

    async remove(key) {
      const path = pathOf(key)
      await unlink(path).then(() => sync(dirname(path)), missing)
    },

    async check() {
      const bytes = randomBytes(64)
      const [first, second] = [spool.newPath(), spool.newPath()]
      try {
        await writeSynced(first, bytes)
        await link(first, second)
        if (!bytes.equals(await readFile(second))) throw new Error(`${root} does not give back what was written to it`)
      } finally {
        await rm(first, { force: true })
        await rm(second, { force: true })
      }
    },
  }
}
