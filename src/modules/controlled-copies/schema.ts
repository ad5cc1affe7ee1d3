import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import {
  AnyOf,
  Body,
  ChangeFields,
  Day,
  DayOrMoment,
  DeputyFields,
  Id,
  Nullable,
  OneOf,
  Person,
  Ref,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { copyStates, outcomes } from './states.ts'

const Outcome = OneOf(...outcomes)

export const ControlledCopy = Type.Object({
  id: Id,
  number: Type.String({ description: 'The number of the document with that of the copy' }),
  copy_number: Type.Integer({ description: 'Counted within the document, without a gap' }),
  document: Type.Object({ id: Id, number: Type.String(), title: Type.String() }),
  version: Type.String(),
  issued_to: Type.Object(Person.properties, { description: 'The person who is printed on the copy' }),
  holder: Type.Object(Person.properties, { description: 'The person who answers for the copy now' }),
  location: Type.String(),
  purpose: Nullable(Type.String()),
  status: OneOf(...copyStates),
  issued_at: Timestamp,
  issued_by: Person,
  prints: Type.Integer({ description: 'How often it was printed; a copy that was never printed has 0' }),
  recalled_at: Nullable(Timestamp),
  recalled_by: Nullable(Type.Object(Person.properties, { description: 'Null where the version ended by itself' })),
  recall_reason: Nullable(Type.String()),
  due_date: Nullable(
    Type.String({
      format: 'date',
      description: 'It is to be returned by the end of this day, in the time zone of the tenant',
    }),
  ),
  overdue: Type.Boolean({ description: 'It was to be reconciled before today' }),
  confirmed_outcome: Nullable(Type.Enum([...outcomes], { description: 'What became of it by the word of its holder' })),
  confirmed_at: Nullable(Timestamp),
  confirmed_by: Nullable(Person),
  confirmation_comment: Nullable(Type.String()),
  reconciled_at: Nullable(Timestamp),
  reconciled_by: Nullable(Person),
  reconciliation_reason: Nullable(Type.String()),
  updated_at: Timestamp,
  updated_by: Nullable(Person),
  revision: Type.Integer(),
})
export type ControlledCopy = Static<typeof ControlledCopy>

const CopyPrinted = Type.Object({
  print_number: Type.Integer(),
  reason: Nullable(Type.String()),
  sha256: Type.String({ description: 'Of the PDF that was printed' }),
  pages: Type.Integer(),
  printed_at: Timestamp,
  printed_by: Person,
})
export const ControlledCopyDetails = Type.Object({
  ...ControlledCopy.properties,
  printed: Type.Array(CopyPrinted, { description: 'Every print, the first one first' }),
})
export type ControlledCopyDetails = Static<typeof ControlledCopyDetails>

export const CopyFilter = Type.Object(
  {
    ...PageParams,
    document_id: Type.Optional(AnyOf(Id)),
    holder_id: Type.Optional(AnyOf(Id)),
    status: Type.Optional(AnyOf(OneOf(...copyStates))),
    is_confirmed: Type.Optional(Type.Boolean({ description: 'Whether the holder has said what became of it' })),
    overdue: Type.Optional(Type.Boolean()),
    date_from: Type.Optional(DayOrMoment),
    date_to: Type.Optional(DayOrMoment),
    q: Type.Optional(Text({ maxLength: 200, minLength: 1 })),
  },
  { additionalProperties: false },
)
export type CopyFilter = Static<typeof CopyFilter>

export const CopyIssue = Body({
  issued_to: Ref('user'),
  location: Words(200),
  purpose: Type.Optional(Words(2000)),
  version: Type.Optional(
    Type.String({
      ...{ pattern: '^[1-9]\\d{0,5}\\.\\d{1,6}$', examples: ['1.0'] },
      description: 'The version that you mean: refused if another one is effective by now',
    }),
  ),
})

export const CopyPrint = Body({
  reason: Type.Optional({ ...Words(2000), description: 'Needed to print a copy again' }),
})

const change = { change_reason: Words(2000), revision: ChangeFields.revision }

export const CopyRecall = Body({
  due_date: Type.Optional({ ...Day, description: 'To be returned by this day; by default within 14 days' }),
  ...change,
})

export const CopyTransfer = Body({ holder_id: Ref('user'), ...change })

export const CopyConfirmation = Body({
  outcome: Outcome,
  comment: Type.Optional({ ...Words(2000), description: 'Needed unless it was returned' }),
  revision: ChangeFields.revision,
  ...DeputyFields,
})

export const CopyReconciliation = Body({ outcome: Outcome, ...change })
