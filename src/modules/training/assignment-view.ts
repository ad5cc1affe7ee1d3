import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { Day, Id, Nullable, OneOf, Person, Timestamp } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { personOf } from '#platform/db/expressions.ts'
import { assignmentSources, assignmentStates, openStates, trainingTypes } from './rules.ts'
import { validlyCompleted } from './validity.ts'

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
  valid_until: Nullable(Type.String({ format: 'date', description: 'The last day of a qualification that ends' })),
  is_valid: Type.Boolean({ description: 'True if the person counts as trained by it today' }),
  reason: Nullable(Type.String({ description: 'Why it was waived, cancelled or failed' })),
  revision: Type.Integer(),
})
export type Assignment = Static<typeof Assignment>

/** A condition on an assignment `a`. */
const isOverdue = (today: string) => sql<boolean>`(a.due_date < ${today} and a.status = any(${openStates}))`

const documentOf: RawBuilder<Assignment['document']> = sql`(select jsonb_build_object('id', d.id, 'number', d.number,
    'version', (select version from document_versions where id = a.version_id)) from documents d where d.id = a.document_id)`

const verificationOf: RawBuilder<Assignment['verification']> =
  sql`jsonb_build_object('required', p.requires_verification,
  'verified_at', to_char(a.verified_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  'verified_by', ${personOf('a.verified_by')})`

/** Assignments `a` with their programs `p`. Long lists select the ids of a page first, because each row costs several subqueries. */
export const assignments = (tx: Tx, today: string) =>
  tx
    .selectFrom('training_assignments as a')
    .innerJoin('training_programs as p', 'p.id', 'a.program_id')
    .select(['a.id as assignment_id', 'a.program_id as training_id', 'p.number', 'p.title'])
    .select(['a.due_date', 'a.assigned_at', 'a.started_at', 'a.completed_at', 'a.attempts', 'a.score'])
    .select(['a.signature_id', 'a.valid_until', 'a.reason', 'a.revision'])
    .select([
      sql<Assignment['type']>`p.type`.as('type'),
      sql<Assignment['status']>`a.status`.as('status'),
      sql<Assignment['source']>`a.source`.as('source'),
      sql<Person>`${personOf('a.user_id')}`.as('user'),
      personOf('a.assigned_by').as('assigned_by'),
      isOverdue(today).as('is_overdue'),
      verificationOf.as('verification'),
      documentOf.as('document'),
      validlyCompleted(today).as('is_valid'),
    ])

export const findAssignment = (tx: Tx, id: number, today: string): Promise<Assignment | undefined> =>
  assignments(tx, today).where('a.id', '=', id).executeTakeFirst()
