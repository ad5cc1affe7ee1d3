import { type SignatureOccasion, type SignedResource, signatureTypes } from '#kernel/catalogue.ts'

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
  occasion_kind: string
  /** Of a version of a document. */
  status_kind: string | null
}

/** What to do instead, where a signature is part of an act of the service and so of its record. */
export function whyNotToBeVoided({ record_type, occasion_kind, status_kind }: Given): string | undefined {
  if (occasion_kind === 'approval')
    return status_kind === 'initial' || status_kind === 'review'
      ? 'This signature carries a decision of the workflow: reject or withdraw the version, which voids it with its round'
      : 'This signature carries the approval of a version that was approved: upload a new version, or make the document obsolete'
  if (occasion_kind === 'obsolescence')
    return 'This signature made the document obsolete, which is not taken back: upload the document anew'
  if (occasion_kind === 'periodic_review')
    return 'This signature belongs to a periodic review, which is kept as it was decided: decide another review'
  if (occasion_kind === 'closure')
    return record_type === 'deviation'
      ? 'This signature closed the deviation: reopen the deviation, which supersedes it'
      : 'This signature closed the CAPA, which is not taken back: create another CAPA'
  if (occasion_kind === 'effectiveness')
    return 'This signature belongs to an effectiveness review, which is kept as it was completed: plan another review'
  if (occasion_kind === 'training' || occasion_kind === 'training_verification')
    return 'This signature belongs to a training, which is kept as it was completed: assign it anew'
  if (occasion_kind === 'audit_review')
    return 'This signature belongs to a review of the audit trail, which is kept as it was made: make another review'
  return undefined
}
