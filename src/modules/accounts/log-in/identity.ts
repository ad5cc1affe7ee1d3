import type { Actor, PrepareContext, Writing } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import type { Clock } from '#kernel/clock.ts'
import { type AppError, forbidden, invalidField, unauthorized } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import type { ProofOfIdentity } from '#kernel/schema.ts'
import { dummyVerify, verifyPassword } from '#platform/crypto/password.ts'
import type { DerivedKeys } from '#platform/crypto/secrets.ts'
import { openTotpSecret, verifyTotp } from '#platform/crypto/totp.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Logger } from '#platform/log/log.ts'
import { messages, reasons } from '../messages.ts'
import { listAdmins } from '../people-queries.ts'
import {
  type Credentials,
  clearFailures,
  countFailure,
  findCredentials,
  lockCredentials,
  noteLogin,
  spendTotpStep,
} from '../queries.ts'
import {
  alarmingFailures,
  isFresh,
  isLocked,
  isTemporaryPasswordOver,
  lockSeconds,
  signingBlockedReason,
} from '../rules.ts'
import type { SignatureMethod } from '../signing/rules.ts'
import { type SpentProof, spendChallenge } from '../signing/spend.ts'
import { readSettings } from '../tenants/settings.ts'
import type { BegunLogin } from './begin.ts'
import { tellOfBreakGlass } from './by-proof.ts'
import { type LoginCounter, openLoginCounter } from './failures.ts'

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
  /** The audit event of a failed attempt. */
  refused: EventName
  /** Without it the attempt is inside a valid session, and is counted apart from log-ins. */
  login?: LoginAttempt
  log: Logger
  /** Requires the code of the second factor from people who have one. */
  withTotp: boolean
}

interface LoginAttempt {
  /** The network address. */
  address: string
  /** Too many log-ins from the address failed, so it lets in only people who have logged in from it before. */
  isAddressLimited: boolean
  /** Begins the session, in the transaction that counts and records the log-in. */
  begin(writing: Writing, credentials: Credentials, amr: string[]): Promise<BegunLogin>
}

type Verdict =
  | { ok: true; credentials: Credentials; amr: string[]; login?: BegunLogin }
  | {
      ok: false
      reason: Message
    }

/**
 * One attempt to prove an identity. The password is always checked, and outside of any transaction: the time of the answer must not
 * reveal that the account is locked. The result is decided and counted under the lock of the account's row.
 */
export async function attempt(details: Attempt, proof: Proof): Promise<Verdict> {
  const known = await details.read(tx => findCredentials(tx, details.userId))
  if (!known) throw new Error(`user ${details.userId} has no credentials`)
  const address = details.login?.address
  // An account without a password costs the same time, and so does not show that it has none.
  const isRight =
    known.password_hash === null
      ? await dummyVerify(proof.password, address)
      : await verifyPassword(known.password_hash, proof.password, address)
  const { verdict, locks } = await details.inSeparateTransaction(writing =>
    settle(writing, details, proof, isRight ? (known.password_hash ?? undefined) : undefined),
  )
  for (const reason of locks) details.log.child({ logger: 'attest.accounts' }).warn(`user ${details.userId}: ${reason}`)
  return verdict
}

/** Failures inside a session, such as of signatures: only a holder of the user's token can cause them. */
const openSessionCounter = (
  { tx, record }: Writing,
  { userId, refused, now }: Pick<Attempt, 'userId' | 'refused'> & { now: Date },
  credentials: Credentials,
): LoginCounter => ({
  isStranger: false,
  isLocked: isLocked(credentials, now),
  async fail(reason, { counts }) {
    const failures = credentials.failed_attempts + (counts ? 1 : 0)
    // 21 CFR 11.300(d): repeated failures look like an attempt on another person's signature, so Admins are notified at once.
    const isAlarming = counts && refused === 'signature.denied' && failures >= alarmingFailures
    // The entry of a refused signature has no record, because no signature was made.
    record(refused, refused.startsWith('auth.') ? userId : null, {
      outcome: 'denied',
      reason,
      notify: isAlarming ? await listAdmins(tx) : [],
    })
    if (!counts) return []
    const seconds = lockSeconds(failures)
    await countFailure(tx, userId, failures, seconds === undefined ? null : new Date(now.getTime() + seconds * 1000))
    if (seconds === undefined) return []
    return [
      {
        seconds,
        reason: reasons.reason_locked_in_session({ failures, seconds }).text,
      },
    ]
  },
  succeed: () => clearFailures(tx, userId).then(() => undefined),
})

