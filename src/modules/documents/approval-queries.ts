import { sql } from 'kysely'
import type { Person } from '#kernel/schema.ts'
import type { Counts } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { isoMoment, personOf } from '#platform/db/expressions.ts'

/** The approval terms of a version: required counts, due date and the next notice. */
export interface ApprovalTerms {
  approval_counts: Counts
  approval_due_date: string | null
  approval_notice: 'reminder' | 'escalation' | null
  approval_notice_on: string | null
}

export const updateTerms = (tx: Tx, versionId: number, { approval_counts, ...terms }: Partial<ApprovalTerms>) =>
  tx
    .updateTable('document_versions')
    .set({ ...terms, ...(approval_counts && { approval_counts: JSON.stringify(approval_counts) }) })
    .where('id', '=', versionId)
    .execute()

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

/** `givers`: ends the delegations of these people only; without it, of everybody. */
export const endDelegations = (
  tx: Tx,
  versionId: number,
  {
    givers,
    transition,
    ended_by,
    end_reason,
  }: { givers?: number[]; transition?: string; ended_by: number | null; end_reason: string | null },
) =>
  tx
    .updateTable('document_delegations')
    .set({ ended_at: sql`clock_timestamp()`, ended_by, end_reason })
    .where('version_id', '=', versionId)
    .where('ended_at', 'is', null)
    .$if(transition !== undefined, query => query.where('transition', '=', transition!))
    .$if(givers !== undefined, query => query.where('from_user_id', 'in', givers!))
    .execute()

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
