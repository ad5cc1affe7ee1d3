import type { RecordReader, RecordSubject } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { findReviewRow, readNote } from './queries.ts'

// The columns that a signature covers. Old signatures name them, so none is ever removed or renamed.
const ofReview = [
  ...['filter', 'starts_at', 'ends_at', 'outcome', 'findings', 'entries', 'own_entries', 'first_seq', 'last_seq'],
  ...['entries_sha256', 'epoch', 'size', 'reviewer_id'],
]

export const numberOf = (id: number) => `Audit review ${id}`

/** The content that the reviewer's signature covers: the entries, their tree and the findings. */
async function readReview(tx: Tx, id: number): Promise<RecordSubject | undefined> {
  const review = await findReviewRow(tx, id)
  if (!review) return undefined
  return {
    type: 'audit_review',
    id,
    number: numberOf(id),
    status: 'completed',
    content_revision: 1,
    content: {
      ...Object.fromEntries(Object.entries(review).filter(([name]) => ofReview.includes(name))),
      checkpoint: await readNote(tx, review),
    },
  }
}

export const signedAuditReviews: RecordReader = {
  read: readReview,
  readable: ({ permissions }) => permissions.has('audit.read'),
}
