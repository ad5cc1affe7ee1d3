import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import {
  Body,
  ChangeFields,
  CommonFields,
  DayOrMoment,
  Id,
  Nullable,
  OneOf,
  ProofFields,
  Ref,
  Text,
  Words,
} from '#kernel/schema.ts'
import { Assignment } from './assignment-view.ts'
import { questionTypes } from './quiz.ts'
import { most_due_days, programStatuses, trainingTypes } from './rules.ts'

const most_questions = 200
const most_options = 20

export const TrainingType = OneOf(...trainingTypes)
export const ProgramStatus = OneOf(...programStatuses)
const QuestionType = OneOf(...questionTypes)
const Key = Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$', examples: ['question_1'] })

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
      { description: 'Of which the effective version is shown; where there is none, title and version are null' },
    ),
  ),
  due_days: Type.Integer({ description: 'Where nobody says when it is due, so many days after it was assigned' }),
  valid_months: Nullable(Type.Integer({ description: 'For so long somebody counts as trained; null: for ever' })),
  requires_verification: Type.Boolean({ description: 'Whether it counts only once a trainer has verified it' }),
  question_count: Type.Integer(),
  ...CommonFields,
})
export type ProgramSummary = Static<typeof ProgramSummary>

const key_is_kept = 'Shown to who may change the program, and to nobody else'

const ShownQuestion = Type.Object({
  key: Type.String(),
  text: Type.String(),
  type: QuestionType,
  options: Type.Array(
    Type.Object({
      key: Type.String(),
      text: Type.String(),
      is_correct: Type.Optional(Type.Boolean({ description: key_is_kept })),
    }),
  ),
  explanation: Type.Optional(Nullable(Type.String({ description: key_is_kept }))),
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
  shuffle: Nullable(Type.Boolean({ description: 'Whether each trainee is asked in an order of their own' })),
  my_assignment: Nullable(Assignment),
  prerequisites: Type.Array(Type.Object({ id: Id, number: Type.String(), title: Type.String() }), {
    description: 'What one has to complete before one begins `my_assignment`, by a curriculum',
  }),
  attempts_left: Nullable(Type.Integer({ description: 'Of `my_assignment`, where it is open and has questions' })),
})
export type Program = Static<typeof Program>

const SentQuestion = Body({
  key: Type.Optional(Key),
  text: Words(4000),
  type: QuestionType,
  options: Type.Array(Body({ key: Type.Optional(Key), text: Words(1000), is_correct: Type.Boolean() }), {
    minItems: 2,
    maxItems: most_options,
  }),
  explanation: Type.Optional(Nullable(Text({ maxLength: 4000 }))),
})

const optionalFields = {
  description: Type.Optional(Text({ maxLength: 20_000 })),
  questions: Type.Optional(Type.Array(SentQuestion, { maxItems: most_questions })),
  passing_score: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Percent; 80 by default' })),
  max_attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: '3 by default' })),
  shuffle: Type.Optional(Type.Boolean({ description: 'true by default' })),
  due_days: Type.Optional(Type.Integer({ minimum: 1, maximum: most_due_days, description: '14 by default' })),
  valid_months: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 120 }))),
  requires_verification: Type.Optional(Type.Boolean()),
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
    Type.Boolean({ description: 'Archiving it: what of it is open is cancelled, with the `change_reason`' }),
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

/** What a signature takes. */
const Signing = { ...ProofFields, intent: Type.Optional(Words(2000)) }
const Revision = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Of the assignment; a stale one is a 409' }),
)

export const Completion = Body({
  answers: Type.Optional(
    Type.Array(Body({ question: Key, options: Type.Array(Key, { maxItems: most_options, uniqueItems: true }) }), {
      maxItems: most_questions,
      description: 'By the keys of the questions and of their options; what is not answered is wrong',
    }),
  ),
  quiz_version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Of the questions that are answered' }),
  ),
  document_version: Type.Optional(
    Type.String({
      pattern: '^[1-9]\\d{0,5}\\.\\d{1,6}$',
      examples: ['1.0'],
      description: 'The version that was read; another one than that of the assignment is a 409',
    }),
  ),
  ...Signing,
  revision: Revision,
})
export type Completion = Static<typeof Completion>

/** The assignment as it has become, and what the answers came to. */
export const CompletionResult = Type.Object({
  ...Assignment.properties,
  passed: Type.Boolean(),
  attempts_left: Nullable(Type.Integer({ description: 'null where there are no questions, or nothing is left to do' })),
})
export type CompletionResult = Static<typeof CompletionResult>

export const Verification = Body({ comment: Type.Optional(Words(2000)), ...Signing, revision: Revision })
export type Verification = Static<typeof Verification>
