import { isDeepStrictEqual } from 'node:util'
import type { Writing } from '#action'
import { command } from '#action'
import { conflict, notFound, unauthorized } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import {
  acceptProof,
  actsOf,
  lockChallenge,
  nonceOf,
  ProvedChallenge,
  proofMs,
  provingRefusal,
  readSettings,
  refuseProof,
  type SigningProof,
} from '#modules/accounts'
import { canonicalBytes } from '#platform/crypto/canonical.ts'
import { openPasskeySeal } from '#platform/crypto/passkey-seal.ts'
import { type AssertionEvidence, assertionFault, jwkOf } from '#platform/crypto/webauthn.ts'
import { type Answer, acceptAnswer, requireParty, sealedBy } from './answers.ts'
import { messages, reasons } from './messages.ts'
import { listPasskeys, lockPasskeyOf } from './queries.ts'
import { maySign, patienceMs } from './rules.ts'
import { PasskeyProof } from './schema.ts'

/** What is kept of the answer, with the id of the passkey by which it is found again. */
type Kept = AssertionEvidence & { credential_id: string }

/** Undefined if somebody overwrote it. */
function readKept(evidence: string): Kept | undefined {
  try {
    const kept = JSON.parse(evidence) as Kept
    return typeof kept.credential_id === 'string' ? kept : undefined
  } catch {
    return undefined
  }
}

export const passkeyProof: SigningProof = {
  async offer({ read, actor, services }, sha256) {
    const { id } = requireParty(services)
    const { settings, all } = await read(async tx => ({
      settings: await readSettings(tx),
      all: await listPasskeys(tx, actor.userId!),
    }))
    const own = all.filter(each => maySign(each, settings))
    if (own.length === 0)
      throw conflict(all.length === 0 ? messages.passkey_none_to_sign() : messages.passkey_none_device_bound())
    const answer = {
      passkey: {
        challenge: nonceOf(sha256),
        rpId: id,
        timeout: patienceMs,
        userVerification: 'required',
        allowCredentials: own.map(({ credential_id, transports }) => ({
          ...{ id: credential_id.toString('base64url'), type: 'public-key', transports },
        })),
      },
    }
    return { answer }
  },
  isMultiFactor: async () => true,
  async fault({ tx, services }, { user_id, challenge_sha256, evidence, key }) {
    const kept = readKept(evidence)
    if (!kept) return 'it cannot be read'
    const passkey = await lockPasskeyOf(tx, user_id, Buffer.from(kept.credential_id, 'base64url'))
    if (!passkey) return 'it is of no passkey of the signer'
    if (passkey.revoked_at !== null) return 'its passkey was revoked'
    if (openPasskeySeal(services.keys.passkeys, { ...sealedBy(passkey), seal: passkey.seal }) === undefined)
      return 'its passkey was altered'
    if (!isDeepStrictEqual({ ...(await jwkOf(passkey.public_key)) }, { ...key })) return 'its key is another one'
    if (kept.origin !== requireParty(services).origin) return 'it is of another origin'
    return assertionFault(kept, key, challenge_sha256)
  },
}

const keptOf = ({ id: rp_id, origin }: { id: string; origin: string }, { rawId, response }: Answer): Kept => ({
  ...{ rp_id, origin, credential_id: rawId, authenticator_data: response.authenticatorData },
  ...{ client_data: response.clientDataJSON, signature: response.signature },
})

export const prove = command({
  summary: 'Prove a signing challenge with a passkey',
  description:
    'With the answer of `navigator.credentials.get` to the challenge. A refused answer is a 401 and ends the challenge: begin another one.',
  permission: 'signatures.create',
  input: { params: IdParams, body: PasskeyProof },
  response: ProvedChallenge,
  // In a transaction that stays: a refusal ends the challenge, and may revoke the passkey.
  async prepare({ actor, services, inSeparateTransaction }, { params: { id }, body: { response: answer } }) {
    const party = requireParty(services)
    const now = services.clock.now()
    const outcome = await inSeparateTransaction(async (writing: Writing) => {
      const challenge = await lockChallenge(writing.tx, id)
      if (challenge?.kind !== 'passkey' || challenge.user_id !== actor.userId) return { missing: true } as const
      const late = provingRefusal(challenge, { userId: actor.userId, sessionId: actor.session?.id ?? null, now })
      if (late !== undefined) return { late } as const
      const passkey = await lockPasskeyOf(writing.tx, actor.userId!, Buffer.from(answer.rawId, 'base64url'))
      const refused =
        passkey && maySign(passkey, await readSettings(writing.tx))
          ? await acceptAnswer(writing, services, passkey, answer, { challenge: nonceOf(challenge.sha256), now })
          : reasons.reason_passkey_other_person().text
      if (refused !== undefined) {
        await refuseProof(writing, challenge, refused)
        return { refused } as const
      }
      const evidence = canonicalBytes(keptOf(party, answer)).toString('utf8')
      const key = (await jwkOf(passkey!.public_key)) as Record<string, string>
      await acceptProof(writing, challenge, { at: now, evidence, key })
      return { acts: actsOf(challenge).length } as const
    })
    if ('missing' in outcome) throw notFound('Signing challenge')
    const refusal = () =>
      unauthorized(messages.passkey_proof_refused(), 'error="insufficient_user_authentication", max_age="0"')
    if ('late' in outcome)
      throw refusal().withAuditEntry({ event: 'signature.denied', outcome: 'denied', reason: outcome.late })
    if ('refused' in outcome) throw refusal()
    return { proved_at: now, acts: outcome.acts }
  },
  async run({ prepared: { proved_at, acts } }, { params: { id } }) {
    const valid_until = new Date(proved_at.getTime() + proofMs(acts)).toISOString()
    return { id, proved_at: proved_at.toISOString(), valid_until }
  },
})
