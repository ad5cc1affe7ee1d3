import { randomBytes } from 'node:crypto'
import { link, mkdir, open, opendir, readFile, rm, stat, unlink, utimes } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { keepNewest } from '#kernel/keep-newest.ts'
import { missing, sync, syncTogether, writeOnce, writeSynced } from '../files/disk.ts'
import { openSpool } from './spool.ts'
import {
  type FileStorage,
  isKey,
  KeyTaken,
  type ListedFile,
  MissingFile,
  markName,
  requireKey,
  requirePrefix,
} from './storage.ts'

export const readMarkIn = (folder: string) => readFile(join(folder, markName), 'utf8').catch(missing)

export async function markIn(folder: string, text: string, draft?: string): Promise<void> {
  if (!(await writeOnce(join(folder, markName), text, draft))) throw new KeyTaken(markName)
}

/** Each tenant has some 256. Of one that was forgotten the name is synced again. */
const most_on_disk = 100_000
/** Larger than the 64 KiB of Node's streams, which makes a large download a fifth faster. */
const read_bytes = 256 * 1024

/**
 * Files in a folder of this machine, or of a volume that several machines share. The file system must support hard links, as every POSIX
 * one does. The spool is in the same file system, because a link cannot reach another. Keys never begin with a dot.
 */
export async function openLocalStorage(folder: string, spoolFolder = join(folder, '.tmp')): Promise<FileStorage> {
  const root = resolve(folder)
  const spool = await openSpool(spoolFolder)
  const pathOf = (key: string) => join(root, requireKey(key))

  /** Gives an existing file another name, which is on the disk when it resolves. */
  async function linkTo(existing: string, path: string) {
    const place = () => link(existing, path) // a rename would replace a file that another process has put there
    await place().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await place()
    })
    try {
      await syncTogether(dirname(path))
      await syncLeadingTo(dirname(path))
    } catch (error) {
      await rm(path, { force: true }).catch(() => {}) // the first error is reported
      throw error
    }
  }

  /** The folders below the root whose names are on the disk, and which they are: one that was made anew is another. */
  const onDisk = new Map<string, string>()

  /** Another upload may have just made the folder, or one above it, so that this is not on the disk yet. */
  async function syncLeadingTo(folder: string) {
    for (let each = folder; each !== root; each = dirname(each)) {
      const { ino, birthtimeNs } = await stat(each, { bigint: true })
      // Some file systems give the number of a removed folder to the next one.
      const which = `${ino} ${birthtimeNs}`
      if (onDisk.get(each) === which) continue
      await syncTogether(dirname(each))
      keepNewest(onDisk, each, which, most_on_disk)
    }
  }

  async function remove(key: string) {
    const path = pathOf(key)
    await unlink(path).then(() => syncTogether(dirname(path)), missing)
  }

  async function* listBelow(prefix: string): AsyncGenerator<ListedFile> {
    const folder = await opendir(join(root, prefix)).catch(missing)
    for await (const entry of folder ?? []) {
      const key = prefix + entry.name
      // Hidden folders are not of tenants; the spool is one.
      if (entry.isDirectory() && !entry.name.startsWith('.')) yield* listBelow(`${key}/`)
      if (!entry.isFile() || !isKey(key)) continue
      const found = await stat(join(root, key)).catch(missing)
      if (found) yield { key, size_bytes: found.size, modified_at: found.mtime }
    }
  }

  return {
    receive: (source, { max_bytes, isToKeep = false }) => spool.receive(source, { max_bytes, isSynced: isToKeep }),
    discard: spool.discard,
    forgetUnfinished: spool.forgetUnfinished,

    async keep(received, key) {
      const path = pathOf(key)
      if (!received.isSynced) await sync(received.path)
      await linkTo(received.path, path)
      await spool.discard(received)
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

    async *list(prefix) {
      yield* listBelow(requirePrefix(prefix))
    },

    async move(key, to) {
      const [path, target] = [pathOf(key), pathOf(to)]
      const now = new Date()
      await utimes(path, now, now).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new MissingFile(key, { cause: error }) : error
      })
      await linkTo(path, target).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error // a move that was cut off left it
      })
      await remove(key)
    },

    remove,
    erase: remove,

    readMark: () => readMarkIn(root),
    mark: text => markIn(root, text, spool.newPath()),

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
