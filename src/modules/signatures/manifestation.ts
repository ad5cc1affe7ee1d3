import { momentIn, momentInUtc } from '#kernel/moment.ts'
import type { Block, Fact } from '#platform/pdf/rendition.ts'
import type { SignatureRecord } from './queries.ts'
import { verificationCode } from './rules.ts'

const proofs: Record<string, string> = {
  password: 'user name and password',
  password_otp: 'user name, password and one-time code',
  session: 'user name and password, at the log-in',
}

/** Why a signature no longer counts, or null. */
export function standingOf(signature: SignatureRecord): string | null {
  const { content_revision, current_content_revision } = signature
  if (signature.void) return `VOID since ${momentInUtc(new Date(signature.void.voided_at))}: ${signature.void.reason}`
  if (content_revision < current_content_revision) return 'SUPERSEDED: the metadata was changed after signing'
  return null
}

/** 21 CFR 11.50: the printed text of each signature, with its time in the time zone in which it was given. */
export function manifestation(signatures: readonly SignatureRecord[]): Block[] {
  if (signatures.length === 0) return [{ kind: 'text', text: 'This version has no signatures.' }]
  return [
    ...signatures.flatMap(blocksOf),
    {
      kind: 'note',
      text:
        'To verify a signature, look it up in Attest by its number (GET /api/signatures/{number}): its digest begins with the ' +
        'verification code, and its verification shows whether the file, the metadata and the signer are unchanged.',
    },
  ]
}

function blocksOf(signature: SignatureRecord): Block[] {
  const { id, signer, signature_type, intent, signed_at, time_zone: zone, method, digest, occasion_kind } = signature
  const moment = new Date(signed_at)
  const facts: Fact[] = [
    ['Printed name', `${signer.full_name ?? signer.username} (${signer.username})`],
    ['Role', signer.role],
    ['Meaning', signature_type],
    ['Intent', intent],
    ...(occasion_kind === 'free' ? [['Occasion', 'given outside of the workflow'] satisfies Fact] : []),
    ['Signed', momentInUtc(moment)],
    ...(zone === 'UTC' ? [] : [['', momentIn(zone, moment)] satisfies Fact]),
    ['Identity proved by', proofs[method] ?? method],
    ['Verification code', `${verificationCode(digest)} (signature ${id})`],
  ]
  const standing = standingOf(signature)
  return [...(standing ? [{ kind: 'warning', text: standing } as const] : []), { kind: 'facts', facts }]
}
