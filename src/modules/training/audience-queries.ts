import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { hasVersionToRead } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { audienceOf } from './curriculum-audience.ts'
import { validlyCompleted } from './validity.ts'

/** Somebody who should have a program and has it not. */
export interface Lacking {
  program_id: number
  user_id: number
  source: 'group' | 'curriculum'
  source_id: number
  /** How many days they have for it, where it was assigned to the group with a day; else those of the program. */
  due_days: number | null
}

/** As of when it is looked, and who may do training (of `users` as `u`). */
export interface Looking {
  today: string
  /** Who has failed since is not assigned it anew by itself yet. */
  failed_since: string
  able: RawBuilder<boolean>
}

/** Who should have which program, whether or not they have it: by a group's assignment or by a curriculum. */
export const wanted = async (
  tx: Tx,
) => sql`select m.user_id, g.program_id, 'group' as source, g.group_id as source_id, g.due_days
  from training_group_assignments g join group_members m on m.group_id = g.group_id and m.removed_at is null
  where g.ended_at is null
  union all
  select user_id, program_id, 'curriculum', curriculum_id, null from ${await audienceOf(tx)} as audience`

/**
 * Whether the newest assignment of a program `p` to a user `u` leaves it open to assign it by itself: there is none, it ended with the
 * account, it failed long ago, or it was of a version that another had to be read after. What ends by its day is renewed ahead of it.
 */
const isLacking = ({ today, failed_since }: Looking) => sql<boolean>`coalesce((select case a.status
    when 'cancelled' then a.updated_by is null
    when 'failed' then a.updated_at < ${failed_since}::timestamptz
    when 'completed' then not ${validlyCompleted(today)} and (a.verified_at is not null or not p.requires_verification)
      and (a.valid_until is null or a.valid_until >= ${today})
    else false end
  from training_assignments a where a.program_id = p.id and a.user_id = u.id order by a.id desc limit 1), true)`

const hasContent = sql<SqlBool>`(p.type <> 'read_and_understand' or ${hasVersionToRead('p.document_id')})`

/** By program and person, once each: for a group before a curriculum. */
export const findLacking = async (
  tx: Tx,
  looking: Looking,
  { limit, program_id, user_ids }: { limit: number; program_id?: number; user_ids?: readonly number[] },
): Promise<Lacking[]> => {
  const only = sql.join(
    [
      ...(program_id === undefined ? [] : [sql`and w.program_id = ${program_id}`]),
      ...(user_ids === undefined ? [] : [sql`and w.user_id = any(${user_ids}::bigint[])`]),
    ],
    sql` `,
  )
  const { rows } = await sql<Lacking>`select distinct on (w.program_id, w.user_id) w.*
    from (${await wanted(tx)}) w
    join training_programs p on p.id = w.program_id
    join users u on u.id = w.user_id
    where p.status = 'active' and u.is_active and ${looking.able} and ${hasContent} ${only} and ${isLacking(looking)}
    order by w.program_id, w.user_id, w.source desc, w.source_id
    limit ${limit}`.execute(tx)
  return rows
}

/** Active members of a group, and whether they are validly trained or await that it is verified. */
export const membersOf = (
  tx: Tx,
  group_id: number,
  program_id: number,
  today: string,
): Promise<{ user_id: number; is_trained: boolean }[]> =>
  tx
    .selectFrom('group_members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('m.user_id')
    .select(
      sql<boolean>`exists (select from training_assignments a join training_programs p on p.id = a.program_id
        where a.user_id = m.user_id and a.program_id = ${program_id} and ${validlyCompleted(today)})`.as('is_trained'),
    )
    .where('m.group_id', '=', group_id)
    .where('m.removed_at', 'is', null)
    .where('u.is_active', '=', true)
    .orderBy('m.user_id')
    .execute()

/** People who were deactivated, and what of theirs is open; some at a time. */
export const openOfDeactivated = (tx: Tx, limit: number, only?: readonly number[]): Promise<{ id: number }[]> =>
  tx
    .selectFrom('training_assignments as a')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .select('a.id')
    .where('u.is_active', '=', false)
    .where(sql<SqlBool>`is_open_training_assignment(a.status)`)
    .$if(only !== undefined, query => query.where('a.id', '=', sql<number>`any(${only!}::bigint[])`))
    .orderBy('a.id')
    .limit(limit)
    .execute()
