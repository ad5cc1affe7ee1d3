interface Ends {
  idle_ends_at: string | null
  ends_at: string
}

/** The warning comes this long before the end. */
export const warning_minutes = 5

/** The service tells its time by whole seconds, so that ours may be behind it by one. */
const clock_ms = 1_000

/** How many minutes are left, rounded up, and whether a press of a button is enough to stay: before the absolute end it is not. */
export function timeLeft({ idle_ends_at, ends_at }: Ends, now: number) {
  const end = Date.parse(ends_at)
  const idle = idle_ends_at === null ? Number.POSITIVE_INFINITY : Date.parse(idle_ends_at)
  return { minutes: Math.ceil((Math.min(end, idle) - now - clock_ms) / 60_000), canStay: idle < end }
}
