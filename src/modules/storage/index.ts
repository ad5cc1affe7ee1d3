import { Type } from 'typebox'
import { command, type PrepareContext } from '#action'
import { conflict } from '#kernel/errors.ts'
import { Body } from '#kernel/schema.ts'
import { attachmentFiles } from '#modules/casework'
import { documentFiles } from '#modules/documents'
import { forEachDue, type Schedule, type TenantRound } from '#modules/jobs'
import { migrationFiles } from '#modules/migrations-in'
import { uploadFiles } from '#modules/uploads'
import { MissingFile } from '#platform/storage/storage.ts'
import { fromTrash, trashOf } from '#platform/storage/trash.ts'
import { messages } from './messages.ts'
import {
  type FileHolder,
  findOrphans,
  isEmpty,
  isSuspicious,
  namedOf,
  type StoredFile,
  type Sweep,
  sparedSince,
  tenantsInTrash,
} from './orphans.ts'
import { noteSwept } from './queries.ts'

export type { FileHolder, Sweep } from './orphans.ts'

const Files = Type.Array(Type.Object({ key: Type.String(), size_bytes: Type.Integer() }))
const maxListedKeys = 100

/** The audit fields about some files: how many, their size and their keys. */
const summaryOf = (files: StoredFile[], name: string) =>
  files.length === 0
    ? {}
    : {
        [`${name}_files`]: files.length,
        [`${name}_bytes`]: files.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
        [`${name}_keys`]: files.slice(0, maxListedKeys).map(({ key }) => key),
      }

/**
 * Removes files that no record uses, such as that of an upload that was cut off between its file and its row. They are first moved to a
 * trash in the same store, and removed from it after 30 days.
 */
export function storageSweep(holders: readonly FileHolder[]) {
  const find = ({ tenantId, services, read }: Pick<TenantRound, 'tenantId' | 'services' | 'read'>) =>
    findOrphans(holders, { tenantId, storage: services.storage, now: services.clock.now(), read })

  const removeOrphans = command({
    summary: 'Remove files that no record uses',
    permission: 'platform.manage_tenants',
    input: { body: Body({ trash: Files, remove: Files, put_back: Files }) },
    response: Type.Null(),
    /** Files are moved before the transaction and moved back if it fails, because a row may have begun to use one. Removed files have been in the trash for weeks. */
    async prepare({ read, services: { storage }, ifRefused }: PrepareContext, { body }) {
      const named = await read(tx =>
        namedOf(tx, holders, [...body.trash.map(({ key }) => key), ...body.remove.map(({ key }) => fromTrash(key))]),
      )
      const remove = body.remove.filter(({ key }) => !named.has(fromTrash(key)))
      const trash: StoredFile[] = []
      for (const file of body.trash.filter(({ key }) => !named.has(key))) {
        const { key } = file
        const isMoved = await storage.move(key, trashOf(key)).then(
          () => true,
          error => {
            if (error instanceof MissingFile) return false // another sweep has moved it
            throw error
          },
        )
        if (!isMoved) continue
        trash.push(file)
        ifRefused(() => storage.move(trashOf(key), key))
      }
      for (const { key } of body.put_back) await storage.move(key, fromTrash(key))
      for (const { key } of remove) await storage.remove(key)
      return { trash, remove }
    },
    async run({ tx, record, prepared: { trash, remove } }, { body: { put_back } }) {
      const named = await namedOf(
        tx,
        holders,
        trash.map(({ key }) => key),
      )
      if (named.size > 0) throw conflict(messages.storage_file_in_use())
      const after = {
        ...summaryOf(trash, 'trashed'),
        ...summaryOf(remove, 'removed'),
        ...summaryOf(put_back, 'put_back'),
      }
      record('storage.swept', null, { after })
      return null
    },
  })

  /** The files to sweep in a tenant. A suspicious number of them is logged and left alone. */
  async function due(context: TenantRound): Promise<{ body: Sweep }[]> {
    const { services, tenantId } = context
    const { named, ...found } = await find(context)
    if (isSuspicious({ ...found, named })) {
      const seen = `in tenant ${tenantId}, records use ${named} files, and no record uses ${found.trash.length} or more`
      services.log.error(
        `The store is not swept: ${seen}. Is it the store of this database? If so: qms storage sweep --force`,
      )
      return []
    }
    if (!isEmpty(found)) return [{ body: found }]
    await context.write(tx => noteSwept(tx, services.clock.now()))
    return []
  }

  const schedule: Schedule = {
    name: 'storage.sweep',
    every_minutes: 24 * 60,
    round: forEachDue({
      where: {
        task: 'storage.sweep',
        async also({ storage, clock }) {
          await storage.forgetUnfinished(sparedSince(clock.now()))
          return tenantsInTrash(storage)
        },
      },
      due,
      action: removeOrphans,
    }),
  }
  return { schedule, find, removeOrphans }
}

/**
 * The tables whose rows name files. The sweep removes files that none of them names. A file of an upload becomes one of an attachment, and one
 * of an imported batch becomes one of a record, so that these are looked at first.
 */
export const fileHolders: readonly FileHolder[] = [uploadFiles, migrationFiles, documentFiles, attachmentFiles]
export const sweep = storageSweep(fileHolders)

export { isEmpty, isSuspicious } from './orphans.ts'
