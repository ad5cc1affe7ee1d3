import type { JobWithMetadata } from 'pg-boss'

/** Counts of a round: done, `refused` because somebody else did it meanwhile, and `failed`, which the next round tries again. */
export interface Round {
  done: number
  refused: number
  failed: number
}

export interface ScheduleProgress {
  name: string
  every_minutes: number
  /** The end of the latest complete round; null if there is none in the queue. */
  last_run_at: string | null
  last_run: Round | null
  /** The beginning of the round that is running. */
  running_since: string | null
  /** The latest round failed or is being tried again. */
  is_failing: boolean
}

export interface QueueProgress {
  schedules: ScheduleProgress[]
  /** Rounds that are not begun. */
  waiting: number
  /** The time at which the oldest of them became due. */
  waiting_since: string | null
}

type Row = Pick<JobWithMetadata, 'state' | 'singletonKey' | 'output' | 'retryCount'> &
  Record<'startAfter' | 'startedOn' | 'completedOn', Date | string | null>

/** A round that waits for its next try or is in it counts as failing until it is complete. */
const isTriedAgain = ({ state, retryCount }: Row) => state === 'retry' || (state === 'active' && retryCount > 0)
const momentOf = (value: Date | string | null) => value && new Date(value).toISOString()
const latest = (rows: readonly Row[], of: (row: Row) => string | null) =>
  rows.toSorted((a, b) => (of(b) ?? '').localeCompare(of(a) ?? ''))[0]

/** The progress of each schedule, from the rounds that the queue keeps. */
export function progressOf(
  schedules: readonly { name: string; every_minutes: number }[],
  rows: readonly Row[],
): QueueProgress {
  const waiting = rows
    .filter(({ state }) => state === 'created' || state === 'retry')
    .map(({ startAfter }) => momentOf(startAfter)!)
    .sort()
  return {
    schedules: schedules.map(({ name, every_minutes }) => {
      const own = rows.filter(({ singletonKey }) => singletonKey === name)
      const last = latest(
        own.filter(({ state }) => state === 'completed'),
        row => momentOf(row.completedOn),
      )
      const ended = latest(
        own.filter(({ state }) => state === 'completed' || state === 'failed'),
        row => momentOf(row.completedOn),
      )
      const active = own.find(({ state }) => state === 'active')
      return {
        name,
        every_minutes,
        last_run_at: momentOf(last?.completedOn ?? null),
        last_run: (last?.output as Round | undefined) ?? null,
        running_since: momentOf(active?.startedOn ?? null),
        is_failing: own.some(isTriedAgain) || ended?.state === 'failed',
      }
    }),
    waiting: waiting.length,
    waiting_since: waiting[0] ?? null,
  }
}
