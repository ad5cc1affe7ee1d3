import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import {
  Body,
  ChangeFields,
  CommonFields,
  Id,
  Nullable,
  OneOf,
  Person,
  Ref,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'

export const GroupType = OneOf('job_function', 'department', 'site', 'project', 'custom')
export type GroupType = Static<typeof GroupType>

/** So many people can become members by one request. */
const most_added = 500
/** So many members are shown with their group; the list of members has all of them. */
export const most_shown = 100

const groupFields = {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  group_type: GroupType,
  member_count: Type.Integer({ description: 'Also of those who are deactivated' }),
}
export const GroupSummary = Type.Object({ ...groupFields, ...CommonFields })
export type GroupSummary = Static<typeof GroupSummary>

export const Member = Type.Object({
  user_id: Id,
  username: Type.String(),
  full_name: Nullable(Type.String()),
  is_active: Type.Boolean({ description: 'Who is deactivated stays a member, and counts for nothing' }),
  added_at: Timestamp,
  added_by: Nullable(Person),
  removed_at: Nullable(Timestamp),
  removed_by: Nullable(Person),
})
export type Member = Static<typeof Member>

export const Group = Type.Object({
  ...groupFields,
  members: Type.Array(Member, {
    description: `The first ${most_shown} by name; GET /api/groups/{id}/members has all of them`,
  }),
  ...CommonFields,
})
export type Group = Static<typeof Group>

export const AddedMembers = Type.Object({
  ...Group.properties,
  added: Type.Array(Id, { description: 'The ids of those who became members' }),
  already_members: Type.Array(Id, { description: 'The ids of those who were members before' }),
})

export const GroupFilter = Type.Object(
  {
    ...PageParams,
    q: Type.Optional(Text({ maxLength: 200 })),
    group_type: Type.Optional(GroupType),
    user_id: Type.Optional(Ref('user')),
    mine: Type.Optional(
      Type.Boolean({ description: 'true: only those that you are in, also where you may see all of them' }),
    ),
  },
  { additionalProperties: false },
)
export type GroupFilter = Static<typeof GroupFilter>

export const MemberFilter = Type.Object(
  {
    ...PageParams,
    q: Type.Optional(Text({ maxLength: 200 })),
    include_former: Type.Optional(
      Type.Boolean({ description: 'true: with those who were members before; for who manages groups' }),
    ),
  },
  { additionalProperties: false },
)
export type MemberFilter = Static<typeof MemberFilter>

export const GroupCreate = Body({
  name: Words(120),
  description: Type.Optional(Text({ maxLength: 2000 })),
  group_type: Type.Optional(GroupType),
})

export const GroupUpdate = Body({
  name: Type.Optional(Words(120)),
  description: Type.Optional(Text({ maxLength: 2000 })),
  group_type: Type.Optional(GroupType),
  ...ChangeFields,
})

export const GroupChange = Body(ChangeFields)

export const AddMember = Body({
  user_id: Type.Optional(Ref('user')),
  user_ids: Type.Optional(
    Type.Array(Ref('user'), {
      minItems: 1,
      maxItems: most_added,
      uniqueItems: true,
      description: 'In the place of user_id: many at once, all of them or none',
    }),
  ),
  ...ChangeFields,
})
export type AddMember = Static<typeof AddMember>

export const MemberParams = Type.Object({ id: Id, user_id: Id })
