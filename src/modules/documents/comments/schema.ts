import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { Body, Id, Nullable, Person, Timestamp, Words } from '#kernel/schema.ts'
import { VersionLabel } from '../core/schema.ts'

export const Comment = Type.Object({
  id: Id,
  document_id: Id,
  version: Type.String(),
  round: Type.Integer(),
  text: Type.String(),
  page: Nullable(Type.Integer()),
  quote: Nullable(Type.String()),
  created_at: Timestamp,
  created_by: Person,
  resolved_at: Nullable(Timestamp),
  resolved_by: Nullable(Person),
  reply: Nullable(Type.String()),
})
export type Comment = Static<typeof Comment>

export const CommentCreate = Body({
  text: Words(10_000),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  quote: Type.Optional(Words(2000)),
  version: Type.Optional(VersionLabel),
})

export const CommentResolution = Body({ reply: Type.Optional(Words(10_000)) })

export const CommentFilter = Type.Object(
  { ...PageParams, version: Type.Optional(VersionLabel), is_resolved: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
)
export type CommentFilter = Static<typeof CommentFilter>
