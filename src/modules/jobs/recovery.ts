import { enqueue } from '#platform/jobs/queue.ts'
import type { Job } from './job.ts'
import { forEachTenant, type Schedule } from './schedule.ts'

/** Queues work again that the records need and the queue has lost: after a restore, or after its process was killed too often. */
export const recoverLost = (jobs: readonly Job[]): Schedule => ({
  name: 'queue.recovery',
  every_minutes: 5,
  round: forEachTenant(async ({ services, write, signal }) => {
    let done = 0
    for (const { queue, find } of jobs) {
      if (signal.aborted) break
      done += await write(async tx => enqueue(tx, queue, await find(tx, services)))
    }
    return { done }
  }),
})
