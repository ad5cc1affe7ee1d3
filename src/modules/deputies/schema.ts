import { type Static, Type } from 'typebox'
import { deputyScopes } from '#action'
import { PageParams } from '#kernel/paging.ts'
import { Body, Day, Id, Nullable, OneOf, Person, Ref, Timestamp, Words } from '#kernel/schema.ts'

const Scopes = Type.Array(OneOf(...deputyScopes), {
  minItems: 1,
  uniqueItems: true,
  description:
    '`approvals`: steps of documents that name the person. `tasks`: deviations, CAPAs, actions, effectiveness reviews and periodic reviews that are assigned to them',
})

export const DeputyStatus = OneOf('planned', 'current', 'over', 'ended')

export const Deputy = Type.Object({
  id: Id,
  person: Person,
  deputy: Person,
  starts_on: Day,
  ends_on: Type.String({ format: 'date', description: 'The last day, in the time zone of the tenant' }),
  scopes: Scopes,
  reason: Nullable(Type.String()),
  status: DeputyStatus,
  created_at: Timestamp,
  created_by: Person,
  ended_at: Nullable(Timestamp),
  ended_by: Nullable(Person),
  end_reason: Nullable(Type.String()),
})
export type Deputy = Static<typeof Deputy>

export const DeputyCreate = Body({
  deputy_id: Ref('user'),
  person_id: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, 'x-references': 'user' },
      description: 'The person who is away: by default you. Another person needs the permission deputies.manage',
    }),
  ),
  starts_on: Day,
  ends_on: Day,
  scopes: Type.Optional(Scopes),
  reason: Type.Optional(Words(2000)),
})
export type DeputyCreate = Static<typeof DeputyCreate>

export const DeputyEnd = Body({ end_reason: Words(2000) })

export const DeputyFilter = Type.Object(
  {
    ...PageParams,
    person_id: Type.Optional(Ref('user')),
    deputy_id: Type.Optional(Id),
    status: Type.Optional(DeputyStatus),
  },
  { additionalProperties: false },
)
export type DeputyFilter = Static<typeof DeputyFilter>
