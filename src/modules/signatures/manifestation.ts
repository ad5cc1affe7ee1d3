import type { Message } from '#kernel/message.ts'
import { momentInUtc as momentText } from '#kernel/moment.ts'
import { headings, momentIn, momentInUtc, wordOf } from '#kernel/print.ts'
import type { Block, Fact } from '#platform/pdf/rendition.ts'
import { printed } from './messages.ts'
import type { SignatureRecord } from './queries.ts'
import { verificationCode } from './rules.ts'

/** Why a signature no longer counts, or null. */
export function standingOf(signature: SignatureRecord): Message | null {
  const { content_revision, current_content_revision } = signature
  if (signature.void)
    return printed.signature_void_since({
      moment: momentText(new Date(signature.void.voided_at)),
      reason: signature.void.reason,
    })
  if (content_revision < current_content_revision)
    return signature.record_type === 'document' ? printed.signature_superseded() : printed.signature_record_superseded()
  return null
}

/** 21 CFR 11.50: the printed text of each signature, with its time in the time zone in which it was given. */
export function manifestation(signatures: readonly SignatureRecord[]): Block[] {
  if (signatures.length === 0) return [{ kind: 'text', text: printed.signature_none() }]
  return [...manifestationOf(signatures), howToVerify()]
}

export const howToVerify = (): Block => ({ kind: 'note', text: printed.signature_how_to_verify() })

/** The signatures without the note on how to verify them, which follows them once. */
export const manifestationOf = (signatures: readonly SignatureRecord[]): Block[] => signatures.flatMap(blocksOf)

function blocksOf(signature: SignatureRecord): Block[] {
  const {
    id,
    signer,
    on_behalf_of,
    signature_type,
    intent,
    signed_at,
    time_zone: zone,
    method,
    digest,
    occasion_kind,
  } = signature
  const moment = new Date(signed_at)
  const facts: Fact[] = [
    [headings.printed_name, `${signer.full_name ?? signer.username} (${signer.username})`],
    ...(on_behalf_of ? [['', printed.signature_for({ person: on_behalf_of.name })] satisfies Fact] : []),
    [headings.role, signer.role],
    [headings.meaning, signature_type],
    [headings.intent, intent],
    ...(occasion_kind === 'free' ? [[headings.occasion, printed.signature_outside_workflow()] satisfies Fact] : []),
    [headings.signed, momentInUtc(moment)],
    ...(zone === 'UTC' ? [] : [['', momentIn(zone, moment)] satisfies Fact]),
    [headings.identity_proved_by, wordOf(method)],
    [headings.verification_code, printed.signature_code({ code: verificationCode(digest), id })],
  ]
  const standing = standingOf(signature)
  return [...(standing ? [{ kind: 'warning', text: standing } as const] : []), { kind: 'facts', facts }]
}
