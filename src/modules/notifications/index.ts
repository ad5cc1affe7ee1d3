import { route } from '#http'
import { list, markEveryRead, markOneRead, unreadCount } from './actions.ts'

export type { Post } from './deliver.ts'
export { notificationSink } from './sink.ts'

/** NOTE-02. */
export const routes = [
  route('GET', '/api/notifications/', list),
  route('GET', '/api/notifications/unread-count', unreadCount),
  route('POST', '/api/notifications/mark-all-read', markEveryRead),
  route('POST', '/api/notifications/:id/mark-read', markOneRead),
]
