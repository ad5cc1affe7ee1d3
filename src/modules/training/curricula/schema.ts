import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { Body, ChangeFields, CommonFields, Id, OneOf, Ref, Text, Words } from '#kernel/schema.ts'
import { programStatuses } from '../rules.ts'

/** An archived curriculum makes no assignments. */
export const CurriculumStatus = OneOf('active', 'archived')
export type CurriculumStatus = Static<typeof CurriculumStatus>

export const Curriculum = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  status: CurriculumStatus,
  role_names: Type.Array(Type.String(), {
    description:
      'It applies to people with one of these roles, or with a role that inherits from one, and to members of the groups',
  }),
  groups: Type.Array(Type.Object({ id: Id, name: Type.String() })),
  programs: Type.Array(
    Type.Object({
      training_id: Id,
      number: Type.String(),
      title: Type.String(),
      status: OneOf(...programStatuses),
      is_prerequisite: Type.Boolean({ description: 'The programs after it can be begun once it is completed' }),
    }),
    { description: 'In their order' },
  ),
  ...CommonFields,
})
export type Curriculum = Static<typeof Curriculum>

export const CurriculumFilter = Type.Object(
  {
    ...PageParams,
    q: Type.Optional(Text({ maxLength: 200 })),
    status: Type.Optional(CurriculumStatus),
    role: Type.Optional(Text({ maxLength: 80 })),
    group_id: Type.Optional(Ref('group')),
    training_id: Type.Optional(Ref('training_program')),
  },
  { additionalProperties: false },
)
export type CurriculumFilter = Static<typeof CurriculumFilter>

const fields = {
  description: Type.Optional(Text({ maxLength: 2000 })),
  role_names: Type.Optional(Type.Array(Words(80), { maxItems: 50, uniqueItems: true })),
  group_ids: Type.Optional(Type.Array(Ref('group'), { maxItems: 100, uniqueItems: true })),
  programs: Type.Optional(
    Type.Array(Body({ training_id: Ref('training_program'), is_prerequisite: Type.Optional(Type.Boolean()) }), {
      maxItems: 100,
      description: 'In their order; replaces the former list',
    }),
  ),
}

export const CurriculumCreate = Body({ name: Words(120), ...fields })
export type CurriculumCreate = Static<typeof CurriculumCreate>

export const CurriculumUpdate = Body({
  name: Type.Optional(Words(120)),
  status: Type.Optional(CurriculumStatus),
  ...fields,
  ...ChangeFields,
})
