import type { Clock } from '#kernel/clock.ts'
import { failureWords } from '#platform/failure-words.ts'
import type { Log } from '#platform/log/log.ts'
import { within } from '#platform/within.ts'
import type { Dependency, DependencyName, Status } from './schema.ts'

/** The finding about a dependency that answered. */
export interface Impression {
  status?: 'Degraded' | 'Not configured'
  detail?: string
}

export interface Probe {
  /** The current state, or a recent one. Never rejects, and never takes longer than the time budget. */
  look(): Promise<Dependency>
}

/** An error whose text may be shown. The text of other errors may contain hosts, accounts or secrets. */
export class Finding extends Error {}

interface Definition {
  name: DependencyName
  /** A dependency that takes longer is Down (HLTH-04). */
  budget_ms: number
  /** An operational dependency is not checked again within this time; any other is checked each time. */
  keep_ms?: number
  /** Checks that it answers. The signal is aborted at the end of the time budget. */
  visit(signal: AbortSignal): Promise<Impression>
}
type Outcome = Pick<Dependency, 'status' | 'response_time_ms' | 'detail'>

/** Checks a dependency by one visit at a time, however many reports are requested. */
export function openProbe(
  { name, budget_ms, keep_ms = 0, visit }: Definition,
  { clock, log }: { clock: Clock; log: Log },
): Probe {
  const note = trackStatus(name, clock, log)
  let kept: { found: Dependency; until: number } | undefined
  let current: { visiting: Promise<Outcome>; begun: number } | undefined

  /** The visit of a silent dependency may outlast its time budget, for example if a file system hangs. It is then no longer awaited. */
  function begin() {
    const begun = performance.now()
    const visiting = outcomeOf(visit, begun, budget_ms).finally(() => {
      current = undefined
    })
    return { visiting, begun }
  }

  return {
    async look() {
      if (kept && kept.until > performance.now()) return kept.found
      const deadline = performance.now() + budget_ms
      // A visit that has outlasted its time may be about to end, so that a new one can follow it.
      const overdue = current && current.begun + budget_ms <= performance.now() ? current : undefined
      if (overdue) await within(overdue.visiting, budget_ms, undefined)
      if (overdue && current === overdue) return note(silent(budget_ms))
      current ??= begin()
      const { visiting, begun } = current
      const left_ms = Math.max(0, Math.min(deadline, begun + budget_ms) - performance.now())
      const found = note(await within(visiting, left_ms, silent(budget_ms)))
      kept = found.status === 'Operational' ? { found, until: performance.now() + keep_ms } : undefined
      return found
    },
  }
}

/** For a dependency that is not configured, which needs no check. */
export function openAbsence(name: DependencyName, detail: string, { clock, log }: { clock: Clock; log: Log }): Probe {
  const note = trackStatus(name, clock, log)
  return { look: async () => note({ status: 'Not configured', response_time_ms: null, detail }) }
}

const silent = (budget_ms: number): Outcome => ({
  status: 'Down',
  response_time_ms: null,
  detail: `No answer within ${budget_ms / 1000} s`,
})

async function outcomeOf(visit: Definition['visit'], begun: number, budget_ms: number): Promise<Outcome> {
  const signal = AbortSignal.timeout(budget_ms)
  try {
    const { status, detail = null } = await visit(signal)
    const taken_ms = performance.now() - begun
    if (taken_ms > budget_ms) return silent(budget_ms)
    const response_time_ms = status === 'Not configured' ? null : Math.round(taken_ms * 10) / 10
    if (!status && taken_ms > budget_ms / 2)
      return { status: 'Degraded', response_time_ms, detail: 'It answers, but slowly' }
    return { status: status ?? 'Operational', response_time_ms, detail }
  } catch (error) {
    // A visit that was aborted at the end of its time fails with an arbitrary error.
    if (signal.aborted || performance.now() - begun >= budget_ms) return silent(budget_ms)
    return { status: 'Down', response_time_ms: null, detail: sentenceOf(error) }
  }
}

/** Adds since when the status has been the same. A change is logged, because nobody may be watching the page. */
function trackStatus(name: DependencyName, clock: Clock, log: Log) {
  let last: { status: Status; since: string } | undefined
  return (outcome: Outcome): Dependency => {
    const checked_at = clock.now().toISOString()
    if (last?.status !== outcome.status) {
      const line = `${name} is ${outcome.status}${outcome.detail ? `: ${outcome.detail}` : ''}`
      if (outcome.status === 'Down' || outcome.status === 'Degraded') log.warn(line)
      else if (last) log.info(line)
      last = { status: outcome.status, since: checked_at }
    }
    return { name, ...outcome, checked_at, since: last.since }
  }
}

export function sentenceOf(error: unknown): string {
  if (error instanceof Finding) return error.message
  for (let each = error as { code?: unknown; cause?: unknown } | undefined; each; each = each.cause as typeof each) {
    const words = failureWords(each.code)
    if (words) return words
  }
  return 'It answers with an error'
}
