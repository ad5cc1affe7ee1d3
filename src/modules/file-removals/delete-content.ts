import type { Origin, Services } from '#action'
import { systemActor } from '#modules/accounts'
import { forEachTenant, type Job, type Schedule } from '#modules/jobs'
import { findRemovalOf, judgeRemoval, readTrustedKeys } from '#modules/signatures'
import type { QueueItem } from '#platform/jobs/queue.ts'
import { trashOf } from '#platform/storage/trash.ts'
import { reasons } from './messages.ts'
import { findRemovedKey, listApproved, listRemovedAfter, markRemoved } from './queries.ts'
import { numberOf } from './rules.ts'

interface RemovalItem {
  tenant_id: number
  id: number
}

const jobName = 'file_removals.delete_content'
const maxRequeued = 1_000
const perPage = 500
const origin: Origin = { requestId: '', clientAddr: '' }

export const itemOf = ({ tenant_id, id }: RemovalItem): QueueItem => ({
  job: jobName,
  key: `${jobName}/${tenant_id}/${id}`,
  tenant_id,
  data: { tenant_id, id },
})

/**
 * Deletes the content of a file after its removal was approved: a process that is killed in between leaves it to the next one, and nothing
 * is deleted before the decision is committed.
 */
export const deleteContentJob: Job<RemovalItem> = {
  name: jobName,
  queue: 'background_jobs',
  at_once: 1,
  run: deleteContent,
  records: 'file_removals',
  find: async tx => (await listApproved(tx, maxRequeued)).map(itemOf),
}

async function deleteContent(services: Services, { tenant_id, id }: RemovalItem) {
  if (!(await eraseFile(services, { tenant_id, id }))) return
  await services.runner.inSeparateTransaction(systemActor(tenant_id), origin, async ({ tx, record }) => {
    if (await markRemoved(tx, id))
      record('file_removal.completed', id, {
        number: numberOf(id),
        before: { status: 'approved' },
        after: { status: 'removed' },
      })
  })
}

/** Returns false if there is nothing to erase. Rows alone delete nothing: two people have sealed the removal of this very file. */
async function eraseFile(
  { database, signingKey, storage }: Services,
  { tenant_id, id }: RemovalItem,
): Promise<boolean> {
  const { removal, key, trusted } = await database.transaction(
    { tenantId: tenant_id, userId: null },
    'read only',
    async tx => ({
      removal: await findRemovalOf(tx, id),
      key: await findRemovedKey(tx, id),
      trusted: await readTrustedKeys(tx, [signingKey]),
    }),
  )
  if (!removal || key === undefined) return false
  const { isGenuine, statement } = judgeRemoval(removal, trusted)
  if (!isGenuine) throw new Error(`${statement.text}, so the file is not deleted`)
  await storage.erase(key)
  await storage.erase(trashOf(key))
  return true
}

/** A store that was restored from an older copy has the content of removed files again. */
export const deleteRestored: Schedule = {
  name: 'file_removals.delete_restored',
  every_minutes: 24 * 60,
  round: forEachTenant(
    async ({ tenantId: tenant_id, services, read, signal }) => {
      let done = 0
      for (let after = 0; !signal.aborted; ) {
        const page = await read(tx => listRemovedAfter(tx, after, perPage))
        for (const { id, key } of page) {
          const { storage, runner } = services
          if (!((await storage.stat(key)) ?? (await storage.stat(trashOf(key))))) continue
          if (!(await eraseFile(services, { tenant_id, id }))) continue
          await runner.inSeparateTransaction(systemActor(tenant_id), origin, async ({ record }) =>
            record('file_removal.repeated', id, {
              number: numberOf(id),
              reason: reasons.reason_content_restored().text,
            }),
          )
          done += 1
        }
        if (page.length < perPage) break
        after = page.at(-1)!.id
      }
      return { done }
    },
    { task: 'file_removals.delete_restored' },
  ),
}
