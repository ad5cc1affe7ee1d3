import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { AnyOf, Body, Id, Nullable, OneOf, Person, Ref, Timestamp, Words } from '#kernel/schema.ts'
import { mailKinds, mailStatuses } from './words.ts'

export const Mail = Type.Object({
  id: Id,
  kind: OneOf(...mailKinds),
  notification_type: Nullable(
    Type.String({ description: 'The type of its first notification; null for a link to choose a password' }),
  ),
  notifications: Type.Integer({ description: 'How many notifications it tells of' }),
  recipient: Person,
  status: OneOf(...mailStatuses),
  attempts: Type.Integer(),
  error: Nullable(Type.String({ description: 'The last answer of the mail server, without the address' })),
  created_at: Timestamp,
  sent_at: Nullable(Timestamp),
  failed_at: Nullable(Type.String({ format: 'date-time', description: 'When its last attempt was given up' })),
})
export type Mail = Static<typeof Mail>

export const MailFilter = Type.Object(
  {
    ...PageParams,
    status: Type.Optional(AnyOf(OneOf(...mailStatuses))),
    user_id: Type.Optional(Ref('user')),
  },
  { additionalProperties: false },
)

export const Decision = Body({ change_reason: Type.Optional(Words(1000)) })
