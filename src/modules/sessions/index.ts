import { type Route, route } from '#http'
import { current, end, endOthers, extend, list, listOfUser } from './actions.ts'

export { type BegunSession, beginSession } from './begin.ts'
export {
  deleteOldSessions,
  endAllSessions,
  endSession,
  endSessionsOfProvider,
  listUsersOfProviderSession,
  noteSeen,
} from './queries.ts'
export {
  defaultSessionSettings,
  endsOf,
  type Lasting,
  lifeOf,
  type SessionKind,
  type SessionSettings,
  seenEveryMs,
} from './rules.ts'

export const routes: Route[] = [
  route('GET', '/api/auth/session', current),
  route('POST', '/api/auth/session/extend', extend),
  route('GET', '/api/auth/sessions/', list),
  route('DELETE', '/api/auth/sessions/:id', end, { status: 204 }),
  route('POST', '/api/auth/sessions/end-others', endOthers),
  route('GET', '/api/users/:id/sessions', listOfUser),
]
