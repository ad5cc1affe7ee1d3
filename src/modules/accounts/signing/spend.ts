import type { PrepareContext, SignedByAct } from '#action'
import { type Evidence, findEvidence, lockChallenge, spendAct } from './queries.ts'
import { evidenceKinds, type ProofKind, placeOfAct } from './rules.ts'

/** A proof that signed what is about to be done. */
export interface SpentProof {
  kind: ProofKind
  evidence: Pick<Evidence, 'id' | 'kind' | 'sha256'>
  isMultiFactor: boolean
  challenge_sha256: string
  /** In seconds since 1970. */
  authenticated_at: number
  /** What the signer was shown, and their device signed. */
  signs: SignedByAct | null
}

/**
 * Uses the proof of a challenge up for this request, in a transaction of its own: it is gone also if the request is refused. The answer of a
 * wrong one says no more than that; the reason is for the audit trail.
 */
export const spendChallenge = (
  { actor, services, act, inSeparateTransaction }: PrepareContext,
  id: number,
): Promise<SpentProof | { refused: string }> =>
  inSeparateTransaction(async ({ tx, record }) => {
    const challenge = await lockChallenge(tx, id)
    if (!challenge) return { refused: 'There is no such signing challenge' }
    if (!act) return { refused: 'The signing challenge does not name this request' }
    const now = services.clock.now()
    const found = placeOfAct(challenge, act, { userId: actor.userId, sessionId: actor.session?.id ?? null, now })
    if ('refused' in found) return found
    const { kind, sha256: challenge_sha256, user_id, text } = challenge
    const evidence = await findEvidence(tx, challenge.evidence_id!)
    // Whoever can write to the database could say that a challenge was proved, and cannot make the proof.
    const fault =
      evidence.challenge !== text || evidence.kind !== evidenceKinds[kind]
        ? 'it is of another challenge'
        : await services.signingProofs[kind].fault({ tx, services }, { user_id, challenge_sha256, ...evidence })
    if (fault !== undefined) return { refused: `The proof of the signing challenge does not verify: ${fault}` }
    const isMultiFactor = await services.signingProofs[kind].isMultiFactor(tx, evidence)
    await spendAct(tx, id, { place: found.place, at: now })
    record('signing_challenge.spent', id, { after: { method: act.method, path: act.path } })
    const authenticated_at = Math.floor(Date.parse(challenge.proved_at!) / 1000)
    return { kind, evidence, isMultiFactor, challenge_sha256, authenticated_at, signs: found.signs }
  })
