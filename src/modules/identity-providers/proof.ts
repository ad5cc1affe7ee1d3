import type { Services, Writing } from '#action'
import { conflict } from '#kernel/errors.ts'
import {
  acceptProof,
  listAdmins,
  lockChallengeBySha256,
  provingRefusal,
  readSettings,
  refuseProof,
  type SigningProof,
} from '#modules/accounts'
import { canonicalBytes, digest } from '#platform/crypto/canonical.ts'
import { claimsOf, type IdTokenEvidence, idTokenFault } from '#platform/crypto/id-token.ts'
import type { Tx } from '#platform/db/database.ts'
import { isGenuine } from './access.ts'
import { messages, reasons } from './messages.ts'
import { beginFor } from './providers.ts'
import {
  type Attempt,
  emailOf,
  findIdentityOfUser,
  findProvider,
  findProviderOfClient,
  insertKey,
  listKeys,
  listSigningProviders,
  lockIdentityBySubject,
  noteAuthTime,
  type ProviderRow,
} from './queries.ts'
import { type FreshnessFault, freshnessFault, type Moments, namesSecondFactor } from './rules.ts'
import { openIdentitySeal, openKeySeal, sealKey } from './seals.ts'

/** Undefined if somebody overwrote it. */
function readKept(evidence: string): IdTokenEvidence | undefined {
  try {
    const kept = JSON.parse(evidence) as IdTokenEvidence
    return [kept.id_token, kept.issuer, kept.client_id].every(each => typeof each === 'string') ? kept : undefined
  } catch {
    return undefined
  }
}

async function isKeyKnown({ keys }: Services, tx: Tx, { id, issuer }: ProviderRow, jwk_sha256: string) {
  const known = await listKeys(tx, id, jwk_sha256)
  return known.some(key => key.issuer === issuer && openKeySeal(keys, key) !== undefined)
}

export const providerProof: SigningProof = {
  async offer(context, sha256, { return_to }) {
    const { read, actor } = context
    const { settings, email, providers } = await read(async tx => ({
      settings: await readSettings(tx),
      email: await emailOf(tx, actor.userId!),
      providers: await listSigningProviders(tx, actor.userId!, actor.session?.provider?.id ?? null),
    }))
    if (providers.length === 0) throw conflict(messages.identity_provider_cannot_sign())
    const provider = providers.find(each => !settings.signature_otp_required || each.provider_mfa_values.length > 0)
    if (!provider) throw conflict(messages.identity_provider_no_second_factor())
    const { location, cookie } = await beginFor(context, provider, {
      ...{ kind: 'sign', returnTo: return_to, challengeSha256: sha256 },
      isAnew: email === null ? {} : { login_hint: email },
    })
    return { answer: { start: location }, loginCookie: cookie }
  },
  async fault({ tx, services }, { user_id, challenge_sha256, evidence, key }) {
    const kept = readKept(evidence)
    if (!kept) return 'it cannot be read'
    const provider = await findProviderOfClient(tx, kept)
    if (!provider?.is_active || !provider.may_sign) return 'its provider is not admitted for signatures'
    if (!isGenuine(services, provider)) return 'its provider was altered'
    if (!(await isKeyKnown(services, tx, provider, digest(key)))) return 'its key is not known to be of the provider'
    const fault = idTokenFault(kept, key, challenge_sha256)
    if (fault !== undefined) return fault
    const identity = await findIdentityOfUser(tx, provider.id, user_id)
    if (!identity || identity.subject !== claimsOf(kept)[provider.subject_claim]) return 'it is of another person'
    return openIdentitySeal(services.keys, provider, identity) === undefined
      ? 'the link of its person was altered'
      : undefined
  },
  async isMultiFactor(tx, { evidence }) {
    const kept = readKept(evidence)
    const provider = kept && (await findProviderOfClient(tx, kept))
    return provider !== undefined && namesSecondFactor(provider.provider_mfa_values, claimsOf(kept!))
  },
}

/** What a provider has answered to somebody who signs. */
export interface ProvingAnswer {
  attempt: Attempt
  /** As it was when the answer was taken. */
  provider: ProviderRow
  subject: string
  claims: Readonly<Record<string, unknown>>
  idToken: string
  key: Record<string, string>
  answered_at: number | undefined
  received: Date
}

export function freshnessOf(
  { attempt, claims, answered_at, received }: Omit<ProvingAnswer, 'provider' | 'subject' | 'idToken' | 'key'>,
  last_auth_time: Moments['last_auth_time'],
): FreshnessFault | undefined {
  const { auth_time, iat } = claims
  const [begun_ms, received_ms] = [Date.parse(attempt.begun_at), received.getTime()]
  return freshnessFault({ auth_time, iat, answered_at, begun_ms, received_ms, last_auth_time })
}

