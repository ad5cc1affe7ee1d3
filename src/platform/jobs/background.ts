import type { Database } from '../db/database.ts'
import type { Report } from '../error-tracking/report.ts'
import type { Log } from '../log/log.ts'
import { openBoss, type Timing } from './boss.ts'
import { type AnyJob, openQueue, type Queue } from './queue.ts'
import { openTimetable, type Schedule, type Timetable } from './timetable.ts'

/** The work of a process besides answering: its schedules and its jobs. */
export type BackgroundWork = Timetable & Queue

interface Work<Context> {
  schedules: readonly Schedule<Context>[]
  /** False in a process that leaves the rounds to others, and knows how they went. */
  takesRounds?: boolean
  /** Those of this process. */
  jobs: readonly AnyJob<Context>[]
}

/** The context goes to every round and item. */
export function openBackgroundWork<Context>(
  { schedules, takesRounds = true, jobs }: Work<Context>,
  context: Context,
  outside: { database: Database; log: Log; report: Report; timing?: Partial<Timing> },
): BackgroundWork {
  const boss = openBoss(outside)
  const timetable = openTimetable(schedules, context, boss, outside.database, { takesRounds })
  const queue = openQueue(jobs, context, boss, outside.database)
  return {
    ...timetable,
    ...queue,
    start() {
      timetable.start()
      if (jobs.length > 0) queue.start()
    },
    async stop() {
      await Promise.all([timetable.stop(), queue.stop()])
      await boss.stop()
    },
  }
}
