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

/** The person's first opening of the version that an assignment is about, since it was assigned. */
export async function findOpening(tx: Tx, assignmentId: number): Promise<Opening | undefined> {
  const { rows } = await sql<Opening>`
    select e.occurred_at as opened_at, v.id as opened_version_id, v.version as opened_version
    from training_assignments a join document_versions v on v.id = a.version_id
      join audit_entries e on e.user_id = a.user_id and e.resource_id = a.document_id
    where a.id = ${assignmentId} and e.action in ('document.viewed', 'document.downloaded')
      and e.outcome = 'success' and e.occurred_at >= a.assigned_at
      and e.changes #>> '{version,to}' = v.version and e.changes #>> '{sha256,to}' = v.sha256
    order by e.id limit 1`.execute(tx)
  return rows[0]
}
export interface Opening {
  opened_at: string
  opened_version_id: number
  opened_version: string
}

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
