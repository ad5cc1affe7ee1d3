import { randomUUID } from 'node:crypto'
import { link, mkdir, open, rm, unlink } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Readable } from 'node:stream'

/** Writes what was changed in a file or in a folder's list of names through to the disk, where a loss of power leaves it. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a folder for this user alone, and those that lead to it, so that a loss of power does not take them with what is in them. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = resolve(path); made.length >= first.length; made = dirname(made)) await sync(dirname(made))
}

/** Makes a file for this user alone, on the disk when it resolves. Fails where there is one. */
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
 * The same, where whoever comes second must find the file whole, and never replaces it: answers whether it was made by this call. The
 * draft is a file of its own, in the same file system, until then.
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

/** Reads a file for the last time: it is gone from its folder at once, and from the disk when the stream is closed, however that ends. */
export async function openForTheLastTime(path: string): Promise<Readable> {
  const file = await open(path, 'r')
  await unlink(path)
  return file.createReadStream()
}

/** For `catch`: undefined where there is no such file, any other error as it is. */
export function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
