import type { Config } from '#platform/config.ts'
import { createReport } from '#platform/error-tracking/report.ts'
import type { Tracker } from '#platform/error-tracking/tracker.ts'
import { Limit } from '#platform/limit.ts'
import type { Logger } from '#platform/log/log.ts'
import { openTurns } from '#platform/turns.ts'

/** By network address, for callers without a token. */
interface LoginLimits {
  failures: Limit
  linkRequests: Limit
  /** Log-ins that were sent to a provider: each is a row, and may be a request to it. */
  providerStarts: Limit
  linkWork: LinkWork
}

/** Work for people without a token that their answers do not wait for. */
interface LinkWork {
  /** Networks take turns. Work that finds no place is dropped, and its caller can ask again. */
  begin(network: string, work: () => Promise<void>): void
  /** Resolves when nothing runs or waits. */
  settled(): Promise<void>
}

declare module '#action/definitions.ts' {
  interface Services {
    loginLimits: LoginLimits
  }
}

interface Around {
  config: Pick<Config, 'login_failures_per_address'>
  log: Logger
  tracker: Tracker
}

export const openLoginLimits = ({ config, ...around }: Around): LoginLimits => ({
  failures: new Limit({ most: config.login_failures_per_address, window_ms: 15 * 60 * 1000 }),
  linkRequests: new Limit({ most: 20, window_ms: 60 * 60 * 1000 }),
  // A company of two thousand comes from one address at the beginning of a shift.
  providerStarts: new Limit({ most: 3000, window_ms: 15 * 60 * 1000 }),
  linkWork: openLinkWork(around),
})

/** Few enough to leave the database to people who have logged in. */
const maxRunning = 2
const maxWaiting = 64

function openLinkWork({ log, tracker }: Pick<Around, 'log' | 'tracker'>): LinkWork {
  const waiting = openTurns<() => Promise<void>>({ most: maxWaiting, most_per_lane: maxWaiting })
  const report = createReport(log, tracker)
  const running = new Set<Promise<void>>()

  function start(work: () => Promise<void>) {
    const one: Promise<void> = work()
      .catch(report)
      .then(() => {
        running.delete(one)
        const next = waiting.shift()
        if (next) start(next)
      })
    running.add(one)
  }

  return {
    begin(network, work) {
      if (running.size < maxRunning) start(work)
      else waiting.push(network, work)
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
