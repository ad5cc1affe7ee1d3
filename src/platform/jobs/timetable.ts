import type { JobInsert, PgBoss } from 'pg-boss'
import type { Database } from '../db/database.ts'
import { within } from '../within.ts'
import { type Boss, bossOn, isBrokenOff } from './boss.ts'
import { progressOf, type QueueProgress, type Round } from './progress.ts'

export type { Round, ScheduleProgress } from './progress.ts'

/** Recurring work: its name, its period, and what one round of it does. */
export interface Schedule<Context> {
  /** In the log, the status report and the metrics, such as `documents.make_effective`. */
  name: string
  /** A divisor or a multiple of an hour, so that rounds begin at the same minutes each hour or day. */
  every_minutes: number
  /** For a long period: how often and after what time a failed round is tried again before the next one. */
  again?: { limit: number; delay_s: number }
  /** Where it answers false, this installation has no use for it. */
  isOn?(context: Context): boolean
  /** The counts are kept for the status report. When the signal is aborted it ends early and leaves the rest to the next round. */
  round(context: Context, signal: AbortSignal): Promise<Round>
}

export interface Progress extends QueueProgress {
  /** The time at which this process began to take part, or to look on. */
  started_at: string
}

export interface Timetable {
  /** Takes part from now on until it is stopped, also after the database did not answer. */
  start(): void
  /** Takes no further round, and resolves when the running one has ended. */
  stop(): Promise<void>
  /** Undefined before the start, and where there are no schedules. */
  progress(): Promise<Progress | undefined>
}

const queue = 'clock'
interface RoundData {
  schedule: string
}
/** A timer may fire a little early, and would then be in the minute before. */
const pastTheMinuteMs = 30
const maxRoundS = 15 * 60
const maxStopMs = 20_000

/**
 * The schedules of all processes on one database, by pg-boss. Each minute every process queues the rounds that begin then; the queue
 * accepts each once, and none while the round before it is unfinished. So there is no leader, and the others take over from a process
 * that ends in any way. Rounds that were missed while no process ran are queued at the start. A process that takes no rounds looks on.
 */
export function openTimetable<Context>(
  schedules: readonly Schedule<Context>[],
  context: Context,
  shared: Boss,
  database: Database,
  { takesRounds }: { takesRounds: boolean },
): Timetable {
  const { outages, timing } = shared
  const { minute_ms, heartbeat_s, poll_s, retry_s, between_tries_ms } = timing
  const byName = new Map(schedules.map(schedule => [schedule.name, schedule]))
  const stopping = new AbortController()
  let boss: PgBoss | undefined
  let worker: string | undefined
  let timer: NodeJS.Timeout | undefined
  let starting: Promise<void> | undefined
  let started_at: string | undefined
  let trouble: unknown = new Error('it has just been started')

  const work = async ({ data, signal }: { data: RoundData; signal: AbortSignal }): Promise<Round | undefined> => {
    // There may be another round, which would otherwise wait for the next poll.
    boss?.notifyWorker(worker!)
    const schedule = byName.get(data.schedule)
    // A schedule of another release, which runs at the same time during an update.
    if (!schedule) return undefined
    try {
      const result = await schedule.round(context, AbortSignal.any([signal, stopping.signal]))
      outages.wentWell(schedule.name)
      return result
    } catch (error) {
      if (!isBrokenOff(error, stopping.signal)) outages.failed(error, schedule.name)
      // The queue stores the error that it gets, and the original could quote a record.
      throw new Error('it failed: the log says why')
    }
  }

  /** The key makes a round unique in its period. It is kept for two more periods, so that the report finds the latest. */
  const roundOf = ({ name, every_minutes, again = { limit: 3, delay_s: retry_s } }: Schedule<Context>): JobInsert => ({
    data: { schedule: name } satisfies RoundData,
    singletonKey: name,
    singletonSeconds: (every_minutes * minute_ms) / 1000,
    retryLimit: again.limit,
    retryDelay: again.delay_s,
    heartbeatSeconds: heartbeat_s,
    expireInSeconds: maxRoundS,
    deleteAfterSeconds: Math.max(every_minutes * 2, 10) * 60,
  })

  const begin = async () => {
    const next = await shared.started()
    await next.createQueue(queue, { policy: 'exclusive' })
    worker = await next.work<RoundData, Round | undefined>(queue, { pollingIntervalSeconds: poll_s }, ([round]) =>
      work(round!),
    )
    boss = next
  }

  const tick = async () => {
    try {
      if (!boss) await begin()
      await boss!.insert(queue, schedules.map(roundOf))
      boss!.notifyWorker(worker!)
      outages.wentWell()
      wait(minute_ms - (Date.now() % minute_ms) + pastTheMinuteMs)
    } catch (error) {
      trouble = error
      outages.failed(error)
      wait(between_tries_ms)
    }
  }
  const wait = (ms: number) => {
    if (stopping.signal.aborted) return
    timer = setTimeout(() => {
      starting = tick()
    }, ms)
  }

  async function findRounds() {
    if (boss) return boss.findJobs(queue)
    const looking = await bossOn((text, values) => database.queueStatement(text, values))
    // It is made by the first process that takes rounds.
    return (await looking.getQueue(queue)) ? looking.findJobs(queue) : []
  }

  return {
    start() {
      if (schedules.length === 0) return
      started_at = new Date().toISOString()
      if (takesRounds) starting = tick()
    },
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await starting
      if (!boss) return
      await within(boss.offWork(queue, { wait: true }), maxStopMs, undefined)
      boss = undefined
    },
    async progress() {
      if (started_at === undefined) return undefined
      if (takesRounds && !boss) throw trouble
      return { started_at, ...progressOf(schedules, await findRounds()) }
    },
  }
}
