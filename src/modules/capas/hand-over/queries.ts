// The open work of a person on CAPAs.
import { sql } from 'kysely'
import type { OpenItem } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { countRows } from '#platform/db/expressions.ts'

interface Part {
  after: number
  limit: number
}

const isChangeable = sql<boolean>`(is_open_capa(c.status) and c.status <> 'pending_effectiveness')`

const owned = (tx: Tx, userId: number) =>
  tx.selectFrom('capas as c').where('c.assigned_to', '=', userId).where(isChangeable)

export const countAssigned = (tx: Tx, userId: number) => countRows(owned(tx, userId))
export const listAssigned = (tx: Tx, userId: number, { after, limit }: Part): Promise<OpenItem[]> =>
  owned(tx, userId)
    .select(['c.id', 'c.id as record_id', 'c.number', 'c.title', 'c.status', 'c.due_date'])
    .where('c.id', '>', after)
    .orderBy('c.id')
    .limit(limit)
    .execute()

const toDo = (tx: Tx, userId: number) =>
  tx
    .selectFrom('capa_actions as a')
    .innerJoin('capas as c', 'c.id', 'a.capa_id')
    .where('a.assigned_to', '=', userId)
    .where(sql<boolean>`is_open_capa_action(a.status)`)
    .where(isChangeable)

export const countAssignedActions = (tx: Tx, userId: number) => countRows(toDo(tx, userId))
export const listAssignedActions = (tx: Tx, userId: number, { after, limit }: Part): Promise<OpenItem[]> =>
  toDo(tx, userId)
    .select(['a.id', 'c.id as record_id', 'c.number', 'a.description as title', 'a.status', 'a.due_date'])
    .where('a.id', '>', after)
    .orderBy('a.id')
    .limit(limit)
    .execute()

const toReview = (tx: Tx, userId: number) =>
  tx
    .selectFrom('effectiveness_reviews as r')
    .innerJoin('capas as c', 'c.id', 'r.capa_id')
    .where('r.reviewer_id', '=', userId)
    .where('r.status', '=', 'planned')
    .where(sql<boolean>`is_open_capa(c.status)`)

export const countAssignedReviews = (tx: Tx, userId: number) => countRows(toReview(tx, userId))
export const listAssignedReviews = (tx: Tx, userId: number, { after, limit }: Part): Promise<OpenItem[]> =>
  toReview(tx, userId)
    .select(['r.id', 'c.id as record_id', 'c.number', 'c.title', 'r.status', 'r.due_date'])
    .where('r.id', '>', after)
    .orderBy('r.id')
    .limit(limit)
    .execute()
