import { type Insertable, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import { givenSignature, type RecordSubject, withCode } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { countRows, endOf, personOf, startOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import { accountsOf, summarize } from './account-queries.ts'
import type { AccessReview, AccessReviewFilter } from './schema.ts'

export const reviewSorts = ['id', 'created_at'] as const

const reviews = (tx: Tx) =>
  tx
    .selectFrom('access_reviews as r')
    .innerJoin('signatures as s', 's.access_review_id', 'r.id')
    .select(['r.id', 'r.findings', 'r.accounts', 'r.own_accounts', 'r.accounts_sha256', 'r.created_at'])
    .select([
      sql<AccessReview['outcome']>`r.outcome`.as('outcome'),
      sql<AccessReview['remarks']>`r.remarks`.as('remarks'),
      sql<AccessReview['reviewer']>`${personOf('r.reviewer_id')}`.as('reviewer'),
      givenSignature.as('given'),
    ])

const shown = ({ given, ...rest }: Awaited<ReturnType<ReturnType<typeof reviews>['executeTakeFirstOrThrow']>>) =>
  ({ ...rest, signature: withCode(given) }) as AccessReview

const matching = (tx: Tx, { date_from, date_to, reviewer_id, outcome }: AccessReviewFilter) =>
  tx
    .selectFrom('access_reviews')
    .$if(date_from !== undefined, query => query.where('created_at', '>=', startOf(date_from!)))
    .$if(date_to !== undefined, query => query.where('created_at', '<', endOf(date_to!)))
    .$if(reviewer_id !== undefined, query => query.where('reviewer_id', '=', reviewer_id!))
    .$if(outcome !== undefined, query => query.where('outcome', '=', outcome!))

export const listReviews = async (
  tx: Tx,
  filter: AccessReviewFilter,
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

export const countReviews = (tx: Tx, filter: AccessReviewFilter) => countRows(matching(tx, filter))

export const findReview = async (tx: Tx, id: number) => {
  const review = await reviews(tx).where('r.id', '=', id).executeTakeFirst()
  return review && shown(review)
}

export const insertReview = (
  tx: Tx,
  { remarks, ...values }: Omit<Insertable<Tables['access_reviews']>, 'remarks'> & Pick<AccessReview, 'remarks'>,
) =>
  tx
    .insertInto('access_reviews')
    .values({ ...values, remarks: JSON.stringify(remarks) })
    .returning('id')
    .executeTakeFirstOrThrow()

export const numberOf = (id: number) => `Access review ${id}`

// The columns that a signature covers. Old signatures name them, so none is ever removed or renamed.
const ofReview = ['outcome', 'findings', 'accounts', 'own_accounts', 'accounts_sha256', 'remarks', 'reviewer_id']

/** The content that the reviewer's signature covers, with the hash of the stored accounts as it is now. */
export async function readSubject(tx: Tx, id: number): Promise<RecordSubject | undefined> {
  const review = await tx.selectFrom('access_reviews').selectAll().where('id', '=', id).executeTakeFirst()
  if (!review) return undefined
  const { accounts_sha256: kept_sha256 } = await summarize(tx, accountsOf(tx, id))
  return {
    type: 'access_review',
    id,
    number: numberOf(id),
    status: 'completed',
    content_revision: 1,
    content: { ...Object.fromEntries(Object.entries(review).filter(([name]) => ofReview.includes(name))), kept_sha256 },
  }
}
