import { sql } from 'kysely'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { isoMoment, personOf } from '#platform/db/expressions.ts'

/** Versions whose next reminder, of an approval due soon or overdue, is due today. */
export const listNotices = (tx: Tx, today: string, limit: number) =>
  tx
    .selectFrom('document_versions')
    .select(['document_id', 'id as version_id'])
    .where('approval_notice_on', 'is not', null)
    .where('approval_notice_on', '<=', today)
    .orderBy('approval_notice_on')
    .orderBy('id')
    .limit(limit)
    .execute()

interface NewDelegation {
  document_id: number
  version_id: number
  round: number
  transition: string
  rules: number[]
  from_user_id: number
  to_user_id: number
  reason: string
}
export const insertDelegation = (tx: Tx, values: NewDelegation) =>
  tx.insertInto('document_delegations').values(values).execute()

interface NewDecision {
  document_id: number
  version_id: number
  round: number
  transition: string
  rules: number[]
  user_id: number
  decision: 'approve' | 'reject'
  comment: string | null
  signature_id: number | null
}

export const insertDecision = (tx: Tx, values: NewDecision) =>
  tx.insertInto('document_decisions').values(values).execute()

export interface DecisionRow {
  transition: string
  user: Person
  decision: 'approve' | 'reject'
  comment: string | null
  signature_id: number | null
  is_void: boolean
  decided_at: string
}
/** The decisions of the current round of a version, or of its last one; `is_void` are those that no longer count. */
export const listDecisions = async (tx: Tx, versionId: number, round: number): Promise<DecisionRow[]> => {
  const { rows } = await sql<DecisionRow>`
    select c.transition, ${personOf('c.user_id')} as "user", c.decision, c.comment, c.signature_id, c.is_void,
      ${isoMoment('c.decided_at')} as decided_at
    from document_decisions c where c.version_id = ${versionId} and c.round = ${round} order by c.id`.execute(tx)
  return rows
}
