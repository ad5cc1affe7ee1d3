import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

export interface ImportedCompletion {
  program_id: number
  user_id: number
  document_id: number | null
  version_id: number | null
  /** Days, in the time zone of the tenant. */
  completed_on: string
  valid_until: string | null
  notice_on: string | null
  program_title: string
  score: number | null
  counts: boolean
  migration_batch_id: number
}

/** The source has no other day, so the training was assigned and due on the day on which it was completed. Answers ids in their order. */
export async function insertImportedCompletions(
  tx: Tx,
  completions: readonly ImportedCompletion[],
  time_zone: string,
): Promise<number[]> {
  const rows = await tx
    .insertInto('training_assignments')
    .values(
      completions.map(({ completed_on, ...values }) => {
        const moment = sql<string>`${completed_on}::timestamp at time zone ${time_zone}`
        return {
          ...values,
          ...{ status: 'completed', source: 'migration', due_date: completed_on },
          ...{ assigned_at: moment, completed_at: moment, attempts: values.score === null ? 0 : 1 },
        }
      }),
    )
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The active program of one of these types with this title. */
export const findProgramByTitle = (tx: Tx, title: string, types: readonly string[]) =>
  tx
    .selectFrom('training_programs')
    .select(['id', 'number', 'title', 'valid_months'])
    .where('title', '=', title)
    .where('type', 'in', types)
    .where('status', '=', 'active')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
