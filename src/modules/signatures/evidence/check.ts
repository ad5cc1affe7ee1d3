import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { SignedByAct } from '#action'
import { digest } from '#platform/crypto/canonical.ts'
import { type IdTokenEvidence, type IdTokenKey, idTokenFault } from '#platform/crypto/id-token.ts'
import { type AssertionEvidence, type AssertionKey, assertionFault } from '#platform/crypto/webauthn.ts'
import { type Check, check, type KeptEvidence, type SignedRow } from '../checks.ts'
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
function faultOf({ evidence }: SignedRow, payload: Payload): string | undefined {
  const named = evidenceIn(payload)
  if (!named) return evidence ? 'The signature has evidence that it does not name' : undefined
  if (!evidence) return 'What proved the identity of the signer is missing'
  const { kind, challenge, evidence: answer, key } = evidence
  if (digest({ kind, challenge, evidence: answer, key }) !== named.sha256 || evidence.sha256 !== named.sha256)
    return 'What proved the identity of the signer is not what was kept when it was signed'
  if (createHash('sha256').update(challenge).digest('hex') !== named.challenge_sha256)
    return 'The challenge is another one'
  const verify = verifiers[kind]
  if (!verify || kind !== named.kind) return `This release cannot verify evidence of the kind ${kind}`
  try {
    const said = JSON.parse(challenge) as Challenge
    if (said.tenant !== payload.tenant || said.signer !== payload.signer.id)
      return 'The challenge was given to another person'
    if (!isNamed(said, payload)) return 'The challenge does not name this record and this content'
    const fault = verify(evidence, named.challenge_sha256)
    return fault && `The proof does not verify: ${fault}`
  } catch {
    return 'The proof cannot be read'
  }
}

/** 21 CFR 11.200: that the signer confirmed this content, by a proof that everybody can verify again. */
export function evidenceCheck(row: SignedRow, payload: Payload): Check {
  const fault = faultOf(row, payload)
  const good = evidenceIn(payload)
    ? 'The signer confirmed this content, and the proof of it verifies'
    : 'Nothing more is kept of a password'
  return check('evidence', fault === undefined, good, fault ?? '')
}
