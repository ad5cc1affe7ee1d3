import { type Route, route } from '#http'
import { details, list, review } from './actions.ts'

export { signedAuditReviews } from './subject.ts'

export const routes: Route[] = [
  route('GET', '/api/audit/reviews/', list),
  route('POST', '/api/audit/reviews/', review, { status: 201 }),
  route('GET', '/api/audit/reviews/:id', details),
]
