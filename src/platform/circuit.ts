import { setTimeout } from 'node:timers/promises'

export interface CircuitTiming {
  /** Between the first failure and the next try; doubled with each further one. */
  first_wait_ms: number
  longest_wait_ms: number
  /** So long somebody waits for their turn before they are told what is wrong; 0: they are told at once. */
  patience_ms: number
}
export const usualCircuit: CircuitTiming = { first_wait_ms: 1_000, longest_wait_ms: 60_000, patience_ms: 120_000 }
const look_again_ms = 250

export interface Circuit {
  /**
   * Does the work, or throws what the work before it failed with. While that is so, one at a time tries, further and further apart;
   * the others wait for it, however many they are. Work that takes long may say before its end that there is an answer.
   */
  pass<T>(work: (answers: () => void) => Promise<T>, signal?: AbortSignal): Promise<T>
  /** What is wrong, and in how many milliseconds somebody tries again; undefined while nothing is. */
  outage(): { thrown: unknown; wait_ms: number } | undefined
}

/**
 * Keeps many from asking what does not answer one. `isOutage` tells a failure of it from one of the work alone; undefined where
 * neither can be told, as of work that was given up. `leastWait_ms` is what the failure itself asks for.
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
      const wait_ms = Math.max(outage.next, now + look_again_ms) - now
      await setTimeout(Math.min(wait_ms, patient_until - now), undefined, signal && { signal })
    }
    return false
  }

  function fail(thrown: unknown, isTry: boolean) {
    const isOut = isOutage(thrown)
    if (isOut === false) outage = undefined
    // Of those that were under way together when it began, one counts.
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
