import { pick, signedRecords } from '#modules/casework'
import { listWholeActions } from './action-queries.ts'
import { findWhole } from './queries.ts'
import { findWholeReview, listWholeReviews } from './review-queries.ts'

// The columns that a signature covers. Old signatures name them, so none is ever removed or renamed.
const ofCapa = [
  ...['title', 'description', 'type', 'source', 'priority', 'root_cause', 'adverse_effect_assessment', 'assigned_to'],
  ...['due_date', 'original_due_date', 'extension_count', 'created_at', 'created_by', 'approved_at', 'approved_by'],
  ...['migration_batch_id', 'legacy_number', 'opened_on'],
]
const ofAction = [
  ...['id', 'description', 'assigned_to', 'due_date', 'status', 'evidence', 'completed_at', 'completed_by'],
  ...['approved_at', 'approved_by'],
]
const ofReview = [
  ...['number', 'criteria', 'method', 'due_date', 'reviewer_id', 'result', 'conclusion', 'evidence', 'follow_up'],
  ...['follow_up_capa_id', 'completed_at'],
]

export const signedCapas = signedRecords('capa', 'capa', findWhole, async (tx, id, row) => {
  const [actions, reviews] = [await listWholeActions(tx, id), await listWholeReviews(tx, id)]
  return {
    ...pick(row, ofCapa),
    actions: actions.map(each => pick(each, ofAction)),
    // Not in the actions, which signatures compare as a whole.
    action_files: actions
      .filter(each => each.attachment_ids?.length)
      .map(({ id, attachment_ids }) => ({ id, attachment_ids })),
    effectiveness_reviews: reviews.map(each => pick(each, ofReview)),
  }
})

export const signedReviews = signedRecords('effectiveness_review', 'capa', findWholeReview, (_tx, _id, { review }) => ({
  capa_id: review.capa_id,
  ...pick(review, ofReview),
}))
