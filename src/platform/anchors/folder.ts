import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { missing, sync, writeSynced } from '../files/disk.ts'
import type { AnchorStore } from './store.ts'

/** A note is some hundred bytes for each key that signed it. */
const maxBytes = 16 * 1024
const logPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const namePattern = /^e([1-9]\d{0,9})-([1-9]\d{0,14})\.txt$/
const nameOf = ({ epoch, size }: { epoch: number; size: number }) => `e${epoch}-${size}.txt`

/**
 * A folder on another disk or machine with `LOG/eEPOCH-SIZE.txt`, the newest note of each epoch. A note is written under another name and
 * renamed when it is on the disk. Its name is unique, so that a late process cannot replace a newer note by an older one. Old notes that
 * cannot be removed stay, so that a write-once folder works as well.
 *
 * The folder itself is never created: while its disk is not mounted, it must be missing and not empty.
 */
export function openAnchorFolder(root: string): AnchorStore {
  const named = async (log_id: string) =>
    ((await readdir(join(root, log_id)).catch(missing)) ?? []).flatMap(name => {
      const [, epoch, size] = namePattern.exec(name) ?? []
      return size === undefined ? [] : [{ epoch: Number(epoch), size: Number(size) }]
    })

  return {
    name: `folder:${root}`,

    async logs() {
      return (await readdir(root)).filter(name => logPattern.test(name))
    },

    async list(log_id) {
      await stat(root)
      return (await named(log_id)).sort((a, b) => b.epoch - a.epoch || b.size - a.size)
    },

    async read(log_id, { epoch, size }) {
      const where = join(root, log_id, nameOf({ epoch, size }))
      const note = await readNote(where)
      return note === undefined ? undefined : { note, where }
    },

    async keep(log_id, { epoch, size, note }) {
      const folder = join(root, log_id)
      const isNew = await mkdir(folder, { mode: 0o700 }).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error
          return false
        },
      )
      if (isNew) await sync(root)
      const written = join(folder, `.e${epoch}-${size}.${randomUUID()}`)
      try {
        await writeSynced(written, note)
        await rename(written, join(folder, nameOf({ epoch, size })))
      } catch (error) {
        await rm(written, { force: true }).catch(() => {}) // the first error is reported
        throw error
      }
      await sync(folder)
      for (const older of await named(log_id))
        if (older.epoch === epoch && older.size < size) await unlink(join(folder, nameOf(older))).catch(() => {})
    },

    async check() {
      const path = join(root, `.check-${randomUUID()}`)
      try {
        await writeSynced(path, 'Attest')
      } finally {
        await rm(path, { force: true })
      }
    },
  }
}

async function readNote(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch(missing)
  if (!file) return undefined
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(maxBytes) })
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
