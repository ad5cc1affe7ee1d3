import { activeTenants } from '#modules/accounts'
import type { Database } from '#platform/db/database.ts'
import { enqueue, type QueuedWork } from '#platform/jobs/queue.ts'
import type { RecurringJob, Run } from '#platform/jobs/recurring.ts'

/** Queues work again that the records need and the queue has lost: after a restore, or after its process was killed too often. */
export const requeueLost = (works: readonly QueuedWork[], database: Database): RecurringJob => ({
  name: 'queue.recovery',
  every_minutes: 5,
  async run(signal) {
    const result: Run = { done: 0, refused: 0, failed: 0 }
    for (const tenantId of await activeTenants(database))
      for (const { name, find } of works) {
        if (signal.aborted) return result
        result.done += await database.transaction({ tenantId, userId: null }, 'read write', async tx =>
          enqueue(tx, name, await find(tx)),
        )
      }
    return result
  },
})
