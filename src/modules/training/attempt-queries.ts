import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { revised } from '#platform/db/expressions.ts'
import type { Answer } from './quiz.ts'
import type { AssignmentState } from './rules.ts'

export interface AssignmentRow {
  id: number
  program_id: number
  user_id: number
  status: AssignmentState
  document_id: number | null
  version_id: number | null
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
    .select(['id', 'program_id', 'user_id', 'document_id', 'version_id', 'assigned_by', 'started_at', 'attempts'])
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

export const insertAttempt = (
  tx: Tx,
  {
    answers,
    ...values
  }: {
    assignment_id: number
    attempt_number: number
    quiz_id: number
    answers: readonly Answer[]
    score: number
    passed: boolean
  },
) =>
  tx
    .insertInto('training_attempts')
    .values({ ...values, answers: JSON.stringify(answers) })
    .execute()

export interface ReadVersion {
  id: number
  version: string
  /** True if people may be trained on it: it is effective, or approved and waiting for its day. */
  counts: boolean
  /** The version that is effective now; null if there is none. */
  effective: string | null
}

/** The version of an assignment, with the one that is effective now. */
export const findReadVersion = (tx: Tx, versionId: number): Promise<ReadVersion | undefined> =>
  tx
    .selectFrom('document_versions as v')
    .innerJoin('documents as d', 'd.id', 'v.document_id')
    .leftJoin('document_versions as e', 'e.id', 'd.effective_version_id')
    .select(['v.id', 'v.version', 'e.version as effective'])
    .select(
      sql<boolean>`(v.status_kind = 'effective' or (v.status_kind = 'review' and v.approved_at is not null))`.as(
        'counts',
      ),
    )
    .where('v.id', '=', versionId)
    .executeTakeFirst()

/** The timestamp in the precision of the database, because a signature is later compared with the stored value. */
export const asStored = async (tx: Tx, moment: string) =>
  (await tx.selectNoFrom(sql<string>`${moment}::timestamptz`.as('moment')).executeTakeFirstOrThrow()).moment