async function settle(
  writing: Writing,
  { userId, keys, clock, withTotp, refused, login }: Attempt,
  { otp }: Proof,
  matched: string | undefined,
): Promise<{ verdict: Verdict; locks: string[] }> {
  const { tx, record } = writing
  const now = clock.now()
  const credentials = await lockCredentials(tx, userId)
  const counter =
    login === undefined
      ? openSessionCounter(writing, { userId, refused, now }, credentials)
      : await openLoginCounter(writing, { userId, address: login.address, now })
  const refuse = async (reason: Message, options: { counts: boolean }) => {
    const locks = await counter.fail(reason.text, options)
    for (const lock of locks)
      record('auth.locked', userId, { outcome: 'denied', reason: lock.reason, notify: await listAdmins(tx) })
    return { verdict: { ok: false as const, reason }, locks: locks.map(lock => lock.reason) }
  }

  if (!credentials.is_active) return refuse(reasons.reason_account_inactive(), { counts: false })
  if (counter.isLocked) return refuse(reasons.reason_account_locked(), { counts: false })
  if (login?.isAddressLimited && counter.isStranger) return refuse(reasons.reason_address_limited(), { counts: false })
  if (login && !credentials.is_break_glass && (await readSettings(tx)).sso_required)
    return refuse(reasons.reason_sso_required(), { counts: false })
  // Compared again: another request may have changed the password since it was checked.
  if (matched === undefined || matched !== credentials.password_hash)
    return refuse(reasons.reason_password_wrong(), { counts: true })
  if (isTemporaryPasswordOver(credentials, now))
    return refuse(reasons.reason_temporary_password_over(), { counts: false })
  const amr = ['pwd']
  if (withTotp && credentials.totp_secret && credentials.totp_confirmed_at) {
    if (otp === undefined) return refuse(reasons.reason_code_missing(), { counts: true })
    const secret = openTotpSecret(keys.totp, userId, credentials.totp_secret)
    if (secret === undefined) return refuse(reasons.reason_code_unverifiable(), { counts: false })
    const step = verifyTotp(secret, otp, now, -1)
    if (step === undefined) return refuse(reasons.reason_code_wrong(), { counts: true })
    // Sending the same code twice is no guess, so it does not count towards the lock.
    if (!(await spendTotpStep(tx, userId, step))) return refuse(reasons.reason_code_used(), { counts: false })
    amr.push('otp')
  }
  await counter.succeed()
  if (login === undefined) return { verdict: { ok: true, credentials, amr }, locks: [] }
  await noteLogin(tx, userId, now)
  const begun = await login.begin(writing, credentials, amr)
  record('auth.logged_in', userId, { after: { session: begun.session.id, session_kind: begun.session.kind } })
  await tellOfBreakGlass(writing, credentials, begun)
  return { verdict: { ok: true, credentials, amr, login: begun }, locks: [] }
}

/** RFC 9470: the token is valid, but its proof of identity is not enough. */
const insufficient = (message: Message, maxAgeSeconds: number) =>
  unauthorized(message, `error="insufficient_user_authentication", max_age="${maxAgeSeconds}"`)

/** For what would let somebody else act for long: a browser that was left open is not enough. */
export function requireRecentLogin({ authTime }: Pick<Actor, 'authTime'>, now: Date, minutes: number) {
  if (!isFresh(authTime, now, minutes)) throw insufficient(messages.login_not_recent({ minutes }), minutes * 60)
}

const attemptOf = ({ actor, services, read, inSeparateTransaction }: PrepareContext) => ({
  read,
  inSeparateTransaction,
  keys: services.keys,
  clock: services.clock,
  log: services.log,
  userId: actor.userId!,
})

/** A change of one's own account needs the password; without it the answer is a 401. */
export async function requirePassword(context: PrepareContext, password: string): Promise<Credentials> {
  const verdict = await attempt({ ...attemptOf(context), refused: 'auth.proof_failed', withTotp: false }, { password })
  if (!verdict.ok) throw insufficient(messages.password_incorrect(), 0)
  return verdict.credentials
}

/** The password alone does not remove a second factor: the factor is there for the day when somebody else knows the password. */
export async function requirePasswordAndCode(context: PrepareContext, proof: Proof): Promise<Credentials> {
  const verdict = await attempt({ ...attemptOf(context), refused: 'auth.proof_failed', withTotp: true }, proof)
  if (verdict.ok) return verdict.credentials
  if (verdict.reason.code === 'reason_code_used') throw insufficient(messages.signing_code_already_used(), 0)
  throw insufficient(messages.signing_password_or_code_incorrect(), 0)
}

/** A change of one's own account, as soon after a log-in that the person is still there; otherwise the password, and the code. */
export async function requirePasswordOrRecentLogin(
  context: PrepareContext,
  { password, otp }: { password?: string | undefined; otp?: string | undefined },
  minutes: number,
) {
  if (password !== undefined) return requirePasswordAndCode(context, { password, otp })
  if (!isFresh(context.actor.authTime, context.services.clock.now(), minutes))
    throw insufficient(messages.password_for_change_required(), minutes * 60)
}

export interface ProvenIdentity {
  method: SignatureMethod
  /** In seconds since 1970; with `session` the time of the log-in. */
  authenticated_at: number
  /** The proof by a passkey or a provider that signed the challenge. The signature keeps it. */
  proof?: SpentProof
}

