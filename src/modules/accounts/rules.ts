/** Failures in a row that lock an account; the last number locks it until an Admin resets the password (NIST SP 800-63B). */
const failures_to_lock = 5
const failures_to_stop = 100
const first_lock_seconds = 30
const longest_lock_seconds = 15 * 60

/** For how long the failure that makes it `failures` in a row locks the account; undefined while it does not. */
export function lockSeconds(failures: number): number | undefined {
  if (failures < failures_to_lock) return undefined
  return Math.min(first_lock_seconds * 2 ** Math.min(failures - failures_to_lock, 10), longest_lock_seconds)
}

export const isLocked = (
  { failed_attempts, locked_until }: { failed_attempts: number; locked_until: string | null },
  now: Date,
) => failed_attempts >= failures_to_stop || (locked_until !== null && new Date(locked_until) > now)

/** Whether a log-in at `auth_time` (seconds since 1970) still proves at `now` who signs. Zero minutes: never. */
export const isFresh = (auth_time: number, now: Date, minutes: number) =>
  now.getTime() / 1000 - auth_time < minutes * 60

/** IANA's names alone: an offset such as +02:00 knows no summer time. */
export function isTimeZone(name: string) {
  try {
    return (
      /^[A-Za-z]/.test(name) &&
      new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== undefined
    )
  } catch {
    return false
  }
}
