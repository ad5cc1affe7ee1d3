import { awaitsExtension } from '#modules/casework'
import type { Tx } from '#platform/db/database.ts'
import { type CapaState, isOver } from './rules.ts'

type StillAsks = (tx: Tx, type: string, id: number, user_ids: readonly number[]) => Promise<readonly number[]>

/** The people of whom the CAPA still needs the task that a notification of this type announced. */
const ofCapa: StillAsks = async (tx, type, id, user_ids) => {
  const capa = await tx.selectFrom('capas').select(['status', 'assigned_to']).where('id', '=', id).executeTakeFirst()
  if (!capa) return []
  switch (type) {
    case 'capa_approval_requested':
      return capa.status === 'draft' ? user_ids : []
    case 'capa_extension_requested':
      return (await awaitsExtension(tx, 'capa', id)) ? user_ids : []
    case 'capa_assigned': {
      const workers = [capa.assigned_to, ...(await listWorkers(tx, id))]
      return isOver(capa.status as CapaState) ? [] : user_ids.filter(each => workers.includes(each))
    }
    case 'capa_review_requested': {
      const reviewers = await listReviewers(tx, id)
      return capa.status === 'pending_effectiveness' ? user_ids.filter(each => reviewers.includes(each)) : []
    }
    default:
      return []
  }
}

/** The same for an effectiveness review. */
const ofReview: StillAsks = async (tx, type, id, user_ids) => {
  const review = await tx
    .selectFrom('effectiveness_reviews as r')
    .innerJoin('capas as c', 'c.id', 'r.capa_id')
    .select(['r.status', 'r.reviewer_id', 'c.status as capa_status'])
    .where('r.id', '=', id)
    .executeTakeFirst()
  if (!review || isOver(review.capa_status as CapaState)) return []
  switch (type) {
    case 'capa_review_planned':
      return review.status === 'planned' ? user_ids.filter(each => each === review.reviewer_id) : []
    // A CAPA that was found effective awaits its closure.
    case 'capa_reviewed':
      return review.capa_status === 'pending_effectiveness' ? user_ids : []
    default:
      return []
  }
}

const listWorkers = async (tx: Tx, id: number) => {
  const rows = await tx
    .selectFrom('capa_actions')
    .select('assigned_to')
    .where('capa_id', '=', id)
    .where('status', 'in', ['open', 'in_progress'])
    .execute()
  return rows.map(({ assigned_to }) => assigned_to)
}

const listReviewers = async (tx: Tx, id: number) => {
  const rows = await tx
    .selectFrom('effectiveness_reviews')
    .select('reviewer_id')
    .where('capa_id', '=', id)
    .where('status', '=', 'planned')
    .execute()
  return rows.map(({ reviewer_id }) => reviewer_id)
}

export const requestsOfCapas = { permission: 'capa.read', stillAsks: ofCapa } as const
export const requestsOfReviews = { permission: 'capa.read', stillAsks: ofReview } as const
