import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'

const maxWaitMs = 2_000
const windowMs = 100
/** Above this share of its time the process has requests that wait for each other. */
const maxUtilization = 0.5

/**
 * For work that nobody waits for: resolves when the process was idle for half of the time since the last call, or after two seconds, so that
 * steady load slows the work and does not end it. Between pieces of work on an idle process it does not wait.
 */
export function openSpareTime() {
  let since: EventLoopUtilization = performance.eventLoopUtilization()
  const utilization = () => {
    const now = performance.eventLoopUtilization()
    const { utilization: share } = performance.eventLoopUtilization(now, since)
    since = now
    return share
  }
  return async (signal: AbortSignal) => {
    for (let waited = 0; utilization() > maxUtilization && waited < maxWaitMs; waited += windowMs)
      await setTimeout(windowMs, undefined, { signal }).catch(() => {})
  }
}
