import { type Static, Type } from 'typebox'
import { Body, Id, Nullable, Person, Reason, Ref, Timestamp } from '#kernel/schema.ts'
import { JobAnswer } from '#modules/jobs'

/** So many ids still fit into the largest body. */
const maxPeople = 50_000
const maxGroups = 50

const People = Type.Array(Ref('user'), { minItems: 1, maxItems: maxPeople, uniqueItems: true })
const DueDate = Type.String({
  format: 'date',
  description:
    'A day in the time zone of the tenant, from today to ten years ahead; by default today and the due days of the program',
})

export const Assign = Body({
  training_id: Type.Optional(Ref('training_program')),
  document_id: Type.Optional({
    ...Ref('document'),
    description: 'Instead of `training_id`: the reading of the document',
  }),
  user_ids: Type.Optional(People),
  group_ids: Type.Optional(
    Type.Array(Ref('group'), {
      minItems: 1,
      maxItems: maxGroups,
      uniqueItems: true,
      description: 'Present and later members, unless they are validly trained',
    }),
  ),
  due_date: Type.Optional(DueDate),
})
export type Assign = Static<typeof Assign>

export const BulkAssign = Body({
  training_id: Ref('training_program'),
  user_ids: People,
  due_date: Type.Optional(DueDate),
})

const AssignmentOfPerson = Type.Object({ assignment_id: Id, user: Person })

export const WhoWasAssigned = Type.Object({
  training_id: Id,
  assigned: Type.Array(AssignmentOfPerson),
  already_assigned: Type.Array(AssignmentOfPerson, {
    description: 'People with an open assignment, which stays as it is',
  }),
  skipped: Type.Array(Type.Object({ user_id: Id, user: Person, reason: Reason })),
  job: Nullable(JobAnswer),
})
export type WhoWasAssigned = Static<typeof WhoWasAssigned>

export const GroupAssignment = Type.Object({
  group: Type.Object({ id: Id, name: Type.String() }),
  due_days: Nullable(Type.Integer({ description: 'The due days of later members; null takes those of the program' })),
  assigned_at: Timestamp,
  assigned_by: Nullable(Person),
})
