import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import { Database } from '#platform/db/database.ts'
import { openPool } from '#platform/db/pool.ts'
import { openBackgroundWork } from '#platform/jobs/background.ts'
import type { Timing } from '#platform/jobs/boss.ts'
import type { AnyJob } from '#platform/jobs/queue.ts'
import type { Schedule } from '#platform/jobs/timetable.ts'
import { quiet } from './postgres.ts'

/** A minute lasts two seconds here. */
export const timing = {
  minute_ms: 2000,
  heartbeat_s: 10,
  supervise_s: 1,
  poll_s: 1,
  queue_poll_s: 1,
  retry_s: 0,
  between_tries_ms: 500,
} satisfies Timing

/** `every_ms`: what asks the service or the database over and over keeps them busier than the work that is waited for. */
export async function until(what: () => boolean | Promise<boolean>, within_ms = 60_000, { every_ms = 20 } = {}) {
  for (const deadline = performance.now() + within_ms; !(await what()); await setTimeout(every_ms))
    assert.ok(performance.now() < deadline, `not within ${within_ms} ms`)
}

/**
 * Another process: background work with a pool of its own. After `patience_ms` it considers the database unreachable;
 * most tests set it longer than a machine stands still.
 */
export function openProcess(
  { schedules = [], jobs = [] }: { schedules?: Schedule<undefined>[]; jobs?: AnyJob<undefined>[] },
  app: ClientConfig,
  { patience_ms = 60_000, times = {} }: { patience_ms?: number; times?: Partial<Timing> } = {},
) {
  const lines: string[] = []
  const say = (level: string) => (text: string) => void lines.push(`${level}: ${text}`)
  const database = new Database(
    openPool({ ...app, connectionTimeoutMillis: patience_ms, query_timeout: patience_ms }, quiet),
  )
  const work = openBackgroundWork({ schedules, jobs }, undefined, {
    database,
    log: { info: say('info'), warn: say('warning'), error: say('error') },
    report: thrown => say('report')((thrown as Error).message),
    timing: { ...timing, ...times },
  })
  const close = async () => {
    await work.stop()
    await database.close()
  }
  return { ...work, database, lines, close }
}
