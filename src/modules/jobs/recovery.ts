import type { LostWork } from '#modules/accounts'
import { enqueue } from '#platform/jobs/queue.ts'
import type { Round } from '#platform/jobs/timetable.ts'
import type { Job } from './job.ts'
import { forEachTenant, type Schedule } from './schedule.ts'

/** Queues work again that the records need and the queue has lost: after a restore, or after its process was killed too often. */
export const recoverLost = (jobs: readonly Job[]): Schedule => ({
  name: 'queue.recovery',
  every_minutes: 5,
  async round(services, signal) {
    const all: Round = { done: 0, refused: 0, failed: 0 }
    for (const [records, some] of Map.groupBy(jobs, ({ records }) => records)) {
      const part = await recoverSome(some, records)(services, signal)
      for (const count of ['done', 'refused', 'failed'] as const) all[count] += part[count]
    }
    return all
  },
})

const recoverSome = (jobs: readonly Job[], records: LostWork | undefined) =>
  forEachTenant(async ({ services, write, signal }) => {
    let done = 0
    for (const { queue, find } of jobs) {
      if (signal.aborted) break
      done += await write(async tx => enqueue(tx, queue, await find(tx, services)))
    }
    return { done }
  }, records && { task: records })
