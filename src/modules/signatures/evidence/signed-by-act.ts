import type { SignedByAct } from '#action'
import type { SignatureOccasion } from '#kernel/catalogue.ts'
import { digest } from '#platform/crypto/canonical.ts'
import { isOfRecord, type Payload } from '../payload.ts'
import type { RecordType } from '../rules.ts'

/** How much of the signed content only the act itself fills in. */
export interface MadeByAct {
  /** The act creates the record, so it has no id before. */
  isNew?: boolean
  /** Fields of the content, such as the moment of the act. */
  without?: readonly string[]
}

/** The records that a signed act creates. Signatures are verified by it for ever, so nothing is taken from it. */
const newRecords: readonly (RecordType | 'document')[] = ['audit_review', 'access_review', 'file_removal', 'disposal']

/** The fields that the acts of an occasion fill in. Signatures are verified by it for ever, so nothing is taken from it. */
const filledIn: Partial<Record<SignatureOccasion, readonly string[]>> = {
  training: ['started_at', 'completed_at', 'attempts', 'score', 'valid_until', 'attempt'],
  effectiveness: ['completed_at'],
  audit_review: ['epoch', 'size', 'checkpoint'],
  file_removal: ['requested_at'],
}
export const filledInBy = (occasion: SignatureOccasion): readonly string[] => filledIn[occasion] ?? []

/** Whether a challenge may leave so much open for such a signature. */
export const mayLeaveOpen = (
  { record: { type, id, number, without } }: SignedByAct,
  { occasion }: Pick<Payload, 'occasion'>,
) =>
  (id === null) === (number === null) &&
  (id !== null || (newRecords as readonly string[]).includes(type)) &&
  without.every(name => filledInBy(occasion.kind as SignatureOccasion).includes(name))

/**
 * What a signature binds, for the challenge that its signer proves. It is made from the payload, so that what was shown, what is sealed and
 * what is verified in ten years are one thing.
 */
export function signedByAct(payload: Payload, { isNew = false, without = [] }: MadeByAct = {}): SignedByAct {
  const said = {
    meaning: payload.signature_type,
    intent: payload.intent,
    on_behalf_of: payload.on_behalf_of?.id ?? null,
  }
  if (isOfRecord(payload)) {
    const { type, id, number, status, content_revision } = payload.record
    const content = Object.fromEntries(Object.entries(payload.content).filter(([name]) => !without.includes(name)))
    return {
      record: {
        ...{ type, id: isNew ? null : id, number: isNew ? null : number, version: null, content_revision },
        content_sha256: digest({ status, content, files: payload.files }),
        without: [...without],
      },
      ...said,
    }
  }
  const { document, version, file, metadata_sha256 } = payload
  return {
    record: {
      ...{ type: 'document', id: document.id, number: document.number, version: version.label },
      content_revision: version.content_revision,
      content_sha256: digest({ version, file, metadata_sha256 }),
      without: [],
    },
    ...said,
  }
}
