import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import {
  AnyOf,
  Body,
  ChangeFields,
  Day,
  DayOrMoment,
  Id,
  Nullable,
  OneOf,
  Person,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { assignmentSources, assignmentStates, trainingTypes } from '../rules.ts'

export const Assignment = Type.Object({
  assignment_id: Id,
  training_id: Id,
  number: Type.String({ description: 'The number of the program' }),
  title: Type.String(),
  type: OneOf(...trainingTypes),
  user: Person,
  status: OneOf(...assignmentStates),
  is_overdue: Type.Boolean({ description: 'Open after its due date, in the time zone of the tenant' }),
  due_date: Day,
  source: OneOf(...assignmentSources),
  assigned_by: Nullable(Person),
  assigned_at: Timestamp,
  started_at: Nullable(Timestamp),
  completed_at: Nullable(Timestamp),
  attempts: Type.Integer({ description: 'The number of attempts at its quiz' }),
  score: Nullable(Type.Integer({ description: 'The percentage of the latest attempt' })),
  signature_id: Nullable(Id),
  verification: Type.Object({
    required: Type.Boolean(),
    verified_at: Nullable(Timestamp),
    verified_by: Nullable(Person),
  }),
  document: Nullable(
    Type.Object(
      { id: Id, number: Type.String(), version: Nullable(Type.String()) },
      { description: 'The document to be read; `version` is null until one is effective' },
    ),
  ),
  document_version: Nullable(
    Type.String({
      description: 'The version of the document to be read; null for other training, or until one is effective',
    }),
  ),
  opened: Nullable(
    Type.Object(
      { at: Timestamp, version: Type.String() },
      { description: 'When the person first opened the document after the assignment, and in which version' },
    ),
  ),
  valid_until: Nullable(Type.String({ format: 'date', description: 'The last day of a qualification that ends' })),
  is_valid: Type.Boolean({ description: 'True if the person counts as trained by it today' }),
  reason: Nullable(Type.String({ description: 'Why it was waived, cancelled or failed' })),
  revision: Type.Integer(),
})
export type Assignment = Static<typeof Assignment>

export const Prerequisites = Type.Array(Type.Object({ id: Id, number: Type.String(), title: Type.String() }), {
  description: 'Programs to complete before this one can be begun, by a curriculum; none once it has ended',
})

export const Reasoned = Body({ reason: Words(2000), revision: ChangeFields.revision })

export const Reminding = Body({ comment: Type.Optional(Words(2000)) })
export const Reminded = Type.Object({ reminded: Type.Array(Person) })

export const MyTraining = Type.Object({
  id: { ...Id, description: 'The id of the program, for GET /api/training/{id}' },
  ...Assignment.properties,
  prerequisites: Prerequisites,
})
export type MyTraining = Static<typeof MyTraining>

const filters = {
  ...PageParams,
  status: Type.Optional(AnyOf(OneOf(...assignmentStates))),
  overdue: Type.Optional(Type.Boolean()),
}

export const MyTrainingFilter = Type.Object(filters, { additionalProperties: false })
export type MyTrainingFilter = Static<typeof MyTrainingFilter>

export const AssignmentFilter = Type.Object(
  {
    ...filters,
    training_id: Type.Optional(AnyOf(Id)),
    user_id: Type.Optional(AnyOf(Id)),
    group_id: Type.Optional({ ...Id, description: 'Assignments of the present members of the group' }),
    source: Type.Optional(AnyOf(OneOf(...assignmentSources))),
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
