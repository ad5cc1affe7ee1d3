import type { Message } from '#kernel/message.ts'
import { messages } from './messages.ts'

/** Failures in a row that lock an account for a time, for one network address or inside a session. */
const lockingFailures = 5
/** Failures in a row, from all addresses without a successful log-in, that lock the account for such addresses (NIST SP 800-63B). */
const lockingFailuresAnywhere = 100
/** Failed signatures in a row after which the Admins are notified. */
export const alarmingFailures = 3
const firstLockSeconds = 30
const maxLockSeconds = 15 * 60
/** The clocks of two machines of one installation differ by less. */
const maxClockSkewSeconds = 15 * 60

/** The limit of a service account for which nobody has set another. */
export const usualRequestsPerSecond = 20

/** Failures of one address are stated together in one audit entry for so long. */
export const repeatedMs = 15 * 60 * 1000
/** An address without a successful log-in is forgotten after so long, and one with it after so long. */
export const strangerMemoryMs = 24 * 60 * 60 * 1000
export const addressMemoryMs = 90 * 24 * 60 * 60 * 1000
/** A temporary password that nobody has used by then was lost or is in the wrong hands. */
const temporaryPasswordMs = 72 * 60 * 60 * 1000

/** From the moment at which the message with the link is sent. */
export const linkLifetimeMs = { reset: 30 * 60 * 1000, invitation: 48 * 60 * 60 * 1000 }
/** A link that could not be sent for so long is not expected any more. */
const unsentLinkMs = 24 * 60 * 60 * 1000
/** More links for one user within an hour would only fill the mailbox. */
export const maxLinksAnHour = 3
/** For so long, the former address was told of the change and its owner may object. */
const addressHoldMs = 24 * 60 * 60 * 1000

/** The moment from which on links may be sent to the address; undefined if they may already. */
export function addressHeldUntil(
  { email_changed_at, last_login_at }: { email_changed_at: string | null; last_login_at: string | null },
  now: Date,
): string | undefined {
  // Nobody loses an account that was never used, such as one with a misspelled address.
  if (email_changed_at === null || last_login_at === null) return undefined
  const until = Date.parse(email_changed_at) + addressHoldMs
  return until > now.getTime() ? new Date(until).toISOString() : undefined
}

interface Link {
  requested_at: string
  expires_at: string | null
  ended_at: string | null
  /** The sessions that the account had when the link was asked for have ended. */
  is_session_over: boolean
}
export const isLinkSendable = ({ ended_at, requested_at, is_session_over }: Link, now: Date) =>
  ended_at === null && !is_session_over && now.getTime() - Date.parse(requested_at) < unsentLinkMs
export const isLinkOpen = ({ ended_at, expires_at, is_session_over }: Link, now: Date) =>
  ended_at === null && !is_session_over && expires_at !== null && Date.parse(expires_at) > now.getTime()

/** The name of the counter for all addresses without a successful log-in. */
export const anywhere = 'anywhere'

export const lockSecondsAnywhere = (failures: number) =>
  failures < lockingFailuresAnywhere ? undefined : maxLockSeconds

export const isTemporaryPasswordOver = (
  { must_change_password, password_changed_at }: { must_change_password: boolean; password_changed_at: string },
  now: Date,
) => must_change_password && now.getTime() - Date.parse(password_changed_at) > temporaryPasswordMs

interface Repeats {
  repeated: number
  repeated_since: string | null
}
/** The first failure of a quarter of an hour has an audit entry at once; later ones are counted and stated together. */
export const isFirstOfPeriod = ({ repeated_since }: Repeats, now: Date) =>
  repeated_since === null || Math.abs(now.getTime() - Date.parse(repeated_since)) >= repeatedMs

/** The duration of the lock after so many failures in a row; undefined without a lock. */
export function lockSeconds(failures: number): number | undefined {
  if (failures < lockingFailures) return undefined
  return Math.min(firstLockSeconds * 2 ** Math.min(failures - lockingFailures, 10), maxLockSeconds)
}

/** A lock with more time left than any lock lasts has ended: the clock was set back since. The next failure locks again. */
export function isLocked({ locked_until }: { locked_until: string | null }, now: Date) {
  const leftSeconds = locked_until === null ? 0 : (Date.parse(locked_until) - now.getTime()) / 1000
  return leftSeconds > 0 && leftSeconds <= maxLockSeconds + maxClockSkewSeconds
}

/** True while a log-in (in seconds since 1970) still proves the identity of a signer; with zero minutes it never does. */
export const isFresh = (authTime: number, now: Date, minutes: number) => now.getTime() / 1000 - authTime < minutes * 60

interface SignerNow {
  full_name: string | null
  totp_confirmed_at: string | null
  identity_reset_at: string | null
  identity_verified_at: string | null
  signature_statement_version: number | null
}
interface SigningPolicy {
  signature_otp_required: boolean
  signature_identity_verified_required: boolean
  signature_statement: { version: number } | null
}

/** The first condition for signing that the person does not meet; a reset blocks whatever the tenant has set. */
export function signingBlockedReason(signer: SignerNow, policy: SigningPolicy): Message | undefined {
  if (signer.identity_reset_at !== null) return messages.signing_identity_reset()
  // 21 CFR 11.50(a)(1): a signature shows the printed name of its signer.
  if (!signer.full_name?.trim()) return messages.signing_full_name_missing()
  if (policy.signature_identity_verified_required && signer.identity_verified_at === null)
    return messages.signing_identity_not_verified()
  if (policy.signature_otp_required && signer.totp_confirmed_at === null)
    return messages.signing_second_factor_missing()
  const { signature_statement: statement } = policy
  if (statement && signer.signature_statement_version !== statement.version)
    return messages.signing_statement_not_accepted({ version: statement.version })
  return undefined
}

interface Verifier {
  id: number
  created_at: string
  identity_reset_at: string | null
}
interface Verified {
  id: number
  created_by: number | null
  identity_reset_at: string | null
  account_openers: readonly number[]
}

/**
 * Whoever could have logged in as the user does not say who the user is: the creator of the account, and the people who reset its
 * password or changed its e-mail address since the last verification. An account that is younger than the reset may have been made for it.
 */
export function verificationRefusal(verifier: Verifier, user: Verified): Message | undefined {
  if (verifier.id === user.id) return messages.user_own_identity()
  if (verifier.id === user.created_by || user.account_openers.includes(verifier.id))
    return messages.user_identity_by_opener()
  if (verifier.identity_reset_at !== null) return messages.user_identity_verifier_reset()
  if (user.identity_reset_at !== null && verifier.created_at >= user.identity_reset_at)
    return messages.user_identity_verifier_too_new()
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
