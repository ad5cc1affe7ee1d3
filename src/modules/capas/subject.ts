import type { RecordReader, RecordSubject } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'

// The columns that a signature covers. Old signatures name them, so none is ever removed or renamed.
const ofCapa = [
  ...['title', 'description', 'type', 'source', 'priority', 'root_cause', 'adverse_effect_assessment', 'assigned_to'],
  ...['due_date', 'original_due_date', 'extension_count', 'created_at', 'created_by', 'approved_at', 'approved_by'],
]
const ofAction = [
  ...['id', 'description', 'assigned_to', 'due_date', 'status', 'evidence', 'completed_at', 'completed_by'],
  ...['approved_at', 'approved_by'],
]
const ofReview = [
  ...['number', 'criteria', 'method', 'due_date', 'reviewer_id', 'result', 'conclusion', 'evidence', 'follow_up'],
  ...['follow_up_capa_id', 'completed_at'],
]

/** A restore may read tables of an older program, so a column can be absent. */
const pick = (row: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)))

/** The content that the closure signature covers: cause, actions and effectiveness reviews. */
async function readCapa(tx: Tx, id: number): Promise<RecordSubject | undefined> {
  const capa = await tx.selectFrom('capas').selectAll().where('id', '=', id).executeTakeFirst()
  if (!capa) return undefined
  const actions = await tx
    .selectFrom('capa_actions')
    .selectAll()
    .where('capa_id', '=', id)
    .orderBy('position')
    .execute()
  const reviews = await tx
    .selectFrom('effectiveness_reviews')
    .selectAll()
    .where('capa_id', '=', id)
    .orderBy('number')
    .execute()
  const { number, status, content_revision } = capa
  const content = {
    ...pick(capa, ofCapa),
    actions: actions.map(each => pick(each, ofAction)),
    effectiveness_reviews: reviews.map(each => pick(each, ofReview)),
  }
  return { type: 'capa', id, number, status, content_revision, content }
}

/** The content that the reviewer's signature covers: criteria and findings. */
async function readReview(tx: Tx, id: number): Promise<RecordSubject | undefined> {
  const review = await tx.selectFrom('effectiveness_reviews').selectAll().where('id', '=', id).executeTakeFirst()
  if (!review) return undefined
  const { number: capa } = await tx
    .selectFrom('capas')
    .select('number')
    .where('id', '=', review.capa_id)
    .executeTakeFirstOrThrow()
  const { number, status, content_revision } = review
  return {
    type: 'effectiveness_review',
    id,
    number: `${capa}, effectiveness review ${number}`,
    status,
    content_revision,
    content: { capa_id: review.capa_id, ...pick(review, ofReview) },
  }
}

const readable: RecordReader['readable'] = ({ permissions }) => permissions.has('capa.read')

export const signedCapas: RecordReader = { read: readCapa, readable }
export const signedReviews: RecordReader = { read: readReview, readable }
