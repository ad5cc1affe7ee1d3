import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { ProgramStatus, TrainingType } from './rules.ts'

/** A program, as far as it matters to who does its training. */
export interface ProgramRow {
  id: number
  number: string
  title: string
  type: TrainingType
  status: ProgramStatus
  document_id: number | null
  due_days: number
  valid_months: number | null
  requires_verification: boolean
  quiz_version: number | null
  revision: number
}

/**
 * `share`: it stays as it is until the transaction ends, for who assigns or completes it; many can at once. `change`: nobody else has
 * it. Rows are locked in this order: document, program, assignment.
 */
export type ProgramLock = 'share' | 'change'

export const findProgram = (
  tx: Tx,
  id: number,
  { lock }: { lock?: ProgramLock } = {},
): Promise<ProgramRow | undefined> =>
  tx
    .selectFrom('training_programs')
    .select(['id', 'number', 'title', 'document_id', 'due_days', 'valid_months', 'requires_verification'])
    .select(['quiz_version', 'revision'])
    .select([sql<TrainingType>`type`.as('type'), sql<ProgramStatus>`status`.as('status')])
    .where('id', '=', id)
    .$if(lock === 'share', query => query.forShare())
    .$if(lock === 'change', query => query.forNoKeyUpdate())
    .executeTakeFirst()

/** The reading of a document that is in use. */
export const findReading = (tx: Tx, documentId: number): Promise<{ id: number; number: string } | undefined> =>
  tx
    .selectFrom('training_programs')
    .select(['id', 'number'])
    .where('document_id', '=', documentId)
    .where('type', '=', 'read_and_understand')
    .where('status', '=', 'active')
    .executeTakeFirst()

export interface ProgramFields {
  title: string
  description: string
  type: TrainingType
  document_id: number | null
  due_days: number
  valid_months: number | null
  requires_verification: boolean
}

export const insertProgram = (
  tx: Tx,
  values: ProgramFields & { number: string; quiz_version: number | null },
): Promise<{ id: number }> =>
  tx.insertInto('training_programs').values(values).returning('id').executeTakeFirstOrThrow()
