import { createHash } from 'node:crypto'
import type { Origin, Services } from '#action'
import { refusalBy } from '#http/rate-limits.ts'
import type { Clock } from '#kernel/clock.ts'
import type { AppError } from '#kernel/errors.ts'
import { networkOf } from '#platform/client-network.ts'
import type { Config } from '#platform/config.ts'
import type { Database } from '#platform/db/database.ts'
import { createReport } from '#platform/error-tracking/report.ts'
import type { Tracker } from '#platform/error-tracking/tracker.ts'
import { type Rate, roomOf } from '#platform/gcra.ts'
import { Limit } from '#platform/limit.ts'
import type { Logger } from '#platform/log/log.ts'
import { openTurns } from '#platform/turns.ts'
import { reasons } from '../messages.ts'
import { countRates, forgetRates } from './limit-queries.ts'

/** By network address, for callers without a token. */
interface LoginLimits {
  /** Log-ins and registrations, counted by all processes together. */
  attempts: { take(origin: Origin): Promise<AppError | undefined> }
  failures: Limit
  linkRequests: Limit
  /** Log-ins that were sent to a provider: each is a row, and may be a request to it. */
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
  config: Pick<Config, 'login_failures_per_address' | 'rate_limits'>
  database: Database
  clock: Clock
  /** Writes the entry of the first refusal of an address within an hour. */
  audit(origin: Origin, network: string): Promise<void>
  log: Logger
  tracker: Tracker
}

/** The reason in the entry of an address that is limited. */
export const loginsLimited = (network: string) => reasons.reason_logins_limited({ network }).text

/** 20 at once and 20 a minute, and no more than 300 an hour. */
const attemptRates: readonly Rate[] = [
  { per_second: 20 / 60, burst: 20 },
  { per_second: 300 / 3600, burst: 300 },
]

const hashOfName = (network: string, place: number) =>
  createHash('sha256').update(`log-in ${place} ${network}`).digest()

/** Undefined if there is room. The refusal is the caller's to give: people who have logged in from the address before are let in. */
const openAttempts = ({ config, database, clock, audit }: Around): LoginLimits['attempts'] => {
  const entries = new Limit({ most: 1, window_ms: 60 * 60 * 1000 })
  return {
    async take(origin) {
      const network = networkOf(origin.clientAddr)
      if (!config.rate_limits) return undefined
      const now = clock.now()
      const counted = attemptRates.map((rate, place) => ({ name_hash: hashOfName(network, place), rate }))
      const rows = await database.transaction({ tenantId: null, userId: null }, 'read write', tx =>
        countRates(tx, counted, now),
      )
      const rooms = counted.map(({ name_hash, rate }) => {
        const { is_allowed: isAllowed, full_at } = rows.find(each => each.name_hash.equals(name_hash))!
        return { rate, room: roomOf(rate, { isAllowed, full_at: Date.parse(full_at), now: now.getTime() }) }
      })
      // The one that keeps the caller waiting longest.
      const limited = rooms
        .filter(({ room }) => !room.isAllowed)
        .sort((a, b) => b.room.retry_seconds - a.room.retry_seconds)[0]
      if (!limited) return undefined
      if (entries.count(network, now)) await audit(origin, network)
      return refusalBy('log-in', limited.rate, limited.room)
    },
  }
}

/** Removes the counts of addresses that have not asked for long. */
export const forgetAttempts = {
  name: 'accounts.rate_limits',
  every_minutes: 60,
  async round({ database, clock }: Services) {
    const done = await database.transaction({ tenantId: null, userId: null }, 'read write', tx =>
      forgetRates(tx, clock.now()),
    )
    return { done, refused: 0, failed: 0 }
  },
}

export const openLoginLimits = ({ config, ...around }: Around): LoginLimits => ({
  attempts: openAttempts({ config, ...around }),
  failures: new Limit({ most: config.login_failures_per_address, window_ms: 15 * 60 * 1000 }),
  linkRequests: new Limit({ most: 20, window_ms: 60 * 60 * 1000 }),
  // A company of two thousand comes from one address at the beginning of a shift.
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
