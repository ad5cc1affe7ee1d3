import type { Action, AnyAction, Input, Origin, Parts, Services } from '#action'
import { AppError } from '#kernel/errors.ts'
import { activeTenants, systemActor, type Task, tenantsWithWork } from '#modules/accounts'
import { isConnectionLost, type Tx } from '#platform/db/database.ts'
import { createReport } from '#platform/error-tracking/report.ts'
import { isBrokenOff } from '#platform/jobs/boss.ts'
import type * as timetable from '#platform/jobs/timetable.ts'
import type { Round } from '#platform/jobs/timetable.ts'

/** Recurring work, such as effective dates, reminders and sweeps. src/app.ts lists them all. */
export type Schedule = timetable.Schedule<Services>

/** One tenant's part of a round. */
export interface TenantRound {
  tenantId: number
  services: Services
  /** A short transaction of the tenant that only reads. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** A transaction of the tenant without an audit entry: only for rows that are derived from records, and for the queue. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  signal: AbortSignal
}

/** Where the round has something to do. Without it, each active tenant is looked at. */
export interface Where {
  task: Task
  /** The moment before which records must have been made to be due; the present one by default. */
  before?(services: Services): Date
  /** Tenants in which something outside of the database is due, which is asked once in a round. Those that are not active are left out. */
  also?(services: Services): Promise<number[]>
}

async function tenantsIn(services: Services, where: Where | undefined): Promise<number[]> {
  const { database, clock } = services
  if (!where) return activeTenants(database)
  const others = new Set(await where.also?.(services))
  const found = await tenantsWithWork(database, where.task, where.before?.(services) ?? clock.now())
  const unknown = others.difference(new Set(found))
  return unknown.size === 0 ? found : [...found, ...(await activeTenants(database)).filter(id => unknown.has(id))]
}

const origin: Origin = { requestId: '', clientAddr: '' }

/**
 * A round that does the work once in each active tenant, or in those with something due. A tenant whose part fails does not stop the
 * others; only without a database the round itself fails.
 */
export function forEachTenant(
  work: (tenant: TenantRound) => Promise<Partial<Round>>,
  where?: Where,
): Schedule['round'] {
  return async (services, signal) => {
    const { database } = services
    const all: Round = { done: 0, refused: 0, failed: 0 }
    const tenants = await tenantsIn(services, where).catch(error => {
      all.failed += 1
      reportFailure(services, error, signal)
      return []
    })
    for (const tenantId of tenants) {
      if (signal.aborted) break
      const bound =
        (access: 'read only' | 'read write'): TenantRound['read'] =>
        work =>
          database.transaction({ tenantId, userId: null }, access, work, { canRunAgain: true })
      const part: Partial<Round> = await work({
        tenantId,
        services,
        read: bound('read only'),
        write: bound('read write'),
        signal,
      }).catch(error => reportFailure(services, error, signal))
      for (const count of ['done', 'refused', 'failed'] as const) all[count] += part[count] ?? 0
    }
    return all
  }
}

/**
 * A round that runs the action as the system of each tenant, once for each input that is due. `due` answers a bounded number, and the
 * next round finds the rest. The action must refuse with a 409 if the work was done meanwhile. A failed item does not stop the others.
 */
export function forEachDue<P extends Parts>({
  where,
  due,
  action,
}: {
  where?: Where
  due(tenant: TenantRound): Promise<Input<P>[]>
  // biome-ignore lint/suspicious/noExplicitAny: whatever the action answers is not looked at
  action: Action<P, any, any>
}): Schedule['round'] {
  return forEachTenant(async tenant => {
    const { services, tenantId, signal } = tenant
    const part: Round = { done: 0, refused: 0, failed: 0 }
    for (const item of await due(tenant)) {
      if (signal.aborted) break
      try {
        await services.runner.run(action as AnyAction, systemActor(tenantId), item as never, { origin })
        part.done += 1
      } catch (error) {
        if (error instanceof AppError) part.refused += 1
        else {
          reportFailure(services, error, signal)
          part.failed += 1
        }
      }
    }
    return part
  }, where)
}

/** Throws what ends the whole round: the loss of the database, and the end of the process. */
function reportFailure({ log, tracker }: Services, error: unknown, signal: AbortSignal): Partial<Round> {
  if (isConnectionLost(error) || isBrokenOff(error, signal)) throw error
  createReport(log, tracker)(error)
  return { failed: 1 }
}
