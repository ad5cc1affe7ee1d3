import { randomUUID } from 'node:crypto'
import { link, mkdir, open, rm, unlink } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Readable } from 'node:stream'

/** Flushes a file or a folder's list of names to the disk, so that it survives a loss of power. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** By folder, the sync that runs, and the one that begins when it ends. */
const running = new Map<string, Promise<void>>()
const next = new Map<string, Promise<void>>()

/**
 * `sync` of a folder, shared by all who ask while another runs: it begins after each of them has asked. A failure is that of all of them,
 * because the system may call the names written that it has lost.
 */
export function syncTogether(folder: string): Promise<void> {
  const asked = next.get(folder)
  if (asked) return asked
  const begun = (running.get(folder) ?? Promise.resolve())
    .catch(() => {})
    .then(async () => {
      next.delete(folder)
      running.set(folder, begun)
      try {
        await sync(folder)
      } finally {
        if (running.get(folder) === begun) running.delete(folder)
      }
    })
  next.set(folder, begun)
  return begun
}

/** Makes a folder for this user only, with its parents, so that all of them survive a loss of power. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = resolve(path); made.length >= first.length; made = dirname(made)) await sync(dirname(made))
}

/** Makes a file for this user only, which is on the disk when it resolves. Fails if the file exists. */
export async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * The same for several processes: the first one makes the file, and the others find it whole and do not replace it. Resolves to whether
 * this call made it. The draft is a file of its own in the same file system.
 */
export async function writeOnce(
  path: string,
  content: string | Uint8Array,
  draft = `${path}.${randomUUID()}.tmp`,
): Promise<boolean> {
  try {
    await writeSynced(draft, content)
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    await rm(draft, { force: true })
  }
  await sync(dirname(path))
  return true
}

/** Opens a file and removes its name at once, so that its bytes are freed when the stream is closed in any way. */
export async function openForTheLastTime(path: string): Promise<Readable> {
  const file = await open(path, 'r')
  await unlink(path)
  return file.createReadStream()
}

/** For `catch`: undefined for a missing file; any other error is thrown again. */
export function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
