import { type Route, route } from '#http'
import type { RecordReader } from '#modules/signatures'
import { details, list, review } from './actions.ts'
import { accessReview, reviewedAccounts } from './list.ts'
import { readSubject } from './queries.ts'

export const signedAccessReviews: RecordReader = {
  read: readSubject,
  readable: ({ permissions }) => permissions.has('users.read_logins'),
}

export const routes: Route[] = [
  route('GET', '/api/users/access-review', accessReview),
  route('GET', '/api/users/access-reviews/', list),
  route('POST', '/api/users/access-reviews/', review, { status: 201 }),
  route('GET', '/api/users/access-reviews/:id', details),
  route('GET', '/api/users/access-reviews/:id/accounts', reviewedAccounts),
]
