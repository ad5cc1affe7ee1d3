import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { Answer } from '../programs/quiz-rules.ts'

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

/** True while a completed assignment waits for its verification. */
export const isUnverified = async (tx: Tx, id: number): Promise<boolean> => {
  const waiting = await tx
    .selectFrom('training_assignments')
    .select('id')
    .where('id', '=', id)
    .where('status', '=', 'completed')
    .where('verified_at', 'is', null)
    .executeTakeFirst()
  return waiting !== undefined
}
