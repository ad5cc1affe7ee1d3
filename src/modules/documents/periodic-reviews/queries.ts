import { sql } from 'kysely'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, isoMoment, personOf } from '#platform/db/expressions.ts'
import type { PeriodicReview } from '../core/schema.ts'

interface NewReview {
  document_id: number
  version_id: number
  due_date: string | null
  outcome: PeriodicReview['outcome']
  comment: string
  signature_id: number
  next_due_date: string | null
  decided_at: string
}
export const insertReview = (tx: Tx, values: NewReview) => tx.insertInto('document_reviews').values(values).execute()

export const countReviews = (tx: Tx, versionId: number, documentId: number) =>
  countRows(tx.selectFrom('document_reviews').where('document_id', '=', documentId).where('version_id', '=', versionId))

export const listReviews = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_reviews as r')
    .innerJoin('document_versions as v', 'v.id', 'r.version_id')
    .select(['r.id', 'v.version', 'r.version_id', 'r.due_date', 'r.comment', 'r.signature_id', 'r.next_due_date'])
    .select(sql<PeriodicReview['outcome']>`r.outcome`.as('outcome'))
    .select(sql<string>`${isoMoment('r.decided_at')}`.as('decided_at'))
    .select(sql<Person>`${personOf('r.reviewer_id')}`.as('reviewer'))
    .where('r.document_id', '=', documentId)
    .orderBy('r.id', 'desc')
    .execute()

/** Everybody who ever owned the document, as the audit trail knows. */
export const listOwners = async (tx: Tx, documentId: number) =>
  (
    await sql<{ id: number }>`
      select u.id from users u where u.username in (
        select jsonb_path_query(e.changes::jsonb, '$.owner.*') #>> '{}' from audit_entries e
        where e.resource_type = 'document' and e.resource_id = ${documentId} and e.outcome = 'success'
          and e.changes -> 'owner' is not null)`.execute(tx)
  ).rows

export interface ReviewPlan {
  review_due_date: string | null
  review_notice_on: string | null
  needs_revision: boolean
}
export const planReview = (tx: Tx, versionId: number, plan: Partial<ReviewPlan>) =>
  tx.updateTable('document_versions').set(plan).where('id', '=', versionId).execute()

/** Documents with a reminder of their periodic review due today. */
export const listNotices = (tx: Tx, today: string, limit: number) =>
  tx
    .selectFrom('document_versions')
    .select('document_id as id')
    .where('review_notice_on', '<=', today)
    .orderBy('review_notice_on')
    .orderBy('id')
    .limit(limit)
    .execute()
