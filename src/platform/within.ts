import { setTimeout } from 'node:timers/promises'

/** Resolves to the result of the work, or to `late` after the time. The work goes on, and a later rejection is ignored. */
export async function within<T, L>(work: Promise<T>, timeout_ms: number, late: L): Promise<T | L> {
  const timer = new AbortController()
  const silence = setTimeout(timeout_ms, late, { signal: timer.signal, ref: false })
  silence.catch(() => {})
  work.catch(() => {})
  try {
    return await Promise.race([work, silence])
  } finally {
    timer.abort()
  }
}
