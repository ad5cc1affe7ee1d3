import { keepNewest } from '#kernel/keep-newest.ts'

/** So many requests in a second on average, and so many at once. */
export interface Rate {
  per_second: number
  burst: number
}

export interface Room {
  isAllowed: boolean
  /** How many more would be allowed at once. */
  remaining: number
  /** Until the next one is allowed. */
  retry_seconds: number
  /** Until all of the burst is there again. */
  full_seconds: number
}

/** The room of a name whose next request was counted up to `full_at`, in milliseconds; or whose request was refused at that. */
export function roomOf(
  { per_second, burst }: Rate,
  { isAllowed, full_at, now }: { isAllowed: boolean; full_at: number; now: number },
): Room {
  const emission = 1000 / per_second
  const used = Math.max(0, full_at - now)
  return {
    isAllowed,
    remaining: isAllowed ? Math.max(0, Math.floor((burst * emission - used) / emission + 1e-9)) : 0,
    retry_seconds: isAllowed ? 0 : Math.max(1, Math.ceil((used + emission - burst * emission) / 1000)),
    full_seconds: Math.ceil(used / 1000),
  }
}

/**
 * The generic cell rate algorithm: of each name it keeps one number, the moment at which its room is full again. Each process counts its own.
 * The names that asked longest ago go first, so that a flood of names cannot fill the memory.
 */
export class RateLimit {
  readonly #full = new Map<string, number>()
  readonly #most: number

  constructor(most = 100_000) {
    this.#most = most
  }

  take(name: string, rate: Rate, now: number): Room {
    const { next, isAllowed, full_at } = this.#look(name, rate, now)
    if (isAllowed) keepNewest(this.#full, name, next, this.#most)
    return roomOf(rate, { isAllowed, full_at: isAllowed ? next : full_at, now })
  }

  /** Whether the next one would be refused, without counting it. */
  look(name: string, rate: Rate, now: number): Room {
    const { isAllowed, full_at } = this.#look(name, rate, now)
    return roomOf(rate, { isAllowed, full_at, now })
  }

  #look(name: string, { per_second, burst }: Rate, now: number) {
    const emission = 1000 / per_second
    const known = this.#full.get(name) ?? now
    // Later than any request can move it: the clock was set back, which must not refuse for hours.
    const full_at = known - now > burst * emission ? now : Math.max(known, now)
    const next = full_at + emission
    return { next, full_at, isAllowed: next - now <= burst * emission + 1e-6 }
  }
}
