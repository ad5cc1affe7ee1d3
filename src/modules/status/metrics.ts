import type * as Prometheus from 'prom-client'
import type { Database } from '#platform/db/database.ts'
import type { Log } from '#platform/log/log.ts'
import type { Dependencies } from './dependencies.ts'
import type { Status } from './schema.ts'

/** Scrapes within this time share one check, so that frequent scrapes cost the dependencies nothing. */
const sharedMs = 10_000

const states: readonly Status[] = ['Operational', 'Degraded', 'Down', 'Not configured']

/**
 * The health report as gauges (HLTH-03, HLTH-04). They describe the installation, so of several processes the worst value counts. No
 * label contains a name that people have entered.
 */
export function measureDependencies(
  { Gauge }: typeof Prometheus,
  registry: Prometheus.Registry,
  { all, workers, mail, storage }: Dependencies,
  { database, log }: { database: Database; log: Log },
) {
  // The registry reads all gauges at the same time, and all wait for the same check.
  const bringUpToDate = async () => shared()
  const gauge = <L extends string = never>(
    name: string,
    help: string,
    { labels = [] }: { labels?: readonly L[] } = {},
  ) =>
    new Gauge({
      name: `attest_${name}`,
      help,
      labelNames: labels,
      aggregator: 'max',
      registers: [registry],
      collect: bringUpToDate,
    })

  const state = gauge('dependency_state', '1 for the current state of the dependency, else 0', {
    labels: ['dependency', 'state'],
  })
  const response = gauge('dependency_response_seconds', 'Duration of the check; absent without an answer', {
    labels: ['dependency'],
  })
  const waiting = gauge('queue_waiting', 'Items that are due and not started', { labels: ['queue'] })
  const oldest = gauge('queue_oldest_seconds', 'Age of the oldest item that is due', { labels: ['queue'] })
  const active = gauge('queue_active', 'Items in progress', { labels: ['queue'] })
  const failed = gauge('queue_failed', 'Items that were given up within the last hour', { labels: ['queue'] })
  const lastRun = gauge('schedule_last_run_timestamp_seconds', 'Time of the last run of a schedule', {
    labels: ['schedule'],
  })
  const failing = gauge('schedule_failing', '1 if the last run of a schedule failed', { labels: ['schedule'] })
  const mailWaiting = gauge('mail_waiting', 'Messages that wait to be sent')
  const mailFailed = gauge('mail_failed', 'Messages that were given up in the last seven days')
  const storedBytes = gauge('storage_bytes', 'What the files of the records of all tenants take')
  const nearlyFull = gauge('storage_tenants_nearly_full', 'Tenants that use 90 % of their storage quota or more')
  const unsealed = gauge('audit_unsealed_seconds', 'Age of the oldest audit entry that is not sealed')
  const stopped = gauge('audit_sealing_stopped', 'Tenants whose audit trail is no longer sealed')

  async function look() {
    const found = await Promise.all(all.map(each => each.look()))
    const { workers: work, audit } = workers.seen()
    response.reset()
    for (const { name: dependency, status, response_time_ms } of found) {
      for (const each of states) state.set({ dependency, state: each }, each === status ? 1 : 0)
      if (response_time_ms !== null) response.set({ dependency }, response_time_ms / 1000)
    }
    const now = Date.now()
    // A value that could not be read is left out, because an old value would hide the failure.
    for (const each of [waiting, oldest, active, failed, lastRun, failing]) each.reset()
    for (const { name: queue, ...depth } of work.queues) {
      waiting.set({ queue }, depth.waiting)
      oldest.set({ queue }, depth.waiting_since ? Math.max(0, (now - Date.parse(depth.waiting_since)) / 1000) : 0)
      active.set({ queue }, depth.active)
      failed.set({ queue }, depth.failed)
    }
    for (const { name: schedule, last_run_at, is_failing } of work.schedules) {
      if (last_run_at) lastRun.set({ schedule }, Date.parse(last_run_at) / 1000)
      failing.set({ schedule }, is_failing ? 1 : 0)
    }
    const messages = mail?.seen()
    mailWaiting.remove()
    mailFailed.remove()
    if (messages?.waiting != null) mailWaiting.set(messages.waiting)
    if (messages?.failed != null) mailFailed.set(messages.failed)
    const use = storage.seen()
    storedBytes.remove()
    nearlyFull.remove()
    if (use.used_bytes !== null) storedBytes.set(use.used_bytes)
    if (use.tenants_nearly_full !== null) nearlyFull.set(use.tenants_nearly_full)
    unsealed.set(audit.unsealed_seconds)
    stopped.set(audit.stopped)
  }

  let looking: Promise<void> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  const shared = () => {
    if (looking === undefined && performance.now() - lookedAt >= sharedMs)
      looking = look()
        .catch((error: Error) => log.warn(`the dependencies could not be measured: ${error.message}`))
        .finally(() => {
          lookedAt = performance.now()
          looking = undefined
        })
    return looking
  }
  new Gauge({
    name: 'attest_database_connections',
    help: 'Database connections in use and idle, and requests that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(database.connections())) this.set({ state }, count)
    },
  })
}
