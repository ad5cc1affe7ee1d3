import { setTimeout } from 'node:timers/promises'

/**
 * What the work comes to, or `late` once the time is over. The work is not stopped: how it ends after that is nobody's concern,
 * and no unhandled rejection.
 */
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
