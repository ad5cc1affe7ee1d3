import type { PrepareContext, Writing } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import type { Clock } from '#kernel/clock.ts'
import { forbidden, unauthorized } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { verifyPassword } from '#platform/crypto/password.ts'
import type { DerivedKeys } from '#platform/crypto/secrets.ts'
import { openTotpSecret, verifyTotp } from '#platform/crypto/totp.ts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { listAdmins } from './people.ts'
import {
  type Credentials,
  clearFailures,
  countFailure,
  findCredentials,
  lockCredentials,
  spendTotpStep,
} from './queries.ts'
import { alarmingFailures, isFresh, isLocked, lockSeconds, signingBlockedReason } from './rules.ts'
import { readSettings } from './settings.ts'

interface Proof {
  password: string
  otp?: string | undefined
}

interface Attempt {
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  inSeparateTransaction<T>(work: (writing: Writing) => Promise<T>): Promise<T>
  keys: DerivedKeys
  clock: Clock
  userId: number
  /** The audit events of a failed attempt and of a successful one. */
  refused: EventName
  accepted?: EventName
  /** Requires the code of the second factor from people who have one. */
  withTotp: boolean
}

type Verdict =
  | { ok: true; credentials: Credentials; amr: string[] }
  | {
      ok: false
      reason: 'account_locked' | 'account_inactive' | 'wrong_password' | 'code_missing' | 'wrong_code' | 'used_code'
    }

const reasons = {
  account_locked: 'The account is locked',
  account_inactive: 'The account is not active',
  wrong_password: 'Wrong password',
  code_missing: 'The code is missing',
  wrong_code: 'Wrong code',
  used_code: 'The code was used before',
}

/**
 * One attempt to prove an identity. The password is always checked, and outside of any transaction: the time of the answer must not
 * reveal that the account is locked. The result is decided and counted under the lock of the account's row.
 */
export async function attempt(details: Attempt, proof: Proof): Promise<Verdict> {
  const known = await details.read(tx => findCredentials(tx, details.userId))
  if (!known) throw new Error(`user ${details.userId} has no credentials`)
  const isRight = await verifyPassword(known.password_hash, proof.password)
  return details.inSeparateTransaction(writing =>
    settle(writing, details, proof, isRight ? known.password_hash : undefined),
  )
}

async function settle(
  { tx, record }: Writing,
  { userId, keys, clock, withTotp, refused, accepted }: Attempt,
  { otp }: Proof,
  matched: string | undefined,
): Promise<Verdict> {
  const now = clock.now()
  const credentials = await lockCredentials(tx, userId)
  // The entry of a refused signature has no record, because no signature was made.
  const id = refused.startsWith('auth.') ? userId : null
  const refuse = async (
    reason: Exclude<Verdict, { ok: true }>['reason'],
    { counts }: { counts: boolean },
  ): Promise<Verdict> => {
    const failures = credentials.failed_attempts + (counts ? 1 : 0)
    // 21 CFR 11.300(d): repeated failures look like an attempt on another person's signature, so Admins are notified at once.
    const isAlarming = refused === 'signature.denied' && failures >= alarmingFailures
    const notify = counts && isAlarming ? await listAdmins(tx) : []
    record(refused, id, { outcome: 'denied', reason: reasons[reason], notify })
    if (counts) {
      const seconds = lockSeconds(failures)
      await countFailure(tx, userId, failures, seconds === undefined ? null : new Date(now.getTime() + seconds * 1000))
      if (seconds !== undefined)
        record('auth.locked', userId, {
          outcome: 'denied',
          reason: `${failures} failed attempts in a row: locked for ${seconds} seconds`,
          notify: await listAdmins(tx),
        })
    }
    return { ok: false, reason }
  }

  if (!credentials.is_active) return refuse('account_inactive', { counts: false })
  if (isLocked(credentials, now)) return refuse('account_locked', { counts: false })
  // Compared again: another request may have changed the password since it was checked.
  if (matched !== credentials.password_hash) return refuse('wrong_password', { counts: true })
  const amr = ['pwd']
  if (withTotp && credentials.totp_secret && credentials.totp_confirmed_at) {
    if (otp === undefined) return refuse('code_missing', { counts: true })
    const step = verifyTotp(openTotpSecret(keys.totp, userId, credentials.totp_secret), otp, now, -1)
    if (step === undefined) return refuse('wrong_code', { counts: true })
    // Sending the same code twice is no guess, so it does not count towards the lock.
    if (!(await spendTotpStep(tx, userId, step))) return refuse('used_code', { counts: false })
    amr.push('otp')
  }
  await clearFailures(tx, userId)
  if (accepted) record(accepted, id)
  return { ok: true, credentials, amr }
}

