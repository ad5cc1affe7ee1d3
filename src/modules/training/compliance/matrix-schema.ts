import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { Day, Id, Nullable, OneOf, Person, Text } from '#kernel/schema.ts'
import { TrainingType } from '../programs/schema.ts'
import { Format } from './exports.ts'

export const maxPrograms = 200

/** The standing of a person in a program today. */
const standings = [
  'trained',
  'overdue',
  'open',
  'awaiting_verification',
  'expired',
  'failed',
  'waived',
  'not_assigned',
] as const
export type Standing = (typeof standings)[number]

const Ids = (of: string, most: number) =>
  Type.String({
    pattern: `^[1-9]\\d{0,14}(,[1-9]\\d{0,14}){0,${most - 1}}$`,
    examples: ['4,7'],
    maxLength: most * 16,
    description: `The ids of ${of}, separated by commas`,
  })

export const MatrixFilter = Type.Object(
  {
    ...PageParams,
    program_ids: Type.Optional(Ids(`programs, ${maxPrograms} at most; by default all active programs`, maxPrograms)),
    group_id: Type.Optional(Id),
    role: Type.Optional(Text({ minLength: 1, maxLength: 120 })),
    user_ids: Type.Optional(Ids('people', 500)),
    status: Type.Optional(OneOf(...standings)),
    q: Type.Optional(Text({ minLength: 1, maxLength: 200 })),
    format: Type.Optional(Format),
  },
  { additionalProperties: false },
)
export type MatrixFilter = Static<typeof MatrixFilter>

export const MatrixProgram = Type.Object({ id: Id, number: Type.String(), title: Type.String(), type: TrainingType })
export type MatrixProgram = Static<typeof MatrixProgram>

const Cell = Type.Object({
  status: OneOf(...standings),
  assignment_id: Nullable({ ...Id, description: 'The assignment that it stands for' }),
  valid_until: Nullable(Day),
  due_date: Nullable(Day),
  version: Nullable(Type.String({ description: 'The version of the document to read' })),
  is_imported: Type.Boolean({ description: 'Completed before a migration: there is no signature' }),
})
export type Cell = Static<typeof Cell>

export const Matrix = Type.Object({
  programs: Type.Array(MatrixProgram),
  items: Type.Array(
    Type.Object({
      user: Person,
      role: Type.String(),
      cells: Type.Array(Cell, { description: 'One for each of the programs, in their order' }),
    }),
  ),
  page: Type.Integer(),
  page_size: Type.Integer(),
  total: Type.Integer(),
  pages: Type.Integer(),
})
export type MatrixRow = Static<typeof Matrix>['items'][number]