/** The actor may sign, however they will prove who they are. */
export async function requireSigner(tx: Tx, actor: Actor, { isByChallenge }: { isByChallenge: boolean }) {
  if (actor.apiKey)
    throw forbidden(messages.service_account_cannot_sign()).withAuditEntry({
      event: 'signature.denied',
      outcome: 'denied',
      reason: reasons.reason_service_account_signs().text,
    })
  // The system reads records too, and what their readers may do is asked of it like of anybody.
  if (actor.userId === null) throw forbidden(messages.system_cannot_sign())
  const [settings, signer] = await Promise.all([readSettings(tx), findCredentials(tx, actor.userId)])
  const blocked = signingBlockedReason(signer!, {
    ...settings,
    // A passkey is two factors by itself: the device, and what unlocks it. A provider is asked at the proof.
    signature_otp_required: settings.signature_otp_required && !isByChallenge,
  })
  if (blocked) throw denySignature(forbidden(blocked), blocked.text)
}

/** The actor may sign by one of the methods that their company accepts. */
export async function requireSignerByAnyMethod(tx: Tx, actor: Actor) {
  const { signature_methods } = await readSettings(tx)
  const isByChallenge = signature_methods.some(method => method === 'passkey' || method === 'provider')
  return requireSigner(tx, actor, { isByChallenge })
}

/**
 * 21 CFR 11.200: a signer proves their identity by the password (and the code of their second factor), by a passkey or their provider, which
 * sign what they are about to do, or by a log-in that is not older than the tenant or the installation allows. A failure counts towards the lock of the account
 * and is audited as `signature.denied`. Called in `prepare`, because hashing takes long and the count of failures must survive a rollback.
 */
export async function proveIdentity(
  context: PrepareContext,
  { password, otp, signing_challenge }: ProofOfIdentity,
): Promise<ProvenIdentity> {
  const { actor, services, read, rehearsal } = context
  const now = services.clock.now()
  const isByChallenge = rehearsal !== undefined || signing_challenge !== undefined
  const settings = await read(async tx => {
    await requireSigner(tx, actor, { isByChallenge })
    return readSettings(tx)
  })
  const accepted = settings.signature_methods
  const minutes =
    settings.signature_otp_required || !accepted.includes('session')
      ? 0
      : (settings.signature_reauth_minutes ?? services.config.signature_reauth_minutes)
  const refusal = (message: Message) => insufficient(message, minutes * 60)
  const notAccepted = () => {
    const message = messages.signing_method_not_accepted({ methods: accepted })
    return denySignature(refusal(message), message.text)
  }
  if (rehearsal) {
    if (!accepted.includes(rehearsal.method)) throw notAccepted()
    rehearsal.ask()
    return { method: rehearsal.method, authenticated_at: Math.floor(now.getTime() / 1000) }
  }
  if (signing_challenge !== undefined) {
    if (password !== undefined) throw invalidField('signing_challenge', messages.signing_proofs_two())
    const proof = await spendChallenge(context, signing_challenge)
    if ('refused' in proof) throw denySignature(refusal(messages.signing_challenge_refused()), proof.refused)
    if (!accepted.includes(proof.kind)) throw notAccepted()
    if (settings.signature_otp_required && !proof.isMultiFactor)
      throw denySignature(
        refusal(messages.signing_provider_second_factor_missing()),
        reasons.reason_signing_second_factor_missing().text,
      )
    return { method: proof.kind, authenticated_at: proof.authenticated_at, proof }
  }
  if (password === undefined) {
    // A log-in with a passkey proves nothing of a password, and the passkey itself can sign. A provider said who it is at the log-in, and
    // asked them for nothing since.
    const isByPassword = !actor.session?.provider && (actor.session?.amr.includes('pwd') ?? true)
    if (isByPassword && isFresh(actor.authTime, now, minutes))
      return { method: 'session', authenticated_at: actor.authTime }
    throw denySignature(
      refusal(
        settings.signature_otp_required
          ? messages.signing_password_and_code_required()
          : messages.signing_password_required(),
      ),
      reasons.reason_login_too_old().text,
    )
  }
  if (!accepted.includes('password') && !accepted.includes('password_otp')) throw notAccepted()
  const verdict = await attempt(
    { ...attemptOf(context), refused: 'signature.denied', withTotp: true },
    { password, otp },
  )
  if (verdict.ok) {
    const method = verdict.amr.includes('otp') ? 'password_otp' : 'password'
    if (!accepted.includes(method)) throw notAccepted()
    return { method, authenticated_at: Math.floor(now.getTime() / 1000) }
  }
  if (verdict.reason.code === 'reason_code_used') throw refusal(messages.signing_code_already_used())
  throw refusal(messages.signing_password_or_code_incorrect())
}

const denySignature = (error: AppError, reason: string) =>
  error.withAuditEntry({ event: 'signature.denied', outcome: 'denied', reason })