/** RFC 9470: the token is valid, but its proof of identity is not enough. */
const insufficient = (message: Message, maxAgeSeconds: number) =>
  unauthorized(message, `error="insufficient_user_authentication", max_age="${maxAgeSeconds}"`)

const attemptOf = ({ actor, services, read, inSeparateTransaction }: PrepareContext) => ({
  read,
  inSeparateTransaction,
  keys: services.keys,
  clock: services.clock,
  userId: actor.userId!,
})

/** A change of one's own account needs the password; without it the answer is a 401. */
export async function requirePassword(context: PrepareContext, password: string): Promise<Credentials> {
  const verdict = await attempt({ ...attemptOf(context), refused: 'auth.proof_failed', withTotp: false }, { password })
  if (!verdict.ok) throw insufficient(messages.password_incorrect(), 0)
  return verdict.credentials
}

export interface ProvenIdentity {
  method: 'password' | 'password_otp' | 'session'
  /** In seconds since 1970; with `session` the time of the log-in. */
  authenticated_at: number
}

/**
 * 21 CFR 11.200: a signer proves their identity by the password (and the code of their second factor), or by a log-in that is not
 * older than the tenant or the installation allows. A failure counts towards the lock of the account and is audited as
 * `signature.denied`. Called in `prepare`, because hashing takes long and the count of failures must survive a rollback.
 */
export async function proveIdentity(
  context: PrepareContext,
  { password, otp }: { password?: string | undefined; otp?: string | undefined },
): Promise<ProvenIdentity> {
  const { actor, services, read } = context
  const now = services.clock.now()
  const { settings, signer } = await read(async tx => ({
    settings: await readSettings(tx),
    signer: (await findCredentials(tx, actor.userId!))!,
  }))
  const blocked = signingBlockedReason(signer, settings)
  if (blocked)
    throw forbidden(blocked).withAuditEntry({ event: 'signature.denied', outcome: 'denied', reason: blocked.text })
  const minutes = settings.signature_otp_required
    ? 0
    : (settings.signature_reauth_minutes ?? services.config.signature_reauth_minutes)
  const refusal = (message: Message) => insufficient(message, minutes * 60)
  if (password === undefined) {
    if (isFresh(actor.authTime, now, minutes)) return { method: 'session', authenticated_at: actor.authTime }
    throw refusal(
      settings.signature_otp_required
        ? messages.signing_password_and_code_required()
        : messages.signing_password_required(),
    ).withAuditEntry({
      event: 'signature.denied',
      outcome: 'denied',
      reason: 'The log-in is too long ago, and no password was given',
    })
  }
  const verdict = await attempt(
    { ...attemptOf(context), refused: 'signature.denied', withTotp: true },
    { password, otp },
  )
  if (verdict.ok)
    return {
      method: verdict.amr.includes('otp') ? 'password_otp' : 'password',
      authenticated_at: Math.floor(now.getTime() / 1000),
    }
  if (verdict.reason === 'used_code') throw refusal(messages.signing_code_already_used())
  throw refusal(messages.signing_password_or_code_incorrect())
}
