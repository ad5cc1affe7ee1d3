import { type Route, route } from '#http'
import { caseRoutes } from '#modules/casework'
import { capaAccess } from './access.ts'
import { create, details, list } from './actions.ts'
import { approveDraft, approvePlan, rejectDraft } from './approvals.ts'
import { changeReview, planReview, reviewDetails, reviews } from './reviews.ts'
import { actionDetails, addAction, changeAction, changeOrder, deleteAction } from './single-actions/actions.ts'
import { update } from './update.ts'

export { capaAccess } from './access.ts'
export { awaitingCapas } from './awaiting.ts'
export { workOnActions, workOnCapas, workOnReviews } from './hand-over/work.ts'
export { addImportedAction } from './imported/actions.ts'
export { addImportedCapa, importedCapaStates } from './imported/create.ts'
export { type AwaitingCapa, listNamedCapas } from './queries.ts'
export { capaReminders } from './reminders/reminders.ts'
export { requestsOfCapas, requestsOfReviews } from './reminders/requests.ts'
export { listReviews } from './review-queries.ts'
export { actionStatuses, capaPriorities, capaSources, capaTypes, maxActions } from './rules.ts'
export { signedCapas, signedReviews } from './signed.ts'
export { loadCapa, type Work as CapaWork } from './view.ts'

export const routes: Route[] = [
  route('GET', '/api/capa/', list),
  route('POST', '/api/capa/', create, { status: 201 }),
  route('GET', '/api/capa/:id', details),
  route('PUT', '/api/capa/:id', update),
  route('POST', '/api/capa/:id/approve-draft', approveDraft),
  route('POST', '/api/capa/:id/reject-draft', rejectDraft),
  route('POST', '/api/capa/:id/approve-plan', approvePlan),
  route('POST', '/api/capa/:id/actions', addAction, {
    status: 201,
    location: '/api/capa/:id/actions/:action_id',
  }),
  route('PUT', '/api/capa/:id/actions/order', changeOrder),
  route('GET', '/api/capa/:id/actions/:action_id', actionDetails),
  route('PUT', '/api/capa/:id/actions/:action_id', changeAction),
  route('DELETE', '/api/capa/:id/actions/:action_id', deleteAction, { status: 204 }),
  route('GET', '/api/capa/:id/effectiveness', reviews),
  route('POST', '/api/capa/:id/effectiveness', planReview, {
    status: 201,
    location: '/api/capa/:id/effectiveness/:review_id',
  }),
  route('GET', '/api/capa/:id/effectiveness/:review_id', reviewDetails),
  route('PUT', '/api/capa/:id/effectiveness/:review_id', changeReview),
  ...caseRoutes(capaAccess),
]
