import type { Message } from '#kernel/message.ts'
import { messages } from './messages.ts'

/** Failures in a row that lock an account for a time, and until an Admin resets the password (NIST SP 800-63B). */
const lockingFailures = 5
const disablingFailures = 100
/** Failed signatures in a row after which the Admins are notified. */
export const alarmingFailures = 3
const firstLockSeconds = 30
const maxLockSeconds = 15 * 60
/** The clocks of two machines of one installation differ by less. */
const maxClockSkewSeconds = 15 * 60

/** The duration of the lock after so many failures in a row; undefined without a lock. */
export function lockSeconds(failures: number): number | undefined {
  if (failures < lockingFailures) return undefined
  return Math.min(firstLockSeconds * 2 ** Math.min(failures - lockingFailures, 10), maxLockSeconds)
}

/** A lock with more time left than any lock lasts has ended: the clock was set back since. The next failure locks again. */
export function isLocked(
  { failed_attempts, locked_until }: { failed_attempts: number; locked_until: string | null },
  now: Date,
) {
  if (failed_attempts >= disablingFailures) return true
  const leftSeconds = locked_until === null ? 0 : (Date.parse(locked_until) - now.getTime()) / 1000
  return leftSeconds > 0 && leftSeconds <= maxLockSeconds + maxClockSkewSeconds
}

/** True while a log-in (in seconds since 1970) still proves the identity of a signer; with zero minutes it never does. */
export const isFresh = (authTime: number, now: Date, minutes: number) => now.getTime() / 1000 - authTime < minutes * 60

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

/** Only names of IANA's database, because an offset such as +02:00 has no daylight saving time. */
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
