import type { Clock } from '#kernel/clock.ts'
import { failureWords } from '#platform/failure-words.ts'
import type { Log } from '#platform/log/log.ts'
import { within } from '#platform/within.ts'
import type { Dependency, DependencyName, Status } from './schema.ts'

/** What a look at something that answered has found out. */
export interface Impression {
  status?: 'Degraded' | 'Not configured'
  detail?: string
}

export interface Probe {
  /** What is found now, or was found a short while ago. Never rejects, and never takes longer than the budget. */
  look(): Promise<Dependency>
}

/** An error whose text is ours and may be shown; the text of any other may hold a host, an account or worse. */
export class Finding extends Error {}

interface Definition {
  name: DependencyName
  /** Past it the dependency is Down (HLTH-04). */
  budget_ms: number
  /** For so long what was found well is not looked at again. What was not well is, at each look. */
  keep_ms?: number
  /** Looks whether it answers. The signal is aborted at the end of the budget. */
  visit(signal: AbortSignal): Promise<Impression>
}
type Outcome = Pick<Dependency, 'status' | 'response_time_ms' | 'detail'>

/** A dependency that is looked at by one visit at a time, however many ask. */
export function openProbe(
  { name, budget_ms, keep_ms = 0, visit }: Definition,
  { clock, log }: { clock: Clock; log: Log },
): Probe {
  const note = remember(name, clock, log)
  let kept: { found: Dependency; until: number } | undefined
  let current: { visiting: Promise<Outcome>; begun: number } | undefined

  /** Of a dependency that is silent the visit may outlast its budget, as where a file system hangs: then it is waited for no more. */
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
      // One that has outlasted its time may be about to end, and something else may be found after it.
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

/** For what is not there: nobody has to look. */
export function openAbsence(name: DependencyName, detail: string, { clock, log }: { clock: Clock; log: Log }): Probe {
  const note = remember(name, clock, log)
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
    // What was given up at the end of its time fails with whatever was going on.
    if (signal.aborted || performance.now() - begun >= budget_ms) return silent(budget_ms)
    return { status: 'Down', response_time_ms: null, detail: sentenceOf(error) }
  }
}

/** Since when it has been so; a change is a line of the log, because nobody may be looking at the page. */
function remember(name: DependencyName, clock: Clock, log: Log) {
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
