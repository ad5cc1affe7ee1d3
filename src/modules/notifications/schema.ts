import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { Id, Nullable, OneOf, Timestamp } from '#kernel/schema.ts'
import { notificationTypes, priorities } from './types.ts'

const NotificationType = OneOf(...notificationTypes)
const Priority = OneOf(...priorities)

/** NOTE-01. */
export const Notification = Type.Object({
  id: Id,
  type: NotificationType,
  priority: Priority,
  title: Type.String(),
  message: Type.String(),
  resource_type: Type.String({ description: 'What kind of record it is about' }),
  resource_id: Nullable(Id),
  is_read: Type.Boolean(),
  read_at: Nullable(Timestamp),
  created_at: Timestamp,
})
export type Notification = Static<typeof Notification>

export const NotificationFilter = Type.Object(
  {
    ...PageParams,
    is_read: Type.Optional(Type.Boolean()),
    priority: Type.Optional(Priority),
    type: Type.Optional(NotificationType),
  },
  { additionalProperties: false },
)
export type NotificationFilter = Static<typeof NotificationFilter>

export const UnreadCount = Type.Object({ unread: Type.Integer({ minimum: 0 }) })
export const MarkedRead = Type.Object({
  marked_read: Type.Integer({ minimum: 0, description: 'How many there were to be marked' }),
})
