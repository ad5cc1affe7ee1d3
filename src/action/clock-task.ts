import { AppError } from '#kernel/errors.ts'
import { type Database, isConnectionLost, type Tx } from '#platform/db/database.ts'
import { createReport } from '#platform/error-tracking/report.ts'
import type { Action, Actor, AnyAction, Input, Origin, Parts, Runner, Services } from './index.ts'

/** What looks for due work sees of a tenant. */
export interface DueContext {
  tenantId: number
  services: Services
  /** A short transaction of the tenant that only reads. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** What happens by itself when its time has come: effective dates, reminders, sweeps. */
export interface ClockTask<Item = unknown> {
  /** In the log and in the status report: `documents.make_effective`. */
  name: string
  /** How often it looks. */
  every_minutes: number
  /** The inputs of the action that are due in this tenant now, a bounded number of them; the next look finds the rest. */
  due(context: DueContext): Promise<Item[]>
  /** Done once for each of them, as a command of its own by the system; what was done meanwhile it refuses with a 409. */
  // biome-ignore lint/suspicious/noExplicitAny: a table of tasks holds actions of every input
  action: Action<any, any, any>
}

/** The compiler ties what is due to what the action takes. */
export const clockTask = <P extends Parts>(
  // biome-ignore lint/suspicious/noExplicitAny: whatever the action answers is not looked at
  task: Omit<ClockTask<Input<P>>, 'action'> & { action: Action<P, any, any> },
): ClockTask => task as ClockTask

/** How a look went: `refused` is what somebody else had done meanwhile, `failed` is in the log and is tried again. */
export interface Look {
  done: number
  refused: number
  failed: number
}

interface Parties {
  database: Database
  runner: Runner
  services: Services
  /** The system, in this tenant. */
  actor: Actor
  /** Once it says so, what is left is for the next look. */
  signal?: AbortSignal | undefined
}

const origin: Origin = { requestId: '', clientAddr: '' }

/**
 * One look of a task in one tenant. What goes wrong with one item does not keep the others from being done, nor does a tenant keep
 * the next from being looked at; without a database there is nothing to look at, and the look itself fails.
 */
export async function look(task: ClockTask, { database, runner, services, actor, signal }: Parties): Promise<Look> {
  const { tenantId } = actor
  const read = <T>(work: (tx: Tx) => Promise<T>) =>
    database.transaction({ tenantId, userId: null }, 'read only', work, { canRunAgain: true })
  const result: Look = { done: 0, refused: 0, failed: 0 }
  const failed = (error: unknown) => {
    if (isConnectionLost(error)) throw error
    result.failed += 1
    createReport(services.log, services.tracker)(error)
  }
  const items = await task.due({ tenantId, services, read }).catch(failed)
  for (const item of items ?? []) {
    if (signal?.aborted) break
    try {
      await runner.run(task.action as AnyAction, actor, item as never, { origin })
      result.done += 1
    } catch (error) {
      if (error instanceof AppError) result.refused += 1
      else failed(error)
    }
  }
  return result
}
