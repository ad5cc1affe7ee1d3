import type { Actor } from '#action'
import { type SignatureOccasion, type SignedResource, signatureTypes } from '#kernel/catalogue.ts'
import type { Message } from '#kernel/message.ts'
import { messages } from './messages.ts'

/** The facts of a version of a document that a signature binds (21 CFR 11.70). */
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
  /** Two people removed its file. Not signed itself. */
  is_removed: boolean
  /** The moment of its approval, from which on its content cannot change; null before it. Not signed itself. */
  content_fixed_at: string | null
  /** Its owner and the author of the version. Not signed itself. */
  people: readonly number[]
}

/** The kinds of record that are signed as a whole, without versions. */
export type RecordType = Exclude<SignedResource, 'document'>

/**
 * The facts of such a record that a signature binds. `status` is the one that it is signed in. `content` is plain JSON of the stored
 * record. Signatures are compared with it for ever, field by field, so no later program may remove a field or give its name to something
 * else; a new fact gets a new field. Links and comments may change after signing, so they are not part of the content. Every change of
 * the content, and reopening the record, counts `content_revision`, which supersedes earlier signatures.
 */
export interface RecordSubject {
  type: RecordType
  id: number
  number: string
  status: string
  content_revision: number
  content: object
}

/** The act that a signature belongs to. `ref` distinguishes occasions of one kind: the approved transition, the number of the periodic review. */
export interface Occasion {
  kind: SignatureOccasion
  ref: string
}

/** Meanings of acts that are signed as they are done. A separate signature with such a meaning would claim an act that did not happen. */
const givenByAnAct: readonly string[] = [
  'training',
  'effectiveness',
  'closure',
  'obsolescence',
  'withdrawal',
  'file_removal',
  'disposal',
  'hold_lifting',
]
export const freeTypes = signatureTypes.filter(type => !givenByAnAct.includes(type))

/** The meanings that decide nothing, so that everybody may sign with them. */
const openToAll: readonly string[] = ['acknowledgement', 'witness']
export const attesting = 'signatures.attest'

/** Such a signature judges the document, which an author's and a witness's do not. */
export const isJudgement = (meaning: string) => !openToAll.includes(meaning) && meaning !== 'authorship'

/** Why a person may not sign a version with this meaning outside of a workflow. */
export function freeSignatureRefusal(
  { userId, permissions }: Pick<Actor, 'userId' | 'permissions'>,
  { document_number: number, people }: Pick<Signable, 'document_number' | 'people'>,
  meaning: string,
): Message | undefined {
  const isOwn = people.includes(userId!)
  if (openToAll.includes(meaning) || (meaning === 'authorship' && isOwn)) return undefined
  if (!permissions.has(attesting)) return messages.signature_meaning_not_permitted({ meaning, permission: attesting })
  if (isOwn) return messages.signature_own_document({ number, meaning })
  return undefined
}

/** Short enough to be typed from paper, to look up the signature on a printed copy. */
export const verificationCode = (digest: string) => digest.slice(0, 16).match(/.{4}/g)!.join('-')

interface Given {
  record_type: string
  occasion_kind: string
  /** The kind of status of a signed version. */
  status_kind: string | null
  /** The signed version has all its approvals. */
  is_approved: boolean
  is_own: boolean
}

/** The refusal names the ways that there are from the status of the version, and no other. */
function ofApproval({ status_kind, is_approved, is_own }: Pick<Given, 'status_kind' | 'is_approved' | 'is_own'>) {
  if (status_kind === 'review' && !is_approved)
    return is_own ? messages.signature_of_own_decision() : messages.signature_of_decision()
  if (status_kind === 'effective') return messages.signature_of_effective_version()
  return status_kind === 'review' ? messages.signature_of_approval() : messages.signature_of_ended_version()
}

/** Why a signature cannot be voided by itself: it is part of an act of the service, and so of its record. */
export function voidBlockedReason({ record_type, occasion_kind, ...version }: Given): Message | undefined {
  if (occasion_kind === 'approval') return ofApproval(version)
  if (occasion_kind === 'approval_withdrawal') return messages.signature_of_approval_withdrawal()
  if (occasion_kind === 'obsolescence') return messages.signature_of_obsolescence()
  if (occasion_kind === 'periodic_review') return messages.signature_of_periodic_review()
  if (occasion_kind === 'closure')
    return record_type === 'deviation'
      ? messages.signature_of_deviation_closure()
      : messages.signature_of_capa_closure()
  if (occasion_kind === 'effectiveness') return messages.signature_of_effectiveness()
  if (occasion_kind === 'training' || occasion_kind === 'training_verification') return messages.signature_of_training()
  if (occasion_kind === 'audit_review') return messages.signature_of_audit_review()
  if (occasion_kind === 'configuration') return messages.signature_of_configuration_change()
  if (occasion_kind === 'file_removal') return messages.signature_of_file_removal()
  if (occasion_kind === 'migration') return messages.signature_of_migration()
  if (occasion_kind === 'disposal') return messages.signature_of_disposal()
  if (occasion_kind === 'legal_hold') return messages.signature_of_legal_hold()
  if (occasion_kind === 'access_review') return messages.signature_of_access_review()
  return undefined
}
