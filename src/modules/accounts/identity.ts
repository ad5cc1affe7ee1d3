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
import { failures_to_alarm, isFresh, isLocked, lockSeconds, signingBlockedReason } from './rules.ts'
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
  /** What the audit trail is told of an attempt that failed, and of one that did not. */
  refused: EventName
  accepted?: EventName
  /** Whether the code of a second factor is asked for, where there is one. */
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
 * One attempt to prove who one is. The password is checked outside of any transaction, and always: the time of the answer must
 * not tell that the account is locked. What the attempt comes to is decided and counted under the lock of the account's row.
 */
export async function attempt(what: Attempt, proof: Proof): Promise<Verdict> {
  const known = await what.read(tx => findCredentials(tx, what.userId))
  if (!known) throw new Error(`user ${what.userId} has no credentials`)
  const isRight = await verifyPassword(known.password_hash, proof.password)
  return what.inSeparateTransaction(writing => settle(writing, what, proof, isRight ? known.password_hash : undefined))
}

async function settle(
  { tx, record }: Writing,
  { userId, keys, clock, withTotp, refused, accepted }: Attempt,
  { otp }: Proof,
  matched: string | undefined,
): Promise<Verdict> {
  const now = clock.now()
  const credentials = await lockCredentials(tx, userId)
  // The entry of a refused signature is about no signature: there is none.
  const id = refused.startsWith('auth.') ? userId : null
  const refuse = async (
    reason: Exclude<Verdict, { ok: true }>['reason'],
    { counts }: { counts: boolean },
  ): Promise<Verdict> => {
    const failures = credentials.failed_attempts + (counts ? 1 : 0)
    // 21 CFR 11.300(d): what looks like somebody trying another person's signature is told at once.
    const isAlarming = refused === 'signature.denied' && failures >= failures_to_alarm
    const concerns = counts && isAlarming ? await listAdmins(tx) : []
    record(refused, id, { outcome: 'denied', reason: reasons[reason], concerns })
    if (counts) {
      const seconds = lockSeconds(failures)
      await countFailure(tx, userId, failures, seconds === undefined ? null : new Date(now.getTime() + seconds * 1000))
      if (seconds !== undefined)
        record('auth.locked', userId, {
          outcome: 'denied',
          reason: `${failures} failed attempts in a row: locked for ${seconds} seconds`,
          concerns: await listAdmins(tx),
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
    // Who sends the same code twice has guessed nothing, and is not locked out for it.
    if (!(await spendTotpStep(tx, userId, step))) return refuse('used_code', { counts: false })
    amr.push('otp')
  }
  await clearFailures(tx, userId)
  if (accepted) record(accepted, id)
  return { ok: true, credentials, amr }
}

/** RFC 9470: the token is good, and what it says of the identity is not enough. */
const insufficient = (message: Message, max_age_seconds: number) =>
  unauthorized(message, `error="insufficient_user_authentication", max_age="${max_age_seconds}"`)

const attemptOf = ({ actor, services, read, inSeparateTransaction }: PrepareContext) => ({
  read,
  inSeparateTransaction,
  keys: services.keys,
  clock: services.clock,
  userId: actor.userId!,
})

/** For a change of one's own account: the password, and a 401 without it. */
export async function requirePassword(context: PrepareContext, password: string): Promise<Credentials> {
  const verdict = await attempt({ ...attemptOf(context), refused: 'auth.proof_failed', withTotp: false }, { password })
  if (!verdict.ok) throw insufficient(messages.password_incorrect(), 0)
  return verdict.credentials
}

export interface ProvenIdentity {
  method: 'password' | 'password_otp' | 'session'
  /** When, in seconds since 1970: the moment of the log-in where the session is the proof. */
  authenticated_at: number
}

/**
 * 21 CFR 11.200: who signs proves who they are, by their password (and the code of their second factor), or by a log-in that is
 * not older than the tenant or the installation allows. A failure counts towards the lock of the account and is remembered as
 * `signature.denied`. To be called while a command prepares: it hashes, and what it counts must stay.
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
