// Files of a form that is not sent yet. Texts are kept in the tab (use-draft.ts); files are too large for that, so they are kept in a
// database of the browser under the random key of their draft, which only that tab knows, and go with the log-out.
const name = 'attest drafts'
const store = 'files'
const longest_ms = 48 * 3_600_000

interface Kept {
  id: string
  draft: string
  at: number
  file: File
}
export type KeptFile = Pick<Kept, 'id' | 'file'>

const answerOf = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

async function open() {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () =>
    request.result.createObjectStore(store, { keyPath: 'id' }).createIndex('draft', 'draft')
  return answerOf(request)
}

async function within<T>(mode: IDBTransactionMode, work: (files: IDBObjectStore) => Promise<T>): Promise<T> {
  const database = await open()
  try {
    return await work(database.transaction(store, mode).objectStore(store))
  } finally {
    database.close()
  }
}

export async function keepFile(draft: string, file: File): Promise<KeptFile> {
  const kept: Kept = { id: crypto.randomUUID(), draft, at: Date.now(), file }
  await within('readwrite', files => answerOf(files.put(kept)))
  return kept
}

export const dropFile = (id: string) => within('readwrite', files => answerOf(files.delete(id)))

/** In the order in which they were chosen. What a tab that is gone has left behind is dropped on the way. */
export const listFiles = (draft: string): Promise<KeptFile[]> =>
  within('readwrite', async files => {
    const all = (await answerOf(files.getAll())) as Kept[]
    for (const { id, at } of all) if (Date.now() - at > longest_ms) files.delete(id)
    return all.filter(each => each.draft === draft).sort((one, other) => one.at - other.at)
  })

export const dropAllFiles = () =>
  new Promise<void>(resolve => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = request.onerror = request.onblocked = () => resolve()
  })
