import cluster from 'node:cluster'

/** A terminal sends these to every process of it. */
export const ofTerminal = ['SIGINT', 'SIGHUP', 'SIGQUIT'] as const
const echo_ms = 500

/**
 * Calls `take` with each signal of the terminal. npm passes on what the terminal has sent to this process already: the same signal again
 * within half a second is that, and no person who insists. Of several processes the first takes them, and passes on what is meant.
 */
export function onTerminal(take: (signal: NodeJS.Signals) => void) {
  let last: { signal: NodeJS.Signals; at: number } | undefined
  for (const signal of ofTerminal)
    process.on(signal, () => {
      const now = performance.now()
      const isEcho = cluster.isWorker || (last?.signal === signal && now - last.at < echo_ms)
      last = { signal, at: now }
      if (!isEcho) take(signal)
    })
}
