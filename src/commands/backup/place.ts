import { createReadStream, existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#platform/config.ts'
import { makeFolder, sync } from '#platform/files/disk.ts'
import { markIn, openLocalStorage, readMarkIn } from '#platform/storage/local.ts'
import { type Mark, markText, parseMark, readMark } from '#platform/storage/mark.ts'
import { openStorage, placeOf } from '#platform/storage/open.ts'
import { type FileStorage, isCheck, markName } from '#platform/storage/storage.ts'
import { Refusal } from '../command.ts'
import { copy, storeFailed } from '../storage/copy.ts'
import { copyFiles, each, readFileList } from './files.ts'
import { fileList, filePath } from './manifest.ts'
import { lines } from './messages.ts'

/** The target of the files of a backup. */
export interface Place {
  /** Refuses a place that is not empty. */
  refuseUsed(): Promise<void>
  /** Copies all files and compares them with their records. Resolves to a store of them until `settle`. */
  bring(): Promise<FileStorage>
  /** The installation of the store, by its mark. */
  readMark(): Promise<Mark | undefined>
  /** The last step before the rows are committed: gives the files their places, and marks the store with `mark`, if given. */
  settle(mark: Mark | undefined): Promise<void>
  /** Removes the files after a failure. */
  takeBack(): Promise<void>
  close(): Promise<void>
}

export const openPlace = async (config: Config, folder: string): Promise<Place> =>
  config.storage.type === 'local' ? folderPlace(config, folder) : bucketPlace(config, folder)

/** Below UPLOAD_DIR, because files are renamed out of it, which needs one file system. No key begins with a dot. */
const stagingName = '.restoring'

/** The files are complete on the disk under another name, and one rename puts all in place. */
function folderPlace({ upload_dir }: Config, folder: string): Place {
  const staging = join(upload_dir, stagingName)
  const placed: string[] = []
  return {
    async refuseUsed() {
      const names = existsSync(upload_dir) ? await readdir(upload_dir) : []
      const files = names.filter(name => !name.startsWith('.') && ![markName, 'lost+found'].includes(name))
      if (files.length > 0) throw new Refusal(lines.restore_folder_used({ folder: upload_dir }))
    },
    async bring() {
      await rm(staging, { recursive: true, force: true })
      await makeFolder(staging)
      await copyFiles(
        readFileList(join(folder, fileList)),
        async key => createReadStream(filePath(folder, key)),
        staging,
      )
      return openLocalStorage(staging)
    },
    async readMark() {
      const text = await readMarkIn(upload_dir)
      return text === undefined ? undefined : parseMark(text)
    },
    async settle(mark) {
      for (const name of (await readdir(staging)).filter(name => !name.startsWith('.'))) {
        await rename(join(staging, name), join(upload_dir, name))
        placed.push(name)
      }
      await sync(upload_dir)
      if (!mark) return
      await markIn(upload_dir, markText(mark))
      placed.push(markName)
    },
    async takeBack() {
      for (const name of placed) await rm(join(upload_dir, name), { recursive: true, force: true })
    },
    close: () => rm(staging, { recursive: true, force: true }),
  }
}

/**
 * Files are copied directly to their keys, and stay there after a failure: they are harmless without rows, the next restore reuses them,
 * and earlier ones may be all that is left of an installation.
 */
async function bucketPlace(config: Config, folder: string): Promise<Place> {
  const storage = await openStorage(config)
  const failed = storeFailed(config)
  const source = { open: async (key: string) => createReadStream(filePath(folder, key)) }
  return {
    async refuseUsed() {
      const file = await firstOther(storage, folder).catch(failed)
      if (file) throw new Refusal(lines.restore_bucket_used({ place: placeOf(config), file }))
    },
    async bring() {
      await each(readFileList(join(folder, fileList)), async file => {
        await copy(source, storage, file)
      }).catch(failed)
      return storage
    },
    readMark: () => readMark(storage).catch(failed),
    async settle(mark) {
      if (mark) await storage.mark(markText(mark)).catch(failed)
    },
    async takeBack() {},
    async close() {
      await storage.close?.()
    },
  }
}

async function firstOther(storage: FileStorage, folder: string): Promise<string | undefined> {
  for await (const { key } of storage.list('')) {
    if (!isCheck(key) && !existsSync(filePath(folder, key))) return key
  }
  return undefined
}
