import { AsyncLocalStorage } from 'node:async_hooks'
import { CompiledQuery } from 'kysely'
import type { JobInsert, JobWithMetadata, PgBoss } from 'pg-boss'
import { type QueueName, queueNames } from '../config/processes.ts'
import { announce, type Database, type Tx } from '../db/database.ts'
import { within } from '../within.ts'
import { type Boss, bossOn, isBrokenOff } from './boss.ts'
import { type Depth, depthOf } from './depth.ts'
import { openSpareTime } from './spare-time.ts'

/** How often failed items of a queue are tried again. The wait is one to two delays by chance, and about doubles each time. */
interface Terms {
  retry_limit: number
  retry_delay_s: number
  retry_delay_max_s: number
  /** The time limit of one attempt. */
  expire_s: number
  /** Tenants take turns: an item waits for at most one of each other tenant. Stepped jobs set their turns themselves, by priority. */
  takes_turns: boolean
}
const terms = {
  // For about a day: greylisting ends after minutes, a repair of the server after hours.
  mail: { retry_limit: 12, retry_delay_s: 60, retry_delay_max_s: 4 * 3600, expire_s: 300, takes_turns: true },
  background_jobs: { retry_limit: 4, retry_delay_s: 5, retry_delay_max_s: 120, expire_s: 900, takes_turns: false },
  // An unreadable file fails for good at once, so only a store that does not answer is tried again.
  texts: { retry_limit: 6, retry_delay_s: 30, retry_delay_max_s: 3600, expire_s: 900, takes_turns: true },
  // Once in years, and for hours. Each attempt begins anew.
  exports: { retry_limit: 3, retry_delay_s: 60, retry_delay_max_s: 600, expire_s: 86_400, takes_turns: true },
  vectors: { retry_limit: 12, retry_delay_s: 30, retry_delay_max_s: 3600, expire_s: 600, takes_turns: true },
} satisfies Record<QueueName, Terms>

/** Holds ids only, never the content of a record. At most one unfinished item has a given key. */
export interface QueueItem {
  /** The job that does it; without it, the job of the queue's name. */
  job?: string
  key: string
  /** Whose work it is. */
  tenant_id: number
  data: object
  /** Seconds until the item may begin. */
  start_after_s?: number
  /** A whole number from -20 to 20. Higher priority goes first; 0 by default. */
  priority?: number
}

export interface Attempt {
  /** Counted from 1. */
  number: number
  /** The last attempt must write the failure into the record. */
  isLast: boolean
  /** Aborted when the process stops, or when another process has taken the item over. */
  signal: AbortSignal
}

/**
 * Durable work in a queue, done at least once: after a kill another process does it again, and what the queue has lost is found again from
 * the records.
 */
export interface Job<Context, Data> {
  /** In the log, and in the item that waits for it. */
  name: string
  queue: QueueName
  /** Items of its queue that this process does at a time. */
  at_once: number
  /** This process does only one item of a tenant at a time: a long one leaves the other workers to the other tenants. */
  one_per_tenant?: true
  /** Its items begin when requests leave this process time. */
  yields?: true
  /** Where it answers false, this process leaves its items to others. */
  isOn?(context: Context): boolean
  /** An error is reported and the item tried again; with `Postponed` it is only tried again. */
  run(context: Context, data: Data, attempt: Attempt): Promise<void>
  /** The items that records of this tenant still wait for, a bounded number, so that those that the queue has lost are queued again. */
  find(tx: Tx, context: Context): Promise<QueueItem[]>
}

// biome-ignore lint/suspicious/noExplicitAny: a list of jobs holds items of every kind
export type AnyJob<Context> = Job<Context, any>

/** An expected failure, such as a mail server that does not answer: it is tried again without a report. */
export class Postponed extends Error {}

