import { sql } from 'kysely'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { personOf, revised } from '#platform/db/expressions.ts'
import type { ActionFields } from './plan.ts'
import type { ActionStatus } from './rules.ts'

export const listActions = (tx: Tx, capaId: number) =>
  tx
    .selectFrom('capa_actions as a')
    .select([
      'a.id',
      'a.description',
      'a.due_date',
      'a.evidence',
      'a.attachment_ids',
      'a.completed_at',
      'a.approved_at',
      'a.completed_by_name',
      'a.approved_by_name',
    ])
    .select(['a.revision', 'a.updated_at'])
    .select([
      sql<ActionStatus>`a.status`.as('status'),
      sql<Person>`${personOf('a.assigned_to')}`.as('assigned_to'),
      personOf('a.completed_by').as('completed_by'),
      personOf('a.approved_by').as('approved_by'),
      personOf('a.updated_by').as('updated_by'),
    ])
    .where('a.capa_id', '=', capaId)
    .orderBy('a.position')
    .execute()

type NewAction = ActionFields & { notice_on: string | null }

/** They come last. An import may have left out places between the others. */
export const insertActions = (tx: Tx, capa_id: number, actions: readonly NewAction[]) =>
  tx
    .insertInto('capa_actions')
    .values(actions.map((each, i) => ({ ...each, capa_id, position: placeBehind(capa_id, i + 1) })))
    .execute()

const placeBehind = (capaId: number, nth: number) =>
  sql<number>`(select coalesce(max(position), 0) from capa_actions where capa_id = ${capaId}) + ${nth}::integer`

interface ActionChange extends NewAction {
  completed_at: string | null
  completed_by: number | null
}
/** A verification holds for the action as it was, so a change removes it. */
export const updateAction = (tx: Tx, id: number, values: ActionChange) =>
  tx
    .updateTable('capa_actions')
    .set({
      ...values,
      completed_by_name: null,
      approved_at: null,
      approved_by: null,
      approved_by_name: null,
      ...revised,
    })
    .where('id', '=', id)
    .execute()

/** Removes an action, and closes the gap in the order. */
export async function removeAction(tx: Tx, capaId: number, id: number) {
  const { position } = await tx
    .deleteFrom('capa_actions')
    .where('capa_id', '=', capaId)
    .where('id', '=', id)
    .returning('position')
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('capa_actions')
    .set({ position: sql`position - 1` })
    .where('capa_id', '=', capaId)
    .where('position', '>', position)
    .execute()
}

/** `ids`: every action of the CAPA, in the new order. */
export const orderActions = (tx: Tx, capaId: number, ids: readonly number[]) =>
  tx
    .updateTable('capa_actions')
    .set({ position: sql`array_position(${ids}::bigint[], id)` })
    .where('capa_id', '=', capaId)
    .execute()

/** Those of these files that are attached to the CAPA. */
export const listFilesOf = async (tx: Tx, capaId: number, ids: readonly number[]) => {
  const rows = await tx
    .selectFrom('attachments')
    .select('id')
    .where('capa_id', '=', capaId)
    .where('id', 'in', ids)
    .execute()
  return rows.map(({ id }) => id)
}

export const approveActions = (tx: Tx, capaId: number, approved_at: string, approved_by: number | null) =>
  tx
    .updateTable('capa_actions')
    .set({ approved_at, approved_by, ...revised })
    .where('capa_id', '=', capaId)
    .where('status', '=', 'done')
    .where('approved_at', 'is', null)
    .execute()

/** A CAPA that has ended sends no more reminders. */
export const silenceActions = (tx: Tx, capaId: number) =>
  tx
    .updateTable('capa_actions')
    .set({ notice_on: null })
    .where('capa_id', '=', capaId)
    .where('notice_on', 'is not', null)
    .execute()

/** The people who still have an action to do. */
export const listWorkers = async (tx: Tx, capaId: number) => {
  const rows = await tx
    .selectFrom('capa_actions')
    .select('assigned_to')
    .where('capa_id', '=', capaId)
    .where('status', 'in', ['open', 'in_progress'])
    .execute()
  return rows.map(({ assigned_to }) => assigned_to)
}

/** Like `findWhole` of the CAPA. */
export const listWholeActions = (tx: Tx, capaId: number) =>
  tx.selectFrom('capa_actions').selectAll().where('capa_id', '=', capaId).orderBy('position').execute()
