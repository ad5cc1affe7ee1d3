import { sql } from 'kysely'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { personOf, revised } from '#platform/db/expressions.ts'
import type { EffectivenessReview } from './review-schema.ts'

const reviews = (tx: Tx, today: string) =>
  tx
    .selectFrom('effectiveness_reviews as r')
    .select(['r.id', 'r.capa_id', 'r.number', 'r.criteria', 'r.due_date', 'r.conclusion', 'r.evidence'])
    .select(['r.follow_up', 'r.follow_up_capa_id', 'r.completed_at', 'r.created_at', 'r.updated_at', 'r.revision'])
    .select([
      sql<EffectivenessReview['status']>`r.status`.as('status'),
      sql<EffectivenessReview['method']>`r.method`.as('method'),
      sql<EffectivenessReview['result']>`r.result`.as('result'),
      sql<boolean>`(r.status = 'planned' and r.due_date < ${today})`.as('overdue'),
      sql<number | null>`(select max(id) from signatures where effectiveness_review_id = r.id
        and occasion_kind = 'effectiveness')`.as('signature_id'),
      sql<Person>`${personOf('r.reviewer_id')}`.as('reviewer'),
      personOf('r.created_by').as('created_by'),
      personOf('r.updated_by').as('updated_by'),
    ])

export const listReviews = (tx: Tx, capaId: number, today: string) =>
  reviews(tx, today).where('r.capa_id', '=', capaId).orderBy('r.number', 'desc').execute()

export const findReview = (tx: Tx, capaId: number, id: number, today: string) =>
  reviews(tx, today).where('r.capa_id', '=', capaId).where('r.id', '=', id).executeTakeFirst()

export interface ReviewPlan {
  criteria: string
  method: string
  due_date: string
  reviewer_id: number
  notice_on: string | null
}

/** The lock of the CAPA keeps another request from taking the same number. */
export const insertReview = (tx: Tx, values: ReviewPlan & { capa_id: number }) =>
  tx
    .insertInto('effectiveness_reviews')
    .values({
      ...values,
      number: sql`(select coalesce(max(number), 0) + 1 from effectiveness_reviews where capa_id = ${values.capa_id})`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()

export interface ReviewOutcome {
  status: 'completed'
  result: string
  conclusion: string
  completed_at: string
}
interface ReviewFindings {
  conclusion: string | null
  evidence: string | null
  follow_up: string | null
  follow_up_capa_id: number | null
}

export const updateReview = (
  tx: Tx,
  id: number,
  values: Partial<ReviewPlan> & Partial<ReviewFindings> & Partial<ReviewOutcome>,
) =>
  tx
    .updateTable('effectiveness_reviews')
    .set({
      ...values,
      content_revision: sql`content_revision + 1`,
      ...revised,
    })
    .where('id', '=', id)
    .execute()

/** A review beside the state of its CAPA, and who reviews it. */
export const findReviewOfCapa = (tx: Tx, id: number) =>
  tx
    .selectFrom('effectiveness_reviews as r')
    .innerJoin('capas as c', 'c.id', 'r.capa_id')
    .select(['r.status', 'r.reviewer_id', 'c.status as capa_status'])
    .where('r.id', '=', id)
    .executeTakeFirst()

export const listPlannedReviewers = async (tx: Tx, capaId: number) => {
  const rows = await tx
    .selectFrom('effectiveness_reviews')
    .select('reviewer_id')
    .where('capa_id', '=', capaId)
    .where('status', '=', 'planned')
    .execute()
  return rows.map(({ reviewer_id }) => reviewer_id)
}

/** Like `findWhole` of the CAPA. */
export const listWholeReviews = (tx: Tx, capaId: number) =>
  tx.selectFrom('effectiveness_reviews').selectAll().where('capa_id', '=', capaId).orderBy('number').execute()

/** A whole review, with its number in words. */
export async function findWholeReview(tx: Tx, id: number) {
  const review = await tx.selectFrom('effectiveness_reviews').selectAll().where('id', '=', id).executeTakeFirst()
  if (!review) return undefined
  const { number } = await tx
    .selectFrom('capas')
    .select('number')
    .where('id', '=', review.capa_id)
    .executeTakeFirstOrThrow()
  const { status, content_revision } = review
  return { review, number: `${number}, effectiveness review ${review.number}`, status, content_revision }
}
