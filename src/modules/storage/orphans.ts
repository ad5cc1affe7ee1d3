import type { Tx } from '#platform/db/database.ts'
import type { FileStorage, ListedFile } from '#platform/storage/storage.ts'

/** A table whose rows name files. */
export interface FileHolder {
  table: string
  /** Those of the keys that a row of the tenant names. */
  named(tx: Tx, keys: string[]): Promise<string[]>
}

export interface StoredFile {
  key: string
  size_bytes: number
}

/** What a sweep would do, by the keys that the files have now. */
export interface Sweep {
  /** Files that no row names: into the trash. */
  trash: StoredFile[]
  /** In the trash long enough: removed. */
  remove: StoredFile[]
  /** In the trash although a row names them, as when another installation has swept this store: back. */
  put_back: StoredFile[]
}

const hour_ms = 60 * 60 * 1000
/** Younger files may be those of an upload whose row is yet to come. */
const spared_hours = 24
const trash_days = 30
/** Of one sweep: the next finds the rest. */
const most_files = 500
const looked_up_at_once = 200
/** So many orphans, and more than the files that rows name, are no leftovers: the store or the database is not the right one. */
const suspicious_files = 20

export const trashOf = (key: string) => `trash/${key}`
export const fromTrash = (key: string) => key.slice('trash/'.length)

/** What was begun before then and not finished was given up. */
export const sparedSince = (now: Date) => new Date(now.getTime() - spared_hours * hour_ms)

export async function namedOf(tx: Tx, holders: readonly FileHolder[], keys: string[]): Promise<Set<string>> {
  const named = new Set<string>()
  if (keys.length === 0) return named
  for (const holder of holders) for (const key of await holder.named(tx, keys)) named.add(key)
  return named
}

interface Where {
  tenantId: number
  storage: FileStorage
  now: Date
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** Looks at each file of a tenant. The store is listed between short transactions, page by page. */
export async function findOrphans(
  holders: readonly FileHolder[],
  { tenantId, storage, now, read }: Where,
): Promise<Sweep & { named: number }> {
  const named = (keys: string[]) => read(tx => namedOf(tx, holders, keys))
  const found: Sweep & { named: number } = { trash: [], remove: [], put_back: [], named: 0 }
  const size = () => found.trash.length + found.remove.length + found.put_back.length

  for await (const files of inBatches(storage.list(`${tenantId}/`))) {
    const isNamed = await named(files.map(({ key }) => key))
    for (const file of files) {
      if (isNamed.has(file.key)) found.named += 1
      else if (file.modified_at < sparedSince(now)) found.trash.push(plain(file))
    }
    if (size() >= most_files) return found
  }
  const removedUntil = now.getTime() - trash_days * 24 * hour_ms
  for await (const files of inBatches(storage.list(trashOf(`${tenantId}/`)))) {
    const isNamed = await named(files.map(({ key }) => fromTrash(key)))
    for (const file of files) {
      if (isNamed.has(fromTrash(file.key))) found.put_back.push(plain(file))
      else if (file.modified_at.getTime() < removedUntil) found.remove.push(plain(file))
    }
    if (size() >= most_files) return found
  }
  return found
}

const plain = ({ key, size_bytes }: ListedFile): StoredFile => ({ key, size_bytes })

export const isSuspicious = ({ trash, named }: Sweep & { named: number }) =>
  trash.length > suspicious_files && trash.length > named

export const isEmpty = ({ trash, remove, put_back }: Sweep) => trash.length + remove.length + put_back.length === 0

async function* inBatches(files: AsyncIterable<ListedFile>): AsyncGenerator<ListedFile[]> {
  let batch: ListedFile[] = []
  for await (const file of files) {
    batch.push(file)
    if (batch.length < looked_up_at_once) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
