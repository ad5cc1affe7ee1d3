import { requestsOf } from '#modules/casework'
import { listWorkers } from '../action-queries.ts'
import { findCase } from '../queries.ts'
import { findReviewOfCapa, listPlannedReviewers } from '../review-queries.ts'
import { type CapaState, isAtWork, isOver, needsPlanApproval } from '../rules.ts'

const hasEnded = (status: string) => isOver(status as CapaState)

export const requestsOfCapas = requestsOf('capa', findCase, {
  capa_approval_requested: ({ status, ...capa }, ids) =>
    status === 'draft' || (isAtWork(status as CapaState) && needsPlanApproval(capa)) ? ids : [],
  async capa_assigned({ id, status, assigned_to }, ids, tx) {
    const workers = [assigned_to, ...(await listWorkers(tx, id))]
    return hasEnded(status) ? [] : ids.filter(each => workers.includes(each))
  },
  async capa_review_requested({ id, status }, ids, tx) {
    const reviewers = await listPlannedReviewers(tx, id)
    return status === 'pending_effectiveness' ? ids.filter(each => reviewers.includes(each)) : []
  },
})

export const requestsOfReviews = requestsOf('capa', findReviewOfCapa, {
  capa_review_planned: ({ status, reviewer_id, capa_status }, ids) =>
    status === 'planned' && !hasEnded(capa_status) ? ids.filter(each => each === reviewer_id) : [],
  // A CAPA that was found effective awaits its closure.
  capa_reviewed: ({ capa_status }, ids) => (capa_status === 'pending_effectiveness' ? ids : []),
})
