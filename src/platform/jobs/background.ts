import type { Database } from '../db/database.ts'
import type { Report } from '../error-tracking/report.ts'
import type { Log } from '../log/log.ts'
import { openBoss, type Timing } from './boss.ts'
import { openQueue, type Queue, type QueuedWork } from './queue.ts'
import { openRecurringJobs, type RecurringJob, type RecurringJobs } from './recurring.ts'

/** The work of a process besides answering: recurring jobs and queued work. */
export type BackgroundWork = RecurringJobs & Queue

export function openBackgroundWork(
  { recurring, queued }: { recurring: readonly RecurringJob[]; queued: readonly QueuedWork[] },
  outside: { database: Database; log: Log; report: Report; timing?: Partial<Timing> },
): BackgroundWork {
  const boss = openBoss(outside)
  const jobs = openRecurringJobs(recurring, boss)
  const queue = openQueue(queued, boss, outside.database)
  return {
    ...jobs,
    ...queue,
    start() {
      jobs.start()
      queue.start()
    },
    async stop() {
      await Promise.all([jobs.stop(), queue.stop()])
      await boss.stop()
    },
  }
}
