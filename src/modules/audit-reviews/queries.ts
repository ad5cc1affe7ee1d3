import { type Insertable, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import { givenSignature, withCode } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { countRows, endOf, personOf, startOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { AuditReview, AuditReviewFilter, Reviewed } from './schema.ts'

export const reviewSorts = ['id', 'starts_at', 'ends_at'] as const

/** The beginning of a period and the moment after its end; whether it is not empty, and whether it is over. */
export async function readPeriod(tx: Tx, { date_from, date_to }: Reviewed, now: Date) {
  const { rows } = await sql<{ starts_at: string; ends_at: string; is_one: boolean; is_over: boolean }>`
    select starts_at, ends_at, starts_at < ends_at as is_one, ends_at <= ${now.toISOString()}::timestamptz as is_over
    from (select ${startOf(date_from)} as starts_at, ${endOf(date_to)} as ends_at) period`.execute(tx)
  return rows[0]!
}

export const hasUser = async (tx: Tx, id: number) =>
  (await tx.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

type Joined = Omit<AuditReview, 'date_from' | 'date_to' | 'filter' | 'signature'> & {
  reviewed: Reviewed
  given: Parameters<typeof withCode>[0]
}

const reviews = (tx: Tx) =>
  tx
    .selectFrom('audit_reviews as r')
    .innerJoin('audit_checkpoints as c', on => on.onRef('c.epoch', '=', 'r.epoch').onRef('c.size', '=', 'r.size'))
    .innerJoin('signatures as s', 's.audit_review_id', 'r.id')
    .select(['r.id', 'r.findings', 'r.entries', 'r.own_entries', 'r.first_seq', 'r.last_seq', 'r.entries_sha256'])
    .select([
      'r.created_at',
      sql<Reviewed>`r.filter`.as('reviewed'),
      sql<AuditReview['outcome']>`r.outcome`.as('outcome'),
      sql<Joined['reviewer']>`${personOf('r.reviewer_id')}`.as('reviewer'),
      sql<Joined['checkpoint']>`jsonb_build_object('epoch', c.epoch, 'size', c.size, 'note', c.note)`.as('checkpoint'),
      givenSignature.as('given'),
    ])

function shown({ reviewed, given, ...rest }: Joined): AuditReview {
  const { date_from, date_to, ...filter } = reviewed
  return { ...rest, ...{ date_from, date_to, filter }, signature: withCode(given) }
}

const matching = (tx: Tx, { date_from, date_to, reviewer_id, outcome }: AuditReviewFilter) =>
  tx
    .selectFrom('audit_reviews')
    .$if(date_from !== undefined, query => query.where('ends_at', '>', startOf(date_from!)))
    .$if(date_to !== undefined, query => query.where('starts_at', '<', endOf(date_to!)))
    .$if(reviewer_id !== undefined, query => query.where('reviewer_id', '=', reviewer_id!))
    .$if(outcome !== undefined, query => query.where('outcome', '=', outcome!))

export const listReviews = async (
  tx: Tx,
  filter: AuditReviewFilter,
  { field, direction }: Sort<(typeof reviewSorts)[number]>,
  limit: number,
  offset: number,
) =>
  (
    await reviews(tx)
      .where('r.id', 'in', matching(tx, filter).select('id'))
      .orderBy(`r.${field}`, direction)
      .orderBy('r.id', direction)
      .limit(limit)
      .offset(offset)
      .execute()
  ).map(shown)

export const countReviews = (tx: Tx, filter: AuditReviewFilter) => countRows(matching(tx, filter))

export const findReview = async (tx: Tx, id: number) => {
  const review = await reviews(tx).where('r.id', '=', id).executeTakeFirst()
  return review && shown(review)
}

export const insertReview = (
  tx: Tx,
  { filter, ...values }: Omit<Insertable<Tables['audit_reviews']>, 'filter'> & { filter: Reviewed },
) =>
  tx
    .insertInto('audit_reviews')
    .values({ ...values, filter: JSON.stringify(filter) })
    .returning('id')
    .executeTakeFirstOrThrow()

export const findReviewRow = (tx: Tx, id: number) =>
  tx.selectFrom('audit_reviews').selectAll().where('id', '=', id).executeTakeFirst()

/** The signed note of the checkpoint that a review stands on. */
export const readNote = async (
  tx: Tx,
  { tenant_id, epoch, size }: { tenant_id: number; epoch: number; size: number },
) =>
  (
    await tx
      .selectFrom('audit_checkpoints')
      .select('note')
      .where('tenant_id', '=', tenant_id)
      .where('epoch', '=', epoch)
      .where('size', '=', size)
      .executeTakeFirstOrThrow()
  ).note
