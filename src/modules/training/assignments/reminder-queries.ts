import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { openStates } from '../rules.ts'

export const openDue = async (tx: Tx, today: string, limit: number): Promise<number[]> =>
  (
    await tx
      .selectFrom('training_assignments')
      .select('id')
      .where('notice_on', '<=', today)
      .where('status', 'in', openStates)
      .orderBy('notice_on')
      .orderBy('id')
      .limit(limit)
      .execute()
  ).map(({ id }) => id)

/**
 * The assignments among these that still need a notice today. `assigner` is the person who assigned it by hand, if they may read it
 * (`holds`, a condition on a user `u`). People who assign to many use the list of overdue training instead.
 */
export const lockDue = (tx: Tx, ids: readonly number[], today: string, holds: RawBuilder<boolean>) =>
  tx
    .selectFrom('training_assignments as a')
    .innerJoin('training_programs as p', 'p.id', 'a.program_id')
    .select(['a.id', 'a.user_id', 'a.due_date', 'a.program_id', 'p.number', 'p.title'])
    .select(
      sql<number | null>`(select u.id from users u where u.id = a.assigned_by and a.source = 'manual'
        and u.is_active and ${holds})`.as('assigner'),
    )
    .where('a.id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('a.notice_on', '<=', today)
    .where('a.status', 'in', openStates)
    .orderBy('a.id')
    .forNoKeyUpdate('a')
    .execute()

/** A notice does not change the assignment, so it counts no revision. */
export const setNotices = (tx: Tx, notices: readonly { id: number; notice_on: string | null }[]) =>
  sql`update training_assignments a set notice_on = n.notice_on
    from unnest(${notices.map(({ id }) => id)}::bigint[], ${notices.map(each => each.notice_on)}::date[]) as n (id, notice_on)
    where a.id = n.id`.execute(tx)
