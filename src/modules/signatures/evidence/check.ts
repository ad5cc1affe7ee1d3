import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { SignedByAct } from '#action'
import type { Message } from '#kernel/message.ts'
import { digest } from '#platform/crypto/canonical.ts'
import { type IdTokenEvidence, type IdTokenKey, idTokenFault } from '#platform/crypto/id-token.ts'
import { type AssertionEvidence, type AssertionKey, assertionFault } from '#platform/crypto/webauthn.ts'
import { type Check, check, type KeptEvidence, type SignedRow } from '../checks.ts'
import { printed } from '../messages.ts'
import { evidenceIn, type Payload } from '../payload.ts'
import { mayLeaveOpen, signedByAct } from './signed-by-act.ts'

type Verifier = (evidence: KeptEvidence, challenge_sha256: string) => string | undefined

/** By the kind of evidence: why it does not prove that the signer answered the challenge. None needs a network or another service. */
const verifiers: Readonly<Record<string, Verifier>> = {
  passkey: ({ evidence, key }, challenge_sha256) =>
    assertionFault(JSON.parse(evidence) as AssertionEvidence, key as AssertionKey, challenge_sha256),
  id_token: ({ evidence, key }, challenge_sha256) =>
    idTokenFault(JSON.parse(evidence) as IdTokenEvidence, key as IdTokenKey, challenge_sha256),
}

interface Challenge {
  tenant: string
  signer: string
  acts: readonly { signs: SignedByAct | null }[]
}

const isNamed = ({ acts }: Challenge, payload: Payload) =>
  acts.some(
    ({ signs }) =>
      signs !== null &&
      mayLeaveOpen(signs, payload) &&
      isDeepStrictEqual(
        signs,
        signedByAct(payload, { isNew: signs.record.id === null, without: signs.record.without }),
      ),
  )

/** Why what is kept does not prove that the signer confirmed this very content. */
function faultOf({ evidence }: SignedRow, payload: Payload): Message | undefined {
  const named = evidenceIn(payload)
  if (!named) return evidence ? printed.check_evidence_not_named() : undefined
  if (!evidence) return printed.check_evidence_missing()
  const { kind, challenge, evidence: answer, key } = evidence
  if (digest({ kind, challenge, evidence: answer, key }) !== named.sha256 || evidence.sha256 !== named.sha256)
    return printed.check_evidence_altered()
  if (createHash('sha256').update(challenge).digest('hex') !== named.challenge_sha256)
    return printed.check_challenge_another()
  const verify = verifiers[kind]
  if (!verify || kind !== named.kind) return printed.check_evidence_kind_unknown({ kind })
  try {
    const said = JSON.parse(challenge) as Challenge
    if (said.tenant !== payload.tenant || said.signer !== payload.signer.id) return printed.check_challenge_of_another()
    if (!isNamed(said, payload)) return printed.check_challenge_of_other_content()
    const fault = verify(evidence, named.challenge_sha256)
    return fault === undefined ? undefined : printed.check_proof_wrong({ fault })
  } catch {
    return printed.check_proof_unreadable()
  }
}

/** 21 CFR 11.200: that the signer confirmed this content, by a proof that everybody can verify again. */
export function evidenceCheck(row: SignedRow, payload: Payload): Check {
  const fault = faultOf(row, payload)
  const good = evidenceIn(payload) ? printed.check_evidence() : printed.check_evidence_of_password()
  return check('evidence', fault === undefined, good, fault ?? good)
}
