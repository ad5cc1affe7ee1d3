import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import {
  AnyOf,
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

/** The most people that one request can add. */
const maxAdded = 500
/** A group is shown with its first members only; the list of members has all of them. */
export const maxShown = 100

const groupFields = {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  group_type: GroupType,
  member_count: Type.Integer({ description: 'Includes deactivated people' }),
}
export const GroupSummary = Type.Object({ ...groupFields, ...CommonFields })
export type GroupSummary = Static<typeof GroupSummary>

export const Member = Type.Object({
  user_id: Id,
  username: Type.String(),
  full_name: Nullable(Type.String()),
  is_active: Type.Boolean({
    description: 'A deactivated person stays a member, and does not count in approvals and training',
  }),
  added_at: Timestamp,
  added_by: Nullable(Person),
  removed_at: Nullable(Timestamp),
  removed_by: Nullable(Person),
})
export type Member = Static<typeof Member>

export const Group = Type.Object({
  ...groupFields,
  members: Type.Array(Member, {
    description: `The first ${maxShown} by name; GET /api/groups/{id}/members has all of them`,
  }),
  ...CommonFields,
})
export type Group = Static<typeof Group>

export const AddedMembers = Type.Object({
  ...Group.properties,
  added: Type.Array(Id, { description: 'The ids of those who became members' }),
  already_members: Type.Array(Id, { description: 'The ids of those who were members before' }),
})

const Using = Type.Object({ total: Type.Integer(), items: Type.Array(Type.Object({ id: Id, name: Type.String() })) })
export type Using = Static<typeof Using>
/** So many of each kind are named. */
export const maxUses = 100

export const GroupUse = Type.Object({
  workflow_templates: { ...Using, description: 'Their approvals name the group' },
  document_types: { ...Using, description: 'New documents of these types begin with one of these workflows' },
  documents: { ...Using, description: 'Their approval names the group, now or when they are made obsolete' },
  curricula: { ...Using, description: 'Active ones that apply to the group' },
  training_programs: { ...Using, description: 'People who join the group are assigned them' },
  identity_providers: { ...Using, description: 'Their groups decide who is a member' },
})

export const GroupFilter = Type.Object(
  {
    ...PageParams,
    q: Type.Optional(Text({ maxLength: 200 })),
    group_type: Type.Optional(AnyOf(GroupType)),
    user_id: Type.Optional(Ref('user')),
    mine: Type.Optional(Type.Boolean({ description: 'true: only your own groups, even if you may see all of them' })),
  },
  { additionalProperties: false },
)
export type GroupFilter = Static<typeof GroupFilter>

export const MemberFilter = Type.Object(
  {
    ...PageParams,
    q: Type.Optional(Text({ maxLength: 200 })),
    include_former: Type.Optional(
      Type.Boolean({ description: 'true: also former members; needs the permission `groups.manage`' }),
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
      maxItems: maxAdded,
      uniqueItems: true,
      description: 'Instead of `user_id`: many people at once, all of them or none',
    }),
  ),
  ...ChangeFields,
})
export type AddMember = Static<typeof AddMember>

export const MemberParams = Type.Object({ id: Id, user_id: Id })