const freshnessReasons = {
  log_in_unknown: reasons.reason_sso_log_in_unknown,
  moment_unknown: reasons.reason_sso_moment_unknown,
  log_in_old: reasons.reason_sso_log_in_old,
  log_in_used: reasons.reason_sso_log_in_used,
} satisfies Record<FreshnessFault, unknown>
export const reasonOfFreshness = (fault: FreshnessFault, provider: Pick<ProviderRow, 'name'>) =>
  freshnessReasons[fault]({ provider: provider.name }).text

/** Whether the issuer or the client was changed since the answer was taken. */
export const isChangedSince = (now: ProviderRow | undefined, { issuer, client_id }: ProviderRow) =>
  now?.issuer !== issuer || now.client_id !== client_id

/**
 * Takes the answer as the proof of the challenge, in a transaction that stays. A wrong one ends the challenge, and the Admins are told of
 * another person and of a log-in that is not a new one (21 CFR 11.300(d)). Answers why it is refused, or undefined.
 */
export async function proveByProvider(
  writing: Writing,
  services: Services,
  answer: ProvingAnswer,
  signer: { username: string },
): Promise<{ reason: string; isRecorded: boolean } | undefined> {
  const { tx, record } = writing
  const { attempt, provider, subject, claims, key } = answer
  const about = { provider: provider.name }
  const challenge = await lockChallengeBySha256(tx, attempt.challenge_sha256!)
  if (!challenge) return { reason: reasons.reason_sso_challenge_missing(about).text, isRecorded: false }
  const by = { userId: attempt.user_id, sessionId: challenge.session_id, now: answer.received }
  const late = provingRefusal(challenge, by)
  if (late !== undefined) return { reason: late, isRecorded: false }
  const refuse = async (reason: string, { isTold = false } = {}) => {
    await refuseProof(writing, challenge, reason)
    if (isTold)
      record('identity_provider.signing_refused', provider.id, {
        ...{ number: provider.name, outcome: 'denied', reason },
        after: { username: signer.username, subject },
        notify: await listAdmins(tx),
      })
    return { reason, isRecorded: true }
  }
  const now = await findProvider(tx, provider.id)
  if (isChangedSince(now, provider) || !now!.is_active || !now!.may_sign)
    return refuse(reasons.reason_sso_may_not_sign(about).text)
  if (!isGenuine(services, now!)) return refuse(reasons.reason_sso_provider_altered(about).text, { isTold: true })
  const identity = await lockIdentityBySubject(tx, provider.id, subject)
  if (identity?.user_id !== challenge.user_id)
    return refuse(reasons.reason_sso_other_signer({ ...about, subject }).text, { isTold: true })
  if (openIdentitySeal(services.keys, provider, identity) === undefined)
    return refuse(reasons.reason_sso_link_altered({ ...about, subject }).text, { isTold: true })
  const stale = freshnessOf(answer, identity.last_auth_time)
  if (stale !== undefined) return refuse(reasonOfFreshness(stale, provider), { isTold: true })
  const kept: IdTokenEvidence = { id_token: answer.idToken, issuer: provider.issuer, client_id: provider.client_id }
  const fault = idTokenFault(kept, key, challenge.sha256)
  if (fault !== undefined) return refuse(reasons.reason_sso_proof_faulty({ ...about, fault }).text)
  await noteAuthTime(tx, identity.id, claims.auth_time as number)
  await noteKey(writing, services, provider, key)
  await acceptProof(writing, challenge, {
    ...{ at: answer.received, key },
    evidence: canonicalBytes(kept).toString('utf8'),
  })
  return undefined
}

/** A key is kept when it first signs a proof. */
async function noteKey(
  { tx, record }: Writing,
  services: Services,
  provider: ProviderRow,
  jwk: Record<string, string>,
) {
  const { id: provider_id, tenant_id, issuer, name } = provider
  const jwk_sha256 = digest(jwk)
  if (await isKeyKnown(services, tx, provider, jwk_sha256)) return
  const kid = jwk.kid ?? null
  const seal = sealKey(services.keys, { tenant_id, provider_id, issuer, jwk_sha256 })
  await insertKey(tx, { provider_id, issuer, kid, jwk, jwk_sha256, seal })
  record('identity_provider.key_seen', provider_id, { number: name, after: { issuer, kid, jwk_sha256 } })
}
