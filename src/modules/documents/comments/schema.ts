import { type Static, Type } from 'typebox'
import { Allowed } from '#action/allowed.ts'
import { PageParams } from '#kernel/paging.ts'
import { Body, Id, Nullable, Person, Ref, Timestamp, Words } from '#kernel/schema.ts'
import { VersionLabel } from '../core/schema.ts'

export const Comment = Type.Object({
  id: Id,
  document_id: Id,
  version: Type.String(),
  round: Type.Integer(),
  parent_id: Nullable(
    Type.Integer({ minimum: 1, description: 'The comment that begins the thread; null for that comment itself' }),
  ),
  text: Type.String(),
  page: Nullable(Type.Integer()),
  quote: Nullable(Type.String()),
  mentions: Type.Array(Person, { description: 'The people who were notified because the comment mentions them' }),
  replies: Type.Integer(),
  created_at: Timestamp,
  created_by: Person,
  edited_at: Nullable(Timestamp),
  resolved_at: Nullable(Timestamp),
  resolved_by: Nullable(Person),
  reply: Nullable(Type.String({ description: 'What was said when it was resolved' })),
  you: Allowed,
})
export type Comment = Static<typeof Comment>

const Mentions = Type.Array(Ref('user'), {
  maxItems: 20,
  uniqueItems: true,
  description: 'People to notify. They must be able to read the version',
})

export const CommentCreate = Body({
  text: Words(10_000),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  quote: Type.Optional(Words(2000)),
  parent_id: Type.Optional(Ref('document_comment')),
  mentions: Type.Optional(Mentions),
  version: Type.Optional(VersionLabel),
})

export const CommentUpdate = Body({ text: Words(10_000), mentions: Type.Optional(Mentions) })

export const CommentResolution = Body({ reply: Type.Optional(Words(10_000)) })
export const CommentReopening = Body({ reason: Type.Optional(Words(2000)) })

export const CommentFilter = Type.Object(
  {
    ...PageParams,
    version: Type.Optional(VersionLabel),
    is_resolved: Type.Optional(Type.Boolean({ description: 'Replies are as their thread is' })),
    is_reply: Type.Optional(Type.Boolean()),
    parent_id: Type.Optional(Id),
  },
  { additionalProperties: false },
)
export type CommentFilter = Static<typeof CommentFilter>
