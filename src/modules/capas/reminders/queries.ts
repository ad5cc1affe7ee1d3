import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { capaStates, isOver } from '../rules.ts'

/** An item that people are reminded of today. */
export interface Due {
  id: number
  capa_id: number
  /** The number of the CAPA. */
  number: string
  due_date: string
  people: (number | null)[]
  /** The description, if the item is an action. */
  action: string | null
}

const statesAtWork = capaStates.filter(state => !isOver(state))

type Find = (tx: Tx, today: string, only?: number) => Promise<Due[]>

export const dueCapas =
  (limit: number): Find =>
  (tx, today, only) =>
    tx
      .selectFrom('capas as c')
      .select(['c.id', 'c.id as capa_id', 'c.number', 'c.due_date', sql<null>`null`.as('action')])
      .select(sql<number[]>`array[coalesce(c.assigned_to, c.created_by)]`.as('people'))
      .where('c.notice_on', '<=', today)
      .$if(only !== undefined, query => query.where('c.id', '=', only!))
      .orderBy('c.notice_on')
      .orderBy('c.id')
      .limit(limit)
      .execute()

/** The assignee is reminded before the due date, and the owner of the CAPA as well once it is overdue. */
export const dueActions =
  (limit: number): Find =>
  (tx, today, only) =>
    tx
      .selectFrom('capa_actions as a')
      .innerJoin('capas as c', 'c.id', 'a.capa_id')
      .select(['a.id', 'a.capa_id', 'c.number', 'a.due_date', 'a.description as action'])
      .select(
        sql<(number | null)[]>`case when a.due_date < ${today} then array[a.assigned_to, c.assigned_to]
          else array[a.assigned_to] end`.as('people'),
      )
      .where('a.notice_on', '<=', today)
      // The actions of a draft have not begun.
      .where(
        'c.status',
        'in',
        statesAtWork.filter(state => state !== 'draft'),
      )
      .$if(only !== undefined, query => query.where('a.id', '=', only!))
      .orderBy('a.notice_on')
      .orderBy('a.id')
      .limit(limit)
      .execute()

export const dueReviews =
  (limit: number): Find =>
  (tx, today, only) =>
    tx
      .selectFrom('effectiveness_reviews as r')
      .innerJoin('capas as c', 'c.id', 'r.capa_id')
      .select(['r.id', 'r.capa_id', 'c.number', 'r.due_date', sql<null>`null`.as('action')])
      .select(
        sql<(number | null)[]>`case when r.due_date < ${today} then array[r.reviewer_id, c.assigned_to]
          else array[r.reviewer_id] end`.as('people'),
      )
      .where('r.notice_on', '<=', today)
      .where('c.status', 'in', statesAtWork)
      .$if(only !== undefined, query => query.where('r.id', '=', only!))
      .orderBy('r.notice_on')
      .orderBy('r.id')
      .limit(limit)
      .execute()

export const setNotice = (
  tx: Tx,
  table: 'capas' | 'capa_actions' | 'effectiveness_reviews',
  id: number,
  notice_on: string | null,
) => tx.updateTable(table).set({ notice_on }).where('id', '=', id).execute()
