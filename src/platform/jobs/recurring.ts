import type { JobInsert, PgBoss } from 'pg-boss'
import { within } from '../within.ts'
import { type Boss, isBrokenOff } from './boss.ts'
import { progressOf, type QueueProgress, type Run } from './progress.ts'

export type { JobProgress, Run } from './progress.ts'

/** Work that comes round: how often, and one round of it. */
export interface RecurringJob {
  name: string
  /** A divisor or a multiple of an hour, so that rounds begin at the same minutes each hour or day. */
  every_minutes: number
  /** Of one that comes round seldom: how often what failed is tried again before the next round, and after how long. */
  again?: { limit: number; delay_s: number }
  /** What it answers is kept for the report. It ends early, with something left for the next round, once the signal says so. */
  run(signal: AbortSignal): Promise<Run>
}

export interface Progress extends QueueProgress {
  /** When this process began to take part. */
  started_at: string
}

export interface RecurringJobs {
  /** From now on this process takes its part, until it is stopped: also while the database does not answer. */
  start(): void
  /** Takes no further round, and resolves when the one that is under way has ended. */
  stop(): Promise<void>
  /** Undefined where this process takes no part. */
  progress(): Promise<Progress | undefined>
}

const queue = 'clock'
/** A timer may fire a little early, and would then be in the minute before. */
const past_the_minute_ms = 30
const longest_round_s = 15 * 60
const longest_stop_ms = 20_000

/**
 * Recurring jobs of all processes on one database, by pg-boss. At each minute every process asks for the rounds that begin with it;
 * the queue takes each once, and none while the round before it is not over. So there is no leader: a process that ends, in
 * whatever way, leaves its part to the others. What was missed while no process ran is asked for at the start.
 */
export function openRecurringJobs(jobs: readonly RecurringJob[], shared: Boss): RecurringJobs {
  const { words, timing } = shared
  const { minute_ms, heartbeat_s, poll_s, retry_s, between_tries_ms } = timing
  const byName = new Map(jobs.map(job => [job.name, job]))
  const stopping = new AbortController()
  let boss: PgBoss | undefined
  let worker: string | undefined
  let timer: NodeJS.Timeout | undefined
  let starting: Promise<void> | undefined
  let started_at: string | undefined
  let trouble: unknown = new Error('it has just been started')

  const work = async ({ data, signal }: { data: { job?: string }; signal: AbortSignal }): Promise<Run | undefined> => {
    // There may be another round to take, which so is not left for the next poll.
    boss?.notifyWorker(worker!)
    const job = byName.get(data.job ?? '')
    // Of another release, which runs beside this one for a while.
    if (!job) return undefined
    try {
      const result = await job.run(AbortSignal.any([signal, stopping.signal]))
      words.wentWell(job.name)
      return result
    } catch (error) {
      if (!isBrokenOff(error, stopping.signal)) words.failed(error, job.name)
      // The queue keeps what it is thrown, and an error may speak of a record.
      throw new Error('it failed: the log says why')
    }
  }

  /** One of each period, whoever asks for it; kept until the second period after it, so that the report finds the latest. */
  const roundOf = ({ name, every_minutes, again = { limit: 3, delay_s: retry_s } }: RecurringJob): JobInsert => ({
    data: { job: name },
    singletonKey: name,
    singletonSeconds: (every_minutes * minute_ms) / 1000,
    retryLimit: again.limit,
    retryDelay: again.delay_s,
    heartbeatSeconds: heartbeat_s,
    expireInSeconds: longest_round_s,
    deleteAfterSeconds: Math.max(every_minutes * 2, 10) * 60,
  })

  const begin = async () => {
    const next = await shared.started()
    await next.createQueue(queue, { policy: 'exclusive' })
    worker = await next.work<{ job: string }, Run | undefined>(queue, { pollingIntervalSeconds: poll_s }, ([job]) =>
      work(job!),
    )
    boss = next
  }

  const tick = async () => {
    try {
      if (!boss) await begin()
      await boss!.insert(queue, jobs.map(roundOf))
      boss!.notifyWorker(worker!)
      words.wentWell()
      wait(minute_ms - (Date.now() % minute_ms) + past_the_minute_ms)
    } catch (error) {
      trouble = error
      words.failed(error)
      wait(between_tries_ms)
    }
  }
  const wait = (ms: number) => {
    if (stopping.signal.aborted) return
    timer = setTimeout(() => {
      starting = tick()
    }, ms)
  }

  return {
    start() {
      if (jobs.length === 0) return
      started_at = new Date().toISOString()
      starting = tick()
    },
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await starting
      if (!boss) return
      await within(boss.offWork(queue, { wait: true }), longest_stop_ms, undefined)
      boss = undefined
    },
    async progress() {
      if (started_at === undefined) return undefined
      if (!boss) throw trouble
      return { started_at, ...progressOf(jobs, await boss.findJobs(queue)) }
    },
  }
}
