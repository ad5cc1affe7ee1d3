import type { PgBoss } from 'pg-boss'
import { type Database, isConnectionLost } from '../db/database.ts'
import type { Report } from '../error-tracking/report.ts'
import type { Log } from '../log/log.ts'

export type Timing = typeof usualTiming
export const usualTiming = {
  minute_ms: 60_000,
  /** After this silence of a killed process another one takes its work over. */
  heartbeat_s: 20,
  supervise_s: 20,
  /** Polling for rounds to take over. A round that is due at its minute does not wait for it. */
  poll_s: 15,
  /** Polling for queued work of another process, or whose next attempt is due. */
  queue_poll_s: 4,
  retry_s: 15,
  between_tries_ms: 5_000,
}

type Execute = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>

/** The queue without timers. Its statements go through `executeSql`, which may be a transaction of ours. */
export async function bossOn(executeSql: Execute, { supervise_s } = usualTiming): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss')
  return new PgBoss({
    db: { executeSql },
    schema: 'pgboss',
    // Our migrations create its schema.
    migrate: false,
    createSchema: false,
    schedule: false,
    reindex: false,
    monitorVacuum: false,
    superviseIntervalSeconds: supervise_s,
    monitorIntervalSeconds: supervise_s,
    maintenanceIntervalSeconds: 600,
    queueCacheIntervalSeconds: 600,
    flowIntervalSeconds: 3600,
  })
}

/** The queue that this process works with. */
export interface Boss {
  /** Starts at the first call; throws while the database does not answer. */
  started(): Promise<PgBoss>
  stop(): Promise<void>
  outages: OutageLog
  timing: Timing
}

export function openBoss({
  database,
  log,
  report,
  timing: own = {},
}: {
  database: Database
  log: Log
  report: Report
  timing?: Partial<Timing>
}): Boss {
  const timing = { ...usualTiming, ...own }
  const outages = outageLog(log, report)
  let starting: Promise<PgBoss> | undefined

  const start = async () => {
    const boss = await bossOn((text, values) => database.queueStatement(text, values), timing)
    boss.on('error', error => outages.failed(error))
    try {
      return await boss.start()
    } catch (error) {
      await boss.stop({ graceful: false, close: false }).catch(() => {})
      throw error
    }
  }
  return {
    outages,
    timing,
    started() {
      starting ??= start().catch(error => {
        starting = undefined
        throw error
      })
      return starting
    },
    async stop() {
      const boss = await starting?.catch(() => undefined)
      await boss?.stop({ graceful: false, close: false })
    },
  }
}

/** Tells work that ended because its process stops from a failure, so that a restart alerts nobody. */
export const isBrokenOff = (thrown: unknown, stopping: AbortSignal) =>
  stopping.aborted && thrown instanceof Error && thrown.name === 'AbortError'

export interface OutageLog {
  failed(thrown: unknown, job?: string): void
  wentWell(job?: string): void
}

/** Logs an outage when it begins and when it ends, not at each try: a database may be away for hours. */
export function outageLog(log: Log, report: Report): OutageLog {
  let isWaiting = false
  const failing = new Set<string>()
  return {
    failed(thrown, job) {
      if (job === undefined || isConnectionLost(thrown)) {
        if (!isWaiting) log.warn(`background work waits: ${(thrown as Error).message}`)
        isWaiting = true
      } else if (!failing.has(job)) {
        failing.add(job)
        report(thrown)
      }
    },
    wentWell(job) {
      if (isWaiting) log.info('background work goes on')
      isWaiting = false
      if (job !== undefined && failing.delete(job)) log.info(`${job} works again`)
    },
  }
}
