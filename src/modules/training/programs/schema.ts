import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { Body, ChangeFields, CommonFields, DayOrMoment, Id, Nullable, OneOf, Ref, Text, Words } from '#kernel/schema.ts'
import { Assignment, Prerequisites } from '../assignments/schema.ts'
import { maxDueDays, programStatuses, trainingTypes } from '../rules.ts'
import { questionTypes } from './quiz-rules.ts'

export const maxQuestions = 200
export const maxOptions = 20

export const TrainingType = OneOf(...trainingTypes)
export const ProgramStatus = OneOf(...programStatuses)
const QuestionType = OneOf(...questionTypes)
export const Key = Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$', examples: ['question_1'] })

export const ProgramSummary = Type.Object({
  id: Id,
  number: Type.String(),
  title: Type.String(),
  type: TrainingType,
  status: ProgramStatus,
  document_id: Nullable(Id),
  document: Nullable(
    Type.Object(
      { id: Id, number: Type.String(), title: Nullable(Type.String()), version: Nullable(Type.String()) },
      { description: 'With its effective version; without one, title and version are null' },
    ),
  ),
  due_days: Type.Integer({ description: 'The default due date, in days after the assignment' }),
  valid_months: Nullable(
    Type.Integer({ description: 'The validity of the training in months; null means without end' }),
  ),
  requires_verification: Type.Boolean({ description: 'True if it counts only once a trainer has verified it' }),
  requires_opening: Type.Boolean({ description: 'True if the document must be opened before it is completed' }),
  question_count: Type.Integer(),
  ...CommonFields,
})
export type ProgramSummary = Static<typeof ProgramSummary>

const onlyForAuthors = 'Only for people who may change the program'

const ShownQuestion = Type.Object({
  key: Type.String(),
  text: Type.String(),
  type: QuestionType,
  options: Type.Array(
    Type.Object({
      key: Type.String(),
      text: Type.String(),
      is_correct: Type.Optional(Type.Boolean({ description: onlyForAuthors })),
    }),
  ),
  explanation: Type.Optional(Nullable(Type.String({ description: onlyForAuthors }))),
})

export const Program = Type.Object({
  ...ProgramSummary.properties,
  description: Type.String(),
  quiz_version: Nullable(
    Type.Integer({ description: 'Counts up with each change of the questions; null without any' }),
  ),
  questions: Type.Array(ShownQuestion),
  passing_score: Nullable(Type.Integer({ description: 'Percent' })),
  max_attempts: Nullable(Type.Integer()),
  shuffle: Nullable(Type.Boolean({ description: 'True if each trainee gets the questions in an order of their own' })),
  my_assignment: Nullable(Assignment),
  prerequisites: Prerequisites,
  attempts_left: Nullable(
    Type.Integer({ description: 'The attempts left for `my_assignment`, if it is open and has questions' }),
  ),
})
export type Program = Static<typeof Program>

const SentQuestion = Body({
  key: Type.Optional(Key),
  text: Words(4000),
  type: QuestionType,
  options: Type.Array(Body({ key: Type.Optional(Key), text: Words(1000), is_correct: Type.Boolean() }), {
    minItems: 2,
    maxItems: maxOptions,
  }),
  explanation: Type.Optional(Nullable(Text({ maxLength: 4000 }))),
})

const optionalFields = {
  description: Type.Optional(Text({ maxLength: 20_000 })),
  questions: Type.Optional(Type.Array(SentQuestion, { maxItems: maxQuestions })),
  passing_score: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Percent; 80 by default' })),
  max_attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: '3 by default' })),
  shuffle: Type.Optional(Type.Boolean({ description: 'true by default' })),
  due_days: Type.Optional(Type.Integer({ minimum: 1, maximum: maxDueDays, description: '14 by default' })),
  valid_months: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 120 }))),
  requires_verification: Type.Optional(Type.Boolean()),
  requires_opening: Type.Optional(
    Type.Boolean({ description: 'For read_and_understand: the document must be opened first; false by default' }),
  ),
}

export const ProgramCreate = Body({
  title: Words(500),
  type: TrainingType,
  document_id: Type.Optional(Nullable(Ref('document'))),
  ...optionalFields,
})
export type ProgramCreate = Static<typeof ProgramCreate>

export const ProgramUpdate = Body({
  title: Type.Optional(Words(500)),
  ...optionalFields,
  status: Type.Optional(ProgramStatus),
  cancel_open: Type.Optional(
    Type.Boolean({ description: 'Archives it and cancels its open assignments, with the `change_reason`' }),
  ),
  ...ChangeFields,
})
export type ProgramUpdate = Static<typeof ProgramUpdate>

export const ProgramFilter = Type.Object(
  {
    ...PageParams,
    status: Type.Optional(ProgramStatus),
    type: Type.Optional(TrainingType),
    document_id: Type.Optional(Id),
    date_from: Type.Optional(DayOrMoment),
    date_to: Type.Optional(DayOrMoment),
    q: Type.Optional(Text({ maxLength: 200, minLength: 1 })),
  },
  { additionalProperties: false },
)
export type ProgramFilter = Static<typeof ProgramFilter>
