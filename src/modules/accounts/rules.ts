import type { Message } from '#kernel/message.ts'
import { messages } from './messages.ts'

/** Failures in a row that lock an account; the last number locks it until an Admin resets the password (NIST SP 800-63B). */
const failures_to_lock = 5
const failures_to_stop = 100
/** Failed signatures in a row of which the Admins are told. */
export const failures_to_alarm = 3
const first_lock_seconds = 30
const longest_lock_seconds = 15 * 60
/** By which the clocks of two machines of one installation surely do not differ. */
const clocks_apart_seconds = 15 * 60

/** For how long the failure that makes it `failures` in a row locks the account; undefined while it does not. */
export function lockSeconds(failures: number): number | undefined {
  if (failures < failures_to_lock) return undefined
  return Math.min(first_lock_seconds * 2 ** Math.min(failures - failures_to_lock, 10), longest_lock_seconds)
}

/** Of a lock that would last far longer than any, the clock has been set back since: it is over. The next failure locks again. */
export function isLocked(
  { failed_attempts, locked_until }: { failed_attempts: number; locked_until: string | null },
  now: Date,
) {
  if (failed_attempts >= failures_to_stop) return true
  const left_seconds = locked_until === null ? 0 : (Date.parse(locked_until) - now.getTime()) / 1000
  return left_seconds > 0 && left_seconds <= longest_lock_seconds + clocks_apart_seconds
}

/** Whether a log-in at `auth_time` (seconds since 1970) still proves at `now` who signs. Zero minutes: never. */
export const isFresh = (auth_time: number, now: Date, minutes: number) =>
  now.getTime() / 1000 - auth_time < minutes * 60

interface SignerNow {
  totp_confirmed_at: string | null
  identity_verified_at: string | null
  signature_statement_version: number | null
}
interface SigningPolicy {
  signature_otp_required: boolean
  signature_identity_verified_required: boolean
  signature_statement: { version: number } | null
}

/** The first condition of this tenant for signing that the person does not meet. */
export function signingBlockedReason(signer: SignerNow, policy: SigningPolicy): Message | undefined {
  if (policy.signature_identity_verified_required && signer.identity_verified_at === null)
    return messages.signing_identity_not_verified()
  if (policy.signature_otp_required && signer.totp_confirmed_at === null)
    return messages.signing_second_factor_missing()
  const { signature_statement: statement } = policy
  if (statement && signer.signature_statement_version !== statement.version)
    return messages.signing_statement_not_accepted({ version: statement.version })
  return undefined
}

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
