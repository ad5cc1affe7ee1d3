import { keepNewest } from '#kernel/keep-newest.ts'

/** The most names that are kept: the oldest go first, so that a flood of addresses cannot fill the memory. */
const maxKept = 50_000

interface Window {
  since: number
  count: number
}

/** Counts events by name within windows of time. Each process counts its own, and forgets them when it ends. */
export class Limit {
  readonly #most: number
  readonly #window_ms: number
  readonly #windows = new Map<string, Window>()

  constructor({ most, window_ms }: { most: number; window_ms: number }) {
    this.#most = most
    this.#window_ms = window_ms
  }

  /** The seconds until the name is below the limit again; undefined if it is. */
  secondsLeft(name: string, now: Date): number | undefined {
    const window = this.#open(name, now)
    if (!window || window.count < this.#most) return undefined
    return Math.ceil((window.since + this.#window_ms - now.getTime()) / 1000)
  }

  /** True for the event that reaches the limit. */
  count(name: string, now: Date): boolean {
    const window = this.#open(name, now) ?? { since: now.getTime(), count: 0 }
    window.count += 1
    // The one that was counted last is the last to be forgotten.
    keepNewest(this.#windows, name, window, maxKept)
    return window.count === this.#most
  }

  #open(name: string, now: Date): Window | undefined {
    const window = this.#windows.get(name)
    // A clock that was set back must not keep a window open.
    return window && Math.abs(now.getTime() - window.since) < this.#window_ms ? window : undefined
  }
}
