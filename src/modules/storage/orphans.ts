import type { Tx } from '#platform/db/database.ts'
import type { FileStorage, ListedFile } from '#platform/storage/storage.ts'
import { fromTrash, trashOf } from '#platform/storage/trash.ts'

/** A table whose rows use files. */
export interface FileHolder {
  table: string
  /** The keys among these that a row of the tenant uses. */
  named(tx: Tx, keys: string[]): Promise<string[]>
}

export interface StoredFile {
  key: string
  size_bytes: number
}

/** The work of a sweep, by the current keys of the files. */
export interface Sweep {
  /** Files that no row uses, to be moved into the trash. */
  trash: StoredFile[]
  /** Files that have been in the trash long enough to be removed. */
  remove: StoredFile[]
  /** Files in the trash that a row uses, as after a sweep by another installation: to be moved back. */
  put_back: StoredFile[]
}

const hourMs = 60 * 60 * 1000
/** A younger file may belong to an upload whose row is not committed yet. */
const sparedHours = 24
const trashDays = 30
/** The limit of one sweep; the next one finds the rest. */
const maxFiles = 500
const batchSize = 200
/** More orphans than this, and more than used files, are not leftovers: the store or the database is the wrong one. */
const suspiciousFiles = 20

/** An unfinished upload that began before this moment was given up. */
export const sparedSince = (now: Date) => new Date(now.getTime() - sparedHours * hourMs)

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
    if (size() >= maxFiles) return found
  }
  const removedUntil = now.getTime() - trashDays * 24 * hourMs
  for await (const files of inBatches(storage.list(trashOf(`${tenantId}/`)))) {
    const isNamed = await named(files.map(({ key }) => fromTrash(key)))
    for (const file of files) {
      if (isNamed.has(fromTrash(file.key))) found.put_back.push(plain(file))
      else if (file.modified_at.getTime() < removedUntil) found.remove.push(plain(file))
    }
    if (size() >= maxFiles) return found
  }
  return found
}

/** The tenants with files in the trash, which are few: one pass over the trash of all of them. */
export async function tenantsInTrash(storage: FileStorage): Promise<number[]> {
  const tenants = new Set<number>()
  for await (const { key } of storage.list(trashOf(''))) tenants.add(Number(fromTrash(key).split('/')[0]))
  return [...tenants]
}

const plain = ({ key, size_bytes }: ListedFile): StoredFile => ({ key, size_bytes })

export const isSuspicious = ({ trash, named }: Sweep & { named: number }) =>
  trash.length > suspiciousFiles && trash.length > named

export const isEmpty = ({ trash, remove, put_back }: Sweep) => trash.length + remove.length + put_back.length === 0

async function* inBatches(files: AsyncIterable<ListedFile>): AsyncGenerator<ListedFile[]> {
  let batch: ListedFile[] = []
  for await (const file of files) {
    batch.push(file)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