const maxStopMs = 20_000
/** Only one worker of a queue polls. It wakes the others, which otherwise sleep for so long. */
const asleep_s = 600
/** A look for items reads all those that may not begin yet: at most so often is one begun because an item was queued. */
const between_looks_ms = 100
/** Finished items are kept for the status report only. */
const kept_s = 3600

interface ItemData {
  job?: string
}

/** The database takes the turns of tenants off the priority of an item, which leaves so much room for them (migration 0022). */
const turns = 100_000_000

const itemOf = (name: QueueName, { job, key, tenant_id, data, start_after_s, priority = 0 }: QueueItem): JobInsert => ({
  data: { ...data, ...(job && { job }) },
  singletonKey: key,
  ...(terms[name].takes_turns ? { priority: priority * turns, groupId: String(tenant_id) } : { priority }),
  ...(start_after_s !== undefined && { startAfter: start_after_s }),
  retryLimit: terms[name].retry_limit,
  retryDelay: terms[name].retry_delay_s,
  retryDelayMax: terms[name].retry_delay_max_s,
  retryBackoff: true,
  expireInSeconds: terms[name].expire_s,
  deleteAfterSeconds: kept_s,
})

/** Sends the statements of the library in the transaction that enqueues. */
const asking = new AsyncLocalStorage<(text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>>()
/** For all transactions: it takes long to make, and remembers the settings of each queue, which only a migration changes. */
let inserting: Promise<PgBoss> | undefined

/**
 * Queues items in the caller's transaction, from any process, also from one that does no jobs. Resolves to the number of items
 * that were not queued already.
 */
export async function enqueue(tx: Tx, name: QueueName, items: readonly QueueItem[]): Promise<number> {
  if (items.length === 0) return 0
  inserting ??= bossOn((text, values) => asking.getStore()!(text, values))
  const boss = await inserting
  const queued = await asking.run(
    async (text, values = []) => tx.executeQuery(CompiledQuery.raw(text, values)),
    () => {
      const all = items.map(item => itemOf(name, item))
      return boss.insert(name, all, { returnId: true })
    },
  )
  announce(tx, name)
  return queued?.length ?? 0
}

export interface Queue {
  start(): void
  /** Takes no more items, and resolves when the running ones have ended. */
  stop(): Promise<void>
  /**
   * Does all due items in this process, without being started. `ahead_s` is how far the caller's clock is ahead of the database's, and
   * makes items due that much earlier.
   */
  runPending(ahead_s?: number): Promise<{ done: number; postponed: number; failed: number }>
  depth(): Promise<Depth[]>
}

/** The share of this process in the jobs. */
export function openQueue<Context>(
  jobs: readonly AnyJob<Context>[],
  context: Context,
  shared: Boss,
  database: Database,
): Queue {
  const { outages, timing } = shared
  const byName = new Map(jobs.map(job => [job.name, job]))
  const queues = [...Map.groupBy(jobs, ({ queue }) => queue)].map(([name, all]) => ({
    name,
    at_once: Math.max(...all.map(({ at_once }) => at_once)),
    limit: all.some(({ one_per_tenant }) => one_per_tenant) ? { localGroupConcurrency: 1 } : {},
  }))
  const names = queues.map(({ name }) => name)
  const stopping = new AbortController()
  const spareTime = openSpareTime()
  const workers = new Map<string, string[]>()
  let boss: PgBoss | undefined
  let timer: NodeJS.Timeout | undefined
  let starting: Promise<void> | undefined
  let minutely: NodeJS.Timeout | undefined
  let brought_s = 0

  const wake = (name: string) => {
    for (const worker of workers.get(name) ?? []) boss?.notifyWorker(worker)
  }
  /** The queues in which something was announced within the last moment, and whether it was again since the look for it. */
  const lookedFor = new Map<string, { isAgain: boolean }>()
  const lookSoon = (name: string) => {
    const known = lookedFor.get(name)
    if (known) {
      known.isAgain = true
      return
    }
    const looked = { isAgain: false }
    lookedFor.set(name, looked)
    setTimeout(() => {
      lookedFor.delete(name)
      if (looked.isAgain) lookSoon(name)
    }, between_looks_ms).unref()
    wake(name)
  }
  const unlisten = database.onAnnounced(lookSoon)

  const take = async (queue: QueueName, { data, retryCount, retryLimit, signal }: JobWithMetadata<ItemData>) => {
    const name = data.job ?? queue
    const job = byName.get(name)
    try {
      // A process of another release may have queued it.
      if (!job) throw new Postponed(`this process does not know the job ${name}`)
      await job.run(context, data, {
        number: retryCount + 1,
        isLast: retryCount >= retryLimit,
        signal: signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal,
      })
      outages.wentWell(name)
    } catch (error) {
      if (error instanceof Postponed || isBrokenOff(error, stopping.signal)) throw new Postponed('it is tried again')
      outages.failed(error, name)
      // The queue stores the error that it gets, and the original could quote a record.
      throw new Error('it failed: the log says why')
    }
  }

  const begin = async () => {
    try {
      const next = await shared.started()
      boss = next
      for (const { name, at_once, limit } of queues) {
        const own: string[] = []
        workers.set(name, own)
        for (let count = 0; count < at_once; count++) {
          const pollingIntervalSeconds = count === 0 ? timing.queue_poll_s : asleep_s
          own.push(
            await next.work<ItemData, void, { includeMetadata: true; pollingIntervalSeconds: number }>(
              name,
              { includeMetadata: true, pollingIntervalSeconds, ...limit },
              async ([item]) => {
                // There may be more items, for the other workers now and for this one afterwards.
                wake(name)
                if (byName.get(item!.data.job ?? name)?.yields) await spareTime(stopping.signal)
                await take(name, item!)
              },
            ),
          )
        }
      }
    } catch (error) {
      outages.failed(error)
      if (!stopping.signal.aborted)
        timer = setTimeout(() => {
          starting = begin()
        }, timing.between_tries_ms)
    }
  }

  return {
    start() {
      starting = begin()
      minutely = setInterval(() => {
        database.queueStatement(setRight, [names]).catch(error => outages.failed(error))
      }, timing.minute_ms)
    },
    async stop() {
      unlisten()
      stopping.abort()
      clearTimeout(timer)
      clearInterval(minutely)
      await starting
      if (!boss) return
      const ending = boss
      boss = undefined
      const ended = Promise.all(names.map(async name => ending.offWork(name, { wait: true })))
      await within(ended, maxStopMs, undefined)
    },
    async runPending(ahead_s = 0) {
      const result = { done: 0, postponed: 0, failed: 0 }
      const idle = await bossOn((text, values) => database.queueStatement(text, values))
      await database.queueStatement(bringForward, [names, ahead_s - brought_s])
      brought_s = ahead_s
      for (let isAny = true; isAny; ) {
        isAny = false
        for (const name of names) {
          const [item] = await idle.fetch<ItemData>(name, { includeMetadata: true })
          if (!item) continue
          isAny = true
          try {
            await take(name, item)
            await idle.complete(name, item)
            result.done += 1
          } catch (error) {
            await idle.fail(name, item)
            result[error instanceof Postponed ? 'postponed' : 'failed'] += 1
          }
        }
      }
      return result
    },
    depth: () => depthOf(database, queueNames),
  }
}

const bringForward = `update pgboss.job set start_after = start_after - $2 * interval '1 second'
  where name = any ($1) and state < 'active' and start_after > now()`

/** After the clock was set back, items queued before, or tried again from then on, would wait until that time comes again. */
const setRight = `update pgboss.job set start_after = now()
  where name = any ($1) and state < 'active' and start_after > now()
    and (greatest(created_on, started_on) > now() + interval '1 minute'
      or state = 'retry' and start_after > now() + greatest(retry_delay, retry_delay_max) * interval '1 second' + interval '1 minute')`
