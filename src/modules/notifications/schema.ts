import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { Body, DayOrMoment, Id, Nullable, OneOf, saidIn, Timestamp } from '#kernel/schema.ts'
import { emailWays, notificationTypes, priorities } from './types.ts'

const NotificationType = OneOf(...notificationTypes)
const Priority = OneOf(...priorities)

/** NOTE-01. */
export const Notification = Type.Object(
  {
    id: Id,
    type: NotificationType,
    priority: Priority,
    title: Type.String(),
    message: Type.String(),
    code: Nullable(
      Type.String({
        description: 'Says the title and the message in any language, with `params`; null for an old one',
      }),
    ),
    params: Type.Record(Type.String(), Type.Unknown()),
    resource_type: Type.String({ description: 'The kind of the record that it is about' }),
    resource_id: Nullable(Id),
    link: Nullable(Type.String({ description: 'The path of that record in this API' })),
    is_read: Type.Boolean({ description: 'It was read, or it is settled' }),
    read_at: Nullable(Timestamp),
    settled_at: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'When it stopped asking for anything: it was decided, withdrawn or handed over. It counts as read from then on',
      }),
    ),
    email: Nullable(
      Type.Object(
        {
          status: OneOf('waiting', 'queued', 'sent', 'failed', 'suppressed'),
          sent_at: Nullable(Timestamp),
        },
        { description: 'Its e-mail; `waiting` is for the digest, null means that none is sent' },
      ),
    ),
    created_at: Timestamp,
  },
  saidIn({ title: 'title', text: 'message' }),
)
export type Notification = Static<typeof Notification>

export const NotificationFilter = Type.Object(
  {
    ...PageParams,
    is_read: Type.Optional(Type.Boolean()),
    priority: Type.Optional(Priority),
    type: Type.Optional(NotificationType),
    date_from: Type.Optional(DayOrMoment),
    date_to: Type.Optional(DayOrMoment),
  },
  { additionalProperties: false },
)
export type NotificationFilter = Static<typeof NotificationFilter>

export const UnreadCount = Type.Object({ unread: Type.Integer({ minimum: 0 }) })
export const MarkedRead = Type.Object({
  marked_read: Type.Integer({ minimum: 0, description: 'The number of notifications that were unread before' }),
})

const EmailWay = OneOf(...emailWays)

const Preference = Type.Object({
  type: NotificationType,
  priority: Type.Enum([...priorities], { description: 'The most urgent that there is of the type' }),
  in_app: Type.Boolean({ description: 'True if it is shown in the service' }),
  email: Type.Enum([...emailWays], { description: 'At once, in one message a day, or not' }),
  is_required: Type.Boolean({ description: 'It asks for a decision or gives a warning, and cannot be switched off' }),
  is_default: Type.Boolean({ description: 'Nothing else was chosen' }),
})
/** Every type, chosen or not. */
export const Preferences = Type.Object({ preferences: Type.Array(Preference) })
export type Preferences = Static<typeof Preferences>

export const PreferencesUpdate = Body({
  preferences: Type.Array(
    Body({ type: NotificationType, in_app: Type.Optional(Type.Boolean()), email: Type.Optional(EmailWay) }),
    { minItems: 1, maxItems: notificationTypes.length },
  ),
})
export type PreferencesUpdate = Static<typeof PreferencesUpdate>
