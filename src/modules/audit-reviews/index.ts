import { type Route, route } from '#http'
import type { Database } from '#platform/db/database.ts'
import { details, list, review } from './actions.ts'

export { signedAuditReviews } from './subject.ts'

export const routes = (database: Database): Route[] => [
  route('GET', '/api/audit/reviews/', list),
  route('POST', '/api/audit/reviews/', review(database), { status: 201 }),
  route('GET', '/api/audit/reviews/:id', details),
]
