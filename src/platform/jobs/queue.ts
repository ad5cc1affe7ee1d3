import { CompiledQuery } from 'kysely'
import type { JobInsert, JobWithMetadata, PgBoss } from 'pg-boss'
import { announce, type Database, type Tx } from '../db/database.ts'
import { within } from '../within.ts'
import { type Boss, bossOn, isBrokenOff } from './boss.ts'
import { type Depth, depthOf } from './depth.ts'

/** How often what fails is tried again. It waits for once or twice the delay, as chance has it, and about twice as long each further time. */
interface Terms {
  retry_limit: number
  retry_delay_s: number
  retry_delay_max_s: number
  /** How long one attempt may take. */
  expire_s: number
}
const terms = {
  // For about a day: a server that greylists wants to be asked again after minutes, one that is repaired after hours.
  mail: { retry_limit: 12, retry_delay_s: 60, retry_delay_max_s: 4 * 3600, expire_s: 300 },
  background_jobs: { retry_limit: 4, retry_delay_s: 5, retry_delay_max_s: 120, expire_s: 900 },
  // A file that cannot be read says so with its first attempt: what is tried again is a store that does not answer.
  texts: { retry_limit: 6, retry_delay_s: 30, retry_delay_max_s: 3600, expire_s: 900 },
  vectors: { retry_limit: 12, retry_delay_s: 30, retry_delay_max_s: 3600, expire_s: 600 },
} satisfies Record<string, Terms>
type QueueName = keyof typeof terms
const queueNames = Object.keys(terms) as QueueName[]

/** Told by ids, never by what a record says. Of a key there is one at a time that is not over. */
export interface QueueItem {
  key: string
  data: object
  /** In how many seconds, at the earliest. */
  start_after_s?: number
  /** What has more of it is taken first; 0 unless it says so. */
  priority?: number
}

export interface Attempt {
  /** From 1. */
  number: number
  /** After it nobody tries again: what is to be said of it in a record is said now. */
  isLast: boolean
  /** Aborted when the process is to end, or when the item was given to another. */
  signal: AbortSignal
}

/** One-off work, done at least once: after a kill in the middle another process does it again. */
export interface QueuedWork<Data = unknown> {
  name: QueueName
  /** How many items this process does at a time. */
  concurrency: number
  /** What it throws is reported, and tried again; a `Postponed` is only tried again. */
  run(data: Data, attempt: Attempt): Promise<void>
  /** The items that the records of this tenant ask for, a bounded number: what the queue does not know of them any more is asked for again. */
  find(tx: Tx): Promise<QueueItem[]>
}

/** What is expected to go wrong, and is tried again without a word: a mail server that does not answer. */
export class Postponed extends Error {}

const longest_stop_ms = 20_000
/** Of the workers of a queue one looks by itself. The others are woken by it. */
const asleep_s = 600
/** For the report alone: the records say how it went. */
const kept_s = 3600

const itemOf = (name: QueueName, { key, data, start_after_s, priority = 0 }: QueueItem): JobInsert => ({
  data,
  singletonKey: key,
  priority,
  ...(start_after_s !== undefined && { startAfter: start_after_s }),
  retryLimit: terms[name].retry_limit,
  retryDelay: terms[name].retry_delay_s,
  retryDelayMax: terms[name].retry_delay_max_s,
  retryBackoff: true,
  expireInSeconds: terms[name].expire_s,
  deleteAfterSeconds: kept_s,
})

/**
 * In the caller's transaction: with its commit it is queued, with its rollback it is not. In every process, also in one that does
 * none of it. Answers how many were not queued already.
 */
export async function enqueue(tx: Tx, name: QueueName, items: readonly QueueItem[]): Promise<number> {
  if (items.length === 0) return 0
  const boss = await bossOn((text, values = []) => tx.executeQuery(CompiledQuery.raw(text, values)))
  const queued = await boss.insert(
    name,
    items.map(item => itemOf(name, item)),
    { returnId: true },
  )
  announce(tx, name)
  return queued?.length ?? 0
}

export interface Queue {
  start(): void
  /** Takes nothing more, and resolves when what is under way has ended. */
  stop(): Promise<void>
  /**
   * Does all that is due, at once and in this process, until nothing is; without being started. `ahead_s` is by how much the caller's
   * clock goes before the database's: what waits for its time is as much nearer to it.
   */
  runPending(ahead_s?: number): Promise<{ done: number; postponed: number; failed: number }>
  depth(): Promise<Depth[]>
}

/** The part of this process in the one-off work of all. */
export function openQueue(works: readonly QueuedWork[], shared: Boss, database: Database): Queue {
  const { words, timing } = shared
  const stopping = new AbortController()
  const workers = new Map<string, string[]>()
  let boss: PgBoss | undefined
  let timer: NodeJS.Timeout | undefined
  let starting: Promise<void> | undefined
  let minutely: NodeJS.Timeout | undefined
  let brought_s = 0

  const wake = (name: string) => {
    for (const worker of workers.get(name) ?? []) boss?.notifyWorker(worker)
  }
  const unlisten = database.onAnnounced(wake)

  const take = async (work: QueuedWork, { data, retryCount, retryLimit, signal }: JobWithMetadata<unknown>) => {
    try {
      await work.run(data, {
        number: retryCount + 1,
        isLast: retryCount >= retryLimit,
        signal: signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal,
      })
      words.wentWell(work.name)
    } catch (error) {
      if (error instanceof Postponed || isBrokenOff(error, stopping.signal)) throw new Postponed('it is tried again')
      words.failed(error, work.name)
      // The queue keeps what it is thrown, and an error may speak of a record.
      throw new Error('it failed: the log says why')
    }
  }

  const begin = async () => {
    try {
      const next = await shared.started()
      boss = next
      for (const work of works) {
        const own: string[] = []
        workers.set(work.name, own)
        for (let count = 0; count < work.concurrency; count++) {
          const pollingIntervalSeconds = count === 0 ? timing.queue_poll_s : asleep_s
          own.push(
            await next.work<unknown, void, { includeMetadata: true; pollingIntervalSeconds: number }>(
              work.name,
              { includeMetadata: true, pollingIntervalSeconds },
              async ([item]) => {
                // There may be more, for this one when it is done and for the others now.
                wake(work.name)
                await take(work, item!)
              },
            ),
          )
        }
      }
    } catch (error) {
      words.failed(error)
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
        database.queueStatement(setRight, [works.map(({ name }) => name)]).catch(error => words.failed(error))
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
      const ended = Promise.all(works.map(async ({ name }) => ending.offWork(name, { wait: true })))
      await within(ended, longest_stop_ms, undefined)
    },
    async runPending(ahead_s = 0) {
      const result = { done: 0, postponed: 0, failed: 0 }
      const idle = await bossOn((text, values) => database.queueStatement(text, values))
      await database.queueStatement(bringForward, [works.map(({ name }) => name), ahead_s - brought_s])
      brought_s = ahead_s
      for (let isAny = true; isAny; ) {
        isAny = false
        for (const work of works) {
          const [item] = await idle.fetch<unknown>(work.name, { includeMetadata: true })
          if (!item) continue
          isAny = true
          try {
            await take(work, item)
            await idle.complete(work.name, item)
            result.done += 1
          } catch (error) {
            await idle.fail(work.name, item)
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

/** What was queued or tried by a clock that has been set back since would wait until that time comes again. */
const setRight = `update pgboss.job set start_after = now()
  where name = any ($1) and state < 'active' and start_after > now()
    and greatest(created_on, started_on) > now() + interval '1 minute'`
