import { route } from '#http'
import { list, markEveryRead, markOneRead, unreadCount } from './actions.ts'
import { changePreferences, preferences } from './preferences.ts'

export { sendDigests } from './digest.ts'
export { escalateIgnored } from './escalation.ts'
export { pageOf } from './link-queries.ts'
export { notificationSink } from './sink.ts'

/** NOTE-02. */
export const routes = [
  route('GET', '/api/notifications/', list),
  route('GET', '/api/notifications/unread-count', unreadCount),
  route('GET', '/api/notifications/preferences', preferences),
  route('PUT', '/api/notifications/preferences', changePreferences),
  route('POST', '/api/notifications/mark-all-read', markEveryRead()),
  route('POST', '/api/notifications/:id/mark-read', markOneRead),
]
