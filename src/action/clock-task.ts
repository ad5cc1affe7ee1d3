import { AppError } from '#kernel/errors.ts'
import { type Database, isConnectionLost, type Tx } from '#platform/db/database.ts'
import { createReport } from '#platform/error-tracking/report.ts'
import type { Action, Actor, AnyAction, Input, Origin, Parts, Runner, Services } from './index.ts'

/** The context in which a task finds due work in a tenant. */
export interface DueContext {
  tenantId: number
  services: Services
  /** A short transaction of the tenant that only reads. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** A scheduled task, such as effective dates, reminders and sweeps. */
export interface ClockTask<Item = unknown> {
  /** Its name in the log and in the status report, such as `documents.make_effective`. */
  name: string
  every_minutes: number
  /** The inputs of the action that are due in this tenant now. Their number is bounded; the next run finds the rest. */
  due(context: DueContext): Promise<Item[]>
  /** Run once for each input, as the system. It must refuse with a 409 if the work was done meanwhile. */
  // biome-ignore lint/suspicious/noExplicitAny: a table of tasks holds actions of every input
  action: Action<any, any, any>
}

/** Ties the type of the due inputs to that of the action. */
export const clockTask = <P extends Parts>(
  // biome-ignore lint/suspicious/noExplicitAny: whatever the action answers is not looked at
  task: Omit<ClockTask<Input<P>>, 'action'> & { action: Action<P, any, any> },
): ClockTask => task as ClockTask

/** Counts of one run: `refused` was done by somebody else meanwhile; `failed` is in the log and is tried again. */
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
  /** When aborted, the rest is left to the next run. */
  signal?: AbortSignal | undefined
}

const origin: Origin = { requestId: '', clientAddr: '' }

/**
 * Runs a task once in one tenant. A failed item does not stop the others, nor a failed tenant the next one. Only without a database the
 * run itself fails.
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
