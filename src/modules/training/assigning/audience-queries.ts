import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { hasVersionToRead } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { validlyCompleted } from '../assignments/queries.ts'
import { audienceOf } from '../curricula/people-queries.ts'

/** A person who needs an assignment of the program. */
export interface Lacking {
  program_id: number
  user_id: number
  source: 'group' | 'curriculum'
  source_id: number
  /** Due days of the group's assignment; null takes those of the program. */
  due_days: number | null
}

/** The moment of the search, and the condition that a user `u` may do training. */
export interface SearchMoment {
  today: string
  /** People who failed after it are not assigned the program again yet. */
  failed_since: string
  able: RawBuilder<boolean>
}

/** All people with the programs that groups and curricula require of them, assigned or not. */
export const requiredTraining = async (
  tx: Tx,
) => sql`select m.user_id, g.program_id, 'group' as source, g.group_id as source_id, g.due_days
  from training_group_assignments g join group_members m on m.group_id = g.group_id and m.removed_at is null
  where g.ended_at is null
  union all
  select user_id, program_id, 'curriculum', curriculum_id, null from ${await audienceOf(tx)} as audience`

/**
 * True if a user `u` needs a new assignment of a program `p`: there is none, or the newest ended with the account, failed long ago, or is
 * of a version that a later one requires to be read again. A validity that ends is renewed by another task.
 */
const isLacking = ({ today, failed_since }: SearchMoment) => sql<boolean>`coalesce((select case a.status
    when 'cancelled' then a.updated_by is null
    when 'failed' then a.updated_at < ${failed_since}::timestamptz
    when 'completed' then not ${validlyCompleted(today)} and (a.verified_at is not null or not p.requires_verification)
      and (a.valid_until is null or a.valid_until >= ${today})
    else false end
  from training_assignments a where a.program_id = p.id and a.user_id = u.id order by a.id desc limit 1), true)`

const hasContent = sql<SqlBool>`(p.type <> 'read_and_understand' or ${hasVersionToRead('p.document_id')})`

/** Each program and person once; a group comes before a curriculum as the source. */
export const findLacking = async (
  tx: Tx,
  moment: SearchMoment,
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
    from (${await requiredTraining(tx)}) w
    join training_programs p on p.id = w.program_id
    join users u on u.id = w.user_id
    where p.status = 'active' and u.is_active and ${moment.able} and ${hasContent} ${only} and ${isLacking(moment)}
    order by w.program_id, w.user_id, w.source desc, w.source_id
    limit ${limit}`.execute(tx)
  return rows
}

/** Active members of a group; `is_trained` if they are validly trained. */
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

/** Open assignments of deactivated people, some at a time. */
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
