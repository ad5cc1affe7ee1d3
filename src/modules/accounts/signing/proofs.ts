import type { PrepareContext, Services, Writing } from '#action'
import { digest } from '#platform/crypto/canonical.ts'
import type { Tx } from '#platform/db/database.ts'
import { type Challenge, type Evidence, insertEvidence, markProved, markRefused } from './queries.ts'
import { evidenceKinds, type ProofKind } from './rules.ts'

export interface Offer {
  answer: object
  /** For the browser that comes back from a provider. */
  loginCookie?: string
}

/** One way to prove an identity over a challenge. */
export interface SigningProof {
  /** What the signer needs to answer the challenge, as a part of the answer of its beginning; or the refusal. */
  offer(context: PrepareContext, sha256: string, asked: { return_to: string | undefined }): Promise<Offer>
  /** Why the stored evidence is not the signer's own proof of this challenge; undefined if it is. */
  fault(
    context: { tx: Tx; services: Services },
    stored: { user_id: number; challenge_sha256: string } & Pick<Evidence, 'evidence' | 'key'>,
  ): Promise<string | undefined>
  /** Of a proof without a fault: whether it is one of two factors. */
  isMultiFactor(tx: Tx, stored: Pick<Evidence, 'evidence'>): Promise<boolean>
}

declare module '#action/definitions.ts' {
  interface Services {
    signingProofs: Readonly<Record<ProofKind, SigningProof>>
  }
}

/** The SHA-256 of the evidence, which the seal of the signature names. */
export const digestOfEvidence = ({ kind, challenge, evidence, key }: Omit<Evidence, 'id' | 'sha256'>) =>
  digest({ kind, challenge, evidence, key })

/** The caller holds the lock of the challenge, and has verified the evidence. */
export async function acceptProof(
  { tx, record }: Writing,
  challenge: Pick<Challenge, 'id' | 'kind' | 'text'>,
  { at, evidence, key }: { at: Date } & Pick<Evidence, 'evidence' | 'key'>,
) {
  const kept = { kind: evidenceKinds[challenge.kind], challenge: challenge.text, evidence, key }
  const sha256 = digestOfEvidence(kept)
  const { id: evidence_id } = await insertEvidence(tx, { ...kept, challenge_id: challenge.id, sha256 })
  await markProved(tx, challenge.id, { at, evidence_id })
  record('signing_challenge.proved', challenge.id, { after: { kind: challenge.kind, evidence_sha256: sha256 } })
}

/** A refused challenge is of no more use, so that nobody tries again and again. */
export async function refuseProof({ tx, record }: Writing, { id }: Pick<Challenge, 'id'>, reason: string) {
  await markRefused(tx, id, reason)
  record('signing_challenge.refused', id, { outcome: 'denied', reason })
  // 21 CFR 11.300(d): a failed attempt to sign.
  record('signature.denied', null, { outcome: 'denied', reason })
}
