import { setTimeout } from 'node:timers/promises'

export interface CircuitTiming {
  /** The wait after the first failure, doubled after each further one. */
  first_wait_ms: number
  longest_wait_ms: number
  /** How long a caller waits for a try before it gets the last error; with 0 it gets it at once. */
  patience_ms: number
}
export const usualCircuit: CircuitTiming = { first_wait_ms: 1_000, longest_wait_ms: 60_000, patience_ms: 120_000 }
const lookAgainMs = 250

export interface Circuit {
  /**
   * Does the work, or throws the error of the work before it. During an outage only one caller at a time tries, at growing intervals, and
   * all others wait for it. Long work calls `answers` as soon as the other side has answered.
   */
  pass<T>(work: (answers: () => void) => Promise<T>, signal?: AbortSignal): Promise<T>
  /** The last error and the milliseconds until the next try; undefined without an outage. */
  outage(): { thrown: unknown; wait_ms: number } | undefined
}

/**
 * A circuit breaker: while a dependency does not answer one caller, it keeps the others from asking. `isOutage` tells a failure of the
 * dependency from one of the work alone; undefined if neither is known, as after an abort. `leastWait_ms` is the wait that the failure asks for.
 */
export function openCircuit(
  isOutage: (thrown: unknown) => boolean | undefined,
  { first_wait_ms, longest_wait_ms, patience_ms }: CircuitTiming,
  leastWait_ms: (thrown: unknown) => number = () => 0,
): Circuit {
  let outage: { thrown: unknown; wait_ms: number; next: number } | undefined
  let isTrying = false

  async function turn(signal: AbortSignal | undefined) {
    const patient_until = performance.now() + patience_ms
    while (outage) {
      const now = performance.now()
      if (!isTrying && outage.next <= now) return true
      if (patient_until <= now) throw outage.thrown
      const wait_ms = Math.max(outage.next, now + lookAgainMs) - now
      await setTimeout(Math.min(wait_ms, patient_until - now), undefined, signal && { signal })
    }
    return false
  }

  function fail(thrown: unknown, isTry: boolean) {
    const isOut = isOutage(thrown)
    if (isOut === false) outage = undefined
    // Calls that ran together when the outage began count as one failure.
    else if (isOut && (!outage || isTry)) {
      const wait_ms = outage ? Math.min(outage.wait_ms * 2, longest_wait_ms) : first_wait_ms
      outage = { thrown, wait_ms, next: performance.now() + Math.max(wait_ms, leastWait_ms(thrown)) }
    }
  }

  return {
    async pass(work, signal) {
      let isTry = await turn(signal)
      if (isTry) isTrying = true
      const end = () => {
        if (isTry) isTrying = false
        isTry = false
      }
      const answers = () => {
        outage = undefined
        end()
      }
      try {
        const result = await work(answers)
        outage = undefined
        return result
      } catch (thrown) {
        fail(thrown, isTry)
        throw thrown
      } finally {
        end()
      }
    },
    outage: () =>
      outage && { thrown: outage.thrown, wait_ms: Math.max(0, Math.round(outage.next - performance.now())) },
  }
}
