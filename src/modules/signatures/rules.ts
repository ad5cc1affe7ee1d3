import { type SignatureOccasion, signatureTypes } from '#kernel/catalogue.ts'

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

export interface Signer {
  id: number
  username: string
  full_name: string | null
  role: string
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
  /** Null in the first format, which did not say. */
  occasion_kind: string | null
  has_decision: boolean
  status_kind: string
}

/** What to do instead, where a signature is part of an act of the service and so of its record. */
export function whyNotToBeVoided({ occasion_kind, has_decision, status_kind }: Given): string | undefined {
  if (has_decision || occasion_kind === 'approval')
    return status_kind === 'initial' || status_kind === 'review'
      ? 'This signature carries a decision of the workflow: reject or withdraw the version, which voids it with its round'
      : 'This signature carries the approval of a version that was approved: upload a new version, or make the document obsolete'
  if (occasion_kind === 'obsolescence')
    return 'This signature made the document obsolete, which is not taken back: upload the document anew'
  if (occasion_kind === 'periodic_review')
    return 'This signature belongs to a periodic review, which is kept as it was decided: decide another review'
  return undefined
}
