import { type SignatureOccasion, type SignedResource, signatureTypes } from '#kernel/catalogue.ts'
import type { Message } from '#kernel/message.ts'
import { messages } from './messages.ts'

/** One version of a document, as far as a signature binds it (21 CFR 11.70). */
export interface Signable {
  document_id: number
  document_number: string
  document_type_id: number
  version_id: number
  version: string
  content_revision: number
  round: number
  status: string
  file_key: string
  file_sha256: string
  file_size: number
  title: string
  category: string | null
  description: string | null
  keywords: readonly string[]
}

/** What is signed as one record, without versions and files of its own. */
export type RecordType = Exclude<SignedResource, 'document'>

/**
 * Such a record, as far as a signature binds it. `status` is the one that it is signed in. `content` is plain JSON of what is stored, under
 * names that no later program takes away or gives to something else: a signature is compared with it for ever, name by name. What stands
 * under a name is compared whole: what is new gets a name of its own. What may change while the record stays as it was signed is no part of
 * it: links, comments. Whatever changes the content counts `content_revision`, and so does opening the record again: what was signed
 * before is superseded then.
 */
export interface RecordSubject {
  type: RecordType
  id: number
  number: string
  status: string
  content_revision: number
  content: object
}

/** What it was given on. `ref` tells those of one kind apart: the transition that was approved, which periodic review. */
export interface Occasion {
  kind: SignatureOccasion
  ref: string
}

/** What these mean happens by an act of the service, and is signed with it: by itself such a signature would say what is not so. */
const givenByAnAct: readonly string[] = ['training', 'effectiveness', 'closure', 'obsolescence']
export const freeTypes = signatureTypes.filter(type => !givenByAnAct.includes(type))

/** Short enough to be read out from paper: with it the signature on a print is found again. */
export const verificationCode = (digest: string) => digest.slice(0, 16).match(/.{4}/g)!.join('-')

interface Given {
  record_type: string
  /** Null in the first format, which did not say. */
  occasion_kind: string | null
  has_decision: boolean
  /** Of a version of a document. */
  status_kind: string | null
}

/** Why a signature cannot be voided by itself: it is part of an act of the service, and so of its record. */
export function voidBlockedReason({
  record_type,
  occasion_kind,
  has_decision,
  status_kind,
}: Given): Message | undefined {
  if (has_decision || occasion_kind === 'approval')
    return status_kind === 'initial' || status_kind === 'review'
      ? messages.signature_of_decision()
      : messages.signature_of_approval()
  if (occasion_kind === 'obsolescence') return messages.signature_of_obsolescence()
  if (occasion_kind === 'periodic_review') return messages.signature_of_periodic_review()
  if (occasion_kind === 'closure')
    return record_type === 'deviation'
      ? messages.signature_of_deviation_closure()
      : messages.signature_of_capa_closure()
  if (occasion_kind === 'effectiveness') return messages.signature_of_effectiveness()
  if (occasion_kind === 'training' || occasion_kind === 'training_verification') return messages.signature_of_training()
  if (occasion_kind === 'audit_review') return messages.signature_of_audit_review()
  return undefined
}
