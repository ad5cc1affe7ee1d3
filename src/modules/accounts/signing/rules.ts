import { createHash, randomBytes } from 'node:crypto'
import type { Act, SignedByAct } from '#action'
import { canonicalBytes } from '#platform/crypto/canonical.ts'

/** The ways by which a signer proves who they are for one signature. */
export const signatureMethods = ['password', 'password_otp', 'session', 'passkey', 'provider'] as const
export type SignatureMethod = (typeof signatureMethods)[number]

/** Proofs that sign a challenge. A new kind needs its entry in `services.signingProofs`, and its verification in `signatures/evidence`. */
export const proofKinds = ['passkey', 'provider'] as const
export type ProofKind = (typeof proofKinds)[number]
/** What is kept of a proof. */
export const evidenceKinds = { passkey: 'passkey', provider: 'id_token' } as const satisfies Record<ProofKind, string>
export type EvidenceKind = (typeof evidenceKinds)[ProofKind]

export const maxActs = 50
const minuteMs = 60_000
/** A challenge that is not proved by then was given up. */
export const challengeMs = 10 * minuteMs

/** For so long a proof counts: one act follows at once, many of them one after another. */
export const proofMs = (acts: number) => (acts === 1 ? 2 * minuteMs : 10 * minuteMs)

export interface ChallengedAct extends Act {
  /** Null for an act that needs a proof of identity, and signs nothing. */
  signs: SignedByAct | null
}
export interface ChallengeText {
  v: '1'
  tenant: string
  signer: string
  /** Makes each challenge another one, so that nothing is known of it before. */
  salt: string
  begun_at: string
  acts: readonly ChallengedAct[]
}

/** What is about to be done and to which content, in the form of RFC 8785; its SHA-256 is what the signer's device signs. */
export function textOfChallenge({ tenant, signer, begun_at, acts }: Omit<ChallengeText, 'v' | 'salt'>) {
  const salt = randomBytes(16).toString('base64url')
  const text = canonicalBytes({ v: '1', tenant, signer, salt, begun_at, acts }).toString('utf8')
  return { text, sha256: createHash('sha256').update(text).digest('hex') }
}

export const actsOf = ({ text }: { text: string }) => (JSON.parse(text) as ChallengeText).acts

/** The challenge as WebAuthn and OpenID Connect carry it. */
export const nonceOf = (sha256: string) => Buffer.from(sha256, 'hex').toString('base64url')

interface Challenge {
  user_id: number
  session_id: number | null
  text: string
  expires_at: string
  proved_at: string | null
  spent: Record<string, string>
  refused_reason: string | null
}
interface By {
  userId: number | null
  sessionId: number | null
  now: Date
}

const isOfSession = (challenge: Challenge, { userId, sessionId }: By) =>
  challenge.user_id === userId && challenge.session_id === sessionId

/** Why the challenge cannot be proved any more. */
export function provingRefusal(challenge: Challenge, by: By): string | undefined {
  if (!isOfSession(challenge, by)) return 'The signing challenge belongs to another person or session'
  if (challenge.refused_reason !== null) return 'The signing challenge was refused before'
  if (challenge.proved_at !== null) return 'The signing challenge was proved before'
  if (Date.parse(challenge.expires_at) <= by.now.getTime()) return 'The signing challenge was not proved in time'
  return undefined
}

/** The place of the act in the challenge, if it is proved, fresh, and not spent for it yet; or why not. */
export function placeOfAct(
  challenge: Challenge,
  act: Act,
  by: By,
): { place: number; signs: SignedByAct | null } | { refused: string } {
  const refused = (reason: string) => ({ refused: reason })
  if (!isOfSession(challenge, by)) return refused('The signing challenge belongs to another person or session')
  if (challenge.proved_at === null) return refused('The signing challenge is not proved')
  const acts = actsOf(challenge)
  const age = by.now.getTime() - Date.parse(challenge.proved_at)
  if (Math.abs(age) > proofMs(acts.length)) return refused('The proof of the signing challenge is too old')
  const isSame = ({ method, path, body_sha256 }: Act) =>
    method === act.method && path === act.path && body_sha256 === act.body_sha256
  const places = acts.map((_, place) => place).filter(place => isSame(acts[place]!))
  if (places.length === 0) return refused('The signing challenge does not name this request')
  const place = places.find(each => challenge.spent[each] === undefined)
  if (place === undefined) return refused('The signing challenge was used before for this request')
  return { place, signs: acts[place]!.signs }
}
