import type * as Prometheus from 'prom-client'
import type { Database } from '#platform/db/database.ts'
import type { Log } from '#platform/log/log.ts'
import type { Dependencies } from './dependencies.ts'
import type { Status } from './schema.ts'

/** For so long scrapes share what one look has found: a scrape more often than that costs the dependencies nothing. */
const shared_ms = 10_000

const states: readonly Status[] = ['Operational', 'Degraded', 'Down', 'Not configured']

/**
 * What the report of the operators shows, as gauges (HLTH-03, HLTH-04). Of the installation, not of a process: of several processes
 * the worst figure counts. No label is a name that people have given.
 */
export function measureDependencies(
  { Gauge }: typeof Prometheus,
  registry: Prometheus.Registry,
  { all, workers, mail }: Dependencies,
  { database, log }: { database: Database; log: Log },
) {
  // The registry reads all figures side by side: each waits for the same look.
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

  const state = gauge('dependency_state', '1 of the state that the dependency is in, else 0', {
    labels: ['dependency', 'state'],
  })
  const response = gauge('dependency_response_seconds', 'How long the look took; absent without an answer', {
    labels: ['dependency'],
  })
  const waiting = gauge('queue_waiting', 'Due, and begun by nobody yet', { labels: ['queue'] })
  const oldest = gauge('queue_oldest_seconds', 'For so long the oldest of them has been due', { labels: ['queue'] })
  const active = gauge('queue_active', 'Being done', { labels: ['queue'] })
  const failed = gauge('queue_failed', 'Given up within the last hour', { labels: ['queue'] })
  const lastRun = gauge('task_last_run_timestamp_seconds', 'When a recurring task was last looked at', {
    labels: ['task'],
  })
  const failing = gauge('task_failing', '1 where the latest look of a recurring task failed', { labels: ['task'] })
  const mailWaiting = gauge('mail_waiting', 'Messages that are to be sent')
  const mailFailed = gauge('mail_failed', 'Messages that were given up in the last seven days')
  const unsealed = gauge('audit_unsealed_seconds', 'For so long the oldest entry of the audit trail waits for its seal')
  const stopped = gauge('audit_sealing_stopped', 'Tenants whose audit trail is sealed no more')

  async function look() {
    const found = await Promise.all(all.map(each => each.look()))
    const { workers: work, audit } = workers.seen()
    response.reset()
    for (const { name: dependency, status, response_time_ms } of found) {
      for (const each of states) state.set({ dependency, state: each }, each === status ? 1 : 0)
      if (response_time_ms !== null) response.set({ dependency }, response_time_ms / 1000)
    }
    const now = Date.now()
    // A figure that could not be read is left out: an old value would hide that.
    for (const each of [waiting, oldest, active, failed, lastRun, failing]) each.reset()
    for (const { name: queue, ...depth } of work.queues) {
      waiting.set({ queue }, depth.waiting)
      oldest.set({ queue }, depth.waiting_since ? Math.max(0, (now - Date.parse(depth.waiting_since)) / 1000) : 0)
      active.set({ queue }, depth.active)
      failed.set({ queue }, depth.failed)
    }
    for (const { name: task, last_run_at, is_failing } of work.jobs) {
      if (last_run_at) lastRun.set({ task }, Date.parse(last_run_at) / 1000)
      failing.set({ task }, is_failing ? 1 : 0)
    }
    const messages = mail?.seen()
    mailWaiting.remove()
    mailFailed.remove()
    if (messages?.waiting != null) mailWaiting.set(messages.waiting)
    if (messages?.failed != null) mailFailed.set(messages.failed)
    unsealed.set(audit.unsealed_seconds)
    stopped.set(audit.stopped)
  }

  let looking: Promise<void> | undefined
  let looked_at = Number.NEGATIVE_INFINITY
  const shared = () => {
    if (looking === undefined && performance.now() - looked_at >= shared_ms)
      looking = look()
        .catch((error: Error) => log.warn(`the dependencies could not be measured: ${error.message}`))
        .finally(() => {
          looked_at = performance.now()
          looking = undefined
        })
    return looking
  }
  new Gauge({
    name: 'attest_database_connections',
    help: 'Connections to the database in use and idle, and how many wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(database.connections())) this.set({ state }, count)
    },
  })
}
