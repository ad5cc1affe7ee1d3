import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import {
  Body,
  ChangeFields,
  Day,
  DayOrMoment,
  Id,
  Nullable,
  OneOf,
  Person,
  Reason,
  Ref,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { JobAnswer } from '#modules/jobs'
import { Assignment } from './assignment-view.ts'
import { assignmentSources, assignmentStates } from './rules.ts'

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

export const Reasoned = Body({ reason: Words(2000), revision: ChangeFields.revision })

export const MyTraining = Type.Object({
  id: { ...Id, description: 'The id of the program, for GET /api/training/{id}' },
  ...Assignment.properties,
})

const filters = {
  ...PageParams,
  status: Type.Optional(OneOf(...assignmentStates)),
  overdue: Type.Optional(Type.Boolean()),
}

export const MyTrainingFilter = Type.Object(filters, { additionalProperties: false })
export type MyTrainingFilter = Static<typeof MyTrainingFilter>

export const AssignmentFilter = Type.Object(
  {
    ...filters,
    training_id: Type.Optional(Id),
    user_id: Type.Optional(Id),
    group_id: Type.Optional({ ...Id, description: 'Assignments of the present members of the group' }),
    source: Type.Optional(OneOf(...assignmentSources)),
    awaiting_verification: Type.Optional(Type.Boolean()),
    date_from: Type.Optional(DayOrMoment),
    date_to: Type.Optional(DayOrMoment),
    due_from: Type.Optional(Day),
    due_to: Type.Optional(Day),
    q: Type.Optional(Text({ maxLength: 200, minLength: 1 })),
  },
  { additionalProperties: false },
)
export type AssignmentFilter = Static<typeof AssignmentFilter>
