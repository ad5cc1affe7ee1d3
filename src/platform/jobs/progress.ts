import type { JobWithMetadata } from 'pg-boss'

/** How a round went: what was done, what somebody else had done meanwhile, and what failed. */
export interface Run {
  done: number
  refused: number
  failed: number
}

export interface JobProgress {
  name: string
  every_minutes: number
  /** The end of the latest round that came to its end; null where none has for a while. */
  last_run_at: string | null
  last_run: Run | null
  /** Since when a round is under way. */
  running_since: string | null
  /** The latest round that was over did not come to its end, or is tried again. */
  is_failing: boolean
}

export interface QueueProgress {
  jobs: JobProgress[]
  /** Rounds that nobody has begun yet. */
  waiting: number
  /** Since when the oldest of them is due. */
  waiting_since: string | null
}

type Row = Pick<JobWithMetadata, 'state' | 'singletonKey' | 'output' | 'retryCount'> &
  Record<'startAfter' | 'startedOn' | 'completedOn', Date | string | null>

/** It waits for its next try or is in the middle of it: nothing says that it works again before it has come to its end. */
const isTriedAgain = ({ state, retryCount }: Row) => state === 'retry' || (state === 'active' && retryCount > 0)
const momentOf = (value: Date | string | null) => value && new Date(value).toISOString()
const latest = (rows: readonly Row[], of: (row: Row) => string | null) =>
  rows.toSorted((a, b) => (of(b) ?? '').localeCompare(of(a) ?? ''))[0]

/** What the rounds in the queue, all that are kept, say of each job. */
export function progressOf(
  jobs: readonly { name: string; every_minutes: number }[],
  rows: readonly Row[],
): QueueProgress {
  const waiting = rows
    .filter(({ state }) => state === 'created' || state === 'retry')
    .map(({ startAfter }) => momentOf(startAfter)!)
    .sort()
  return {
    jobs: jobs.map(({ name, every_minutes }) => {
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
        last_run: (last?.output as Run | undefined) ?? null,
        running_since: momentOf(active?.startedOn ?? null),
        is_failing: own.some(isTriedAgain) || ended?.state === 'failed',
      }
    }),
    waiting: waiting.length,
    waiting_since: waiting[0] ?? null,
  }
}
