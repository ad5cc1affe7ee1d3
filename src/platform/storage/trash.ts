import { type ByteRange, type FileStorage, MissingFile } from './storage.ts'

/** Files that no record used when the store was swept lie below this for 30 days. */
const trash = 'trash/'
export const trashOf = (key: string) => `${trash}${key}`
export const fromTrash = (key: string) => key.slice(trash.length)

/**
 * Opens a file that is in the trash, and puts it back first. Whoever opens a file has its key from a record, so the file is in use. It gets
 * into the trash where the clock jumps over the time that a sweep waits, between the file of an upload and its row.
 */
export function withTrash(storage: FileStorage): FileStorage {
  async function open(key: string, range?: ByteRange) {
    try {
      return await storage.open(key, range)
    } catch (error) {
      if (!(error instanceof MissingFile) || key.startsWith(trash)) throw error
      await storage.move(trashOf(key), key).catch(failed => {
        // It is in no trash, or another reader has put it back at this moment.
        if (!(failed instanceof MissingFile)) throw failed
      })
      return storage.open(key, range)
    }
  }
  return { ...storage, open }
}
