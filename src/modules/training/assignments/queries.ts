import { type RawBuilder, sql } from 'kysely'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { personOf, revised } from '#platform/db/expressions.ts'
import { type AssignmentState, openStates } from '../rules.ts'
import type { Assignment } from './schema.ts'

/**
 * A condition: by an assignment `a` of a program `p` the person counts as trained on a day. It is completed, verified if the program
 * requires it, and not expired. A reading counts for its version and for later ones, until one has the `training_impact` reassign_all. One
 * that was imported counts where its batch says so.
 */
export const validlyCompleted = (today: string): RawBuilder<boolean> => sql`(a.status = 'completed' and a.counts
  and (a.verified_at is not null or not p.requires_verification)
  and (a.valid_until is null or a.valid_until >= ${today})
  and (p.type <> 'read_and_understand' or not exists (
    select from document_versions was join document_versions later on later.document_id = was.document_id
    where was.id = a.version_id and later.effective_at is not null and later.training_impact = 'reassign_all'
      and (later.major, later.minor) > (was.major, was.minor))))`

/** A condition on an assignment `a`. */
const isOverdue = (today: string) => sql<boolean>`(a.due_date < ${today} and a.status = any(${openStates}))`

const documentOf: RawBuilder<Assignment['document']> = sql`(select jsonb_build_object('id', d.id, 'number', d.number,
    'version', (select version from document_versions where id = a.version_id)) from documents d where d.id = a.document_id)`

const openedOf: RawBuilder<Assignment['opened']> = sql`(case when a.opened_at is not null then jsonb_build_object(
    'at', to_char(a.opened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'version', (select version from document_versions where id = a.opened_version_id)) end)`

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
      sql<string | null>`(select version from document_versions where id = a.version_id)`.as('document_version'),
      openedOf.as('opened'),
      validlyCompleted(today).as('is_valid'),
    ])

export const findAssignment = (tx: Tx, id: number, today: string): Promise<Assignment | undefined> =>
  assignments(tx, today).where('a.id', '=', id).executeTakeFirst()

export interface AssignmentRow {
  id: number
  program_id: number
  user_id: number
  status: AssignmentState
  document_id: number | null
  version_id: number | null
  opened_version_id: number | null
  assigned_by: number | null
  started_at: string | null
  attempts: number
  verified_at: string | null
  content_revision: number
  revision: number
}

const rows = (tx: Tx) =>
  tx
    .selectFrom('training_assignments')
    .select([
      'id',
      'program_id',
      'user_id',
      'document_id',
      'version_id',
      'opened_version_id',
      'assigned_by',
      'started_at',
      'attempts',
    ])
    .select(['verified_at', 'content_revision', 'revision'])
    .select(sql<AssignmentState>`status`.as('status'))

export const findRow = (tx: Tx, id: number): Promise<AssignmentRow | undefined> =>
  rows(tx).where('id', '=', id).executeTakeFirst()

/** Locks the row, so that a decision rests on its present state. */
export const lockAssignment = (tx: Tx, id: number): Promise<AssignmentRow | undefined> =>
  rows(tx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** The newest assignment of a person, which is the open one if there is any. */
export const findNewestRow = (tx: Tx, programId: number, userId: number): Promise<AssignmentRow | undefined> =>
  rows(tx)
    .where('program_id', '=', programId)
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

interface AssignmentChange {
  status?: AssignmentState
  started_at?: string
  opened_at?: string | null
  opened_version_id?: number | null
  completed_at?: string
  attempts?: number
  score?: number | null
  signature_id?: number
  program_title?: string
  reason?: string
  valid_until?: string | null
  notice_on?: string | null
  verified_at?: string
  verified_by?: number | null
  verification_signature_id?: number
}

/** The caller holds the lock. `isContent` means that a signature covers the change. */
export const updateAssignment = (tx: Tx, id: number, values: AssignmentChange, { isContent = false } = {}) =>
  tx
    .updateTable('training_assignments')
    .set({
      ...values,
      ...(isContent && { content_revision: sql`content_revision + 1` }),
      ...revised,
    })
    .where('id', '=', id)
    .execute()

export interface LockedAssignment {
  id: number
  user_id: number
  status: AssignmentState
  due_date: string
  revision: number
  program_id: number
  number: string
  title: string
}

/** Locks assignments, by id so that two transactions cannot deadlock. */
export const lockAssignments = (tx: Tx, ids: readonly number[]): Promise<LockedAssignment[]> =>
  tx
    .selectFrom('training_assignments as a')
    .innerJoin('training_programs as p', 'p.id', 'a.program_id')
    .select(['a.id', 'a.user_id', 'a.due_date', 'a.revision', 'a.program_id', 'p.number', 'p.title'])
    .select(sql<AssignmentState>`a.status`.as('status'))
    .where('a.id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('a.id')
    .forNoKeyUpdate('a')
    .execute()

/** The caller holds the locks. */
export const updateEnded = (tx: Tx, ids: readonly number[], status: 'waived' | 'cancelled', reason: string) =>
  tx
    .updateTable('training_assignments')
    .set({
      status,
      reason,
      notice_on: null,
      ...revised,
    })
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute()
