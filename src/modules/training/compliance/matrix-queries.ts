import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains } from '#platform/db/expressions.ts'
import { validlyCompleted } from '../assignments/queries.ts'
import { openStates } from '../rules.ts'
import type { Cell, MatrixFilter, MatrixProgram, Standing } from './matrix-schema.ts'

export const matrixSorts = ['username', 'full_name', 'role', 'id'] as const
type MatrixSort = Sort<(typeof matrixSorts)[number]>

/** Without ids the active programs, with ids also archived ones. The caller asks for one more than the maximum to see that there are too many. */
export const listMatrixPrograms = (
  tx: Tx,
  ids: readonly number[] | undefined,
  limit: number,
): Promise<MatrixProgram[]> =>
  tx
    .selectFrom('training_programs')
    .select(['id', 'number', 'title', sql<MatrixProgram['type']>`type`.as('type')])
    .$if(ids === undefined, query => query.where('status', '=', 'active'))
    .$if(ids !== undefined, query => query.where('id', '=', sql<number>`any(${ids}::bigint[])`))
    .orderBy('number')
    .limit(limit)
    .execute()

/** An assignment `a` of a program `p` as a cell: trained if it is valid, else by its state. */
const asCell = (
  today: string,
) => sql`a.user_id, a.program_id, a.id as assignment_id, a.valid_until, a.due_date, a.version_id, a.source = 'migration' as is_imported,
    case when s.is_trained then 'trained'
      when a.status = any(${openStates}) then case when a.due_date < ${today} then 'overdue' else 'open' end
      when a.status <> 'completed' then a.status
      when p.requires_verification and a.verified_at is null then 'awaiting_verification'
      else 'expired' end as status
  from training_assignments a join training_programs p on p.id = a.program_id
    cross join lateral (select ${validlyCompleted(today)} as is_trained offset 0) s`

/**
 * The standing of each person in each program: by any valid assignment, else by the newest assignment that was not cancelled. People
 * without an assignment have no row.
 */
const standing = (userIds: readonly number[], programIds: readonly number[], today: string): RawBuilder<unknown> => sql`
  (select distinct on (a.user_id, a.program_id) ${asCell(today)}
  where a.program_id = any(${programIds}::bigint[]) and a.user_id = any(${userIds}::bigint[]) and a.status <> 'cancelled'
  order by a.user_id, a.program_id, s.is_trained desc, a.id desc)`

export interface MatrixPerson {
  id: number
  username: string
  full_name: string | null
  role: string
}

const sortColumns = { username: 'u.username', full_name: 'u.full_name', role: 'r.name', id: 'u.id' } as const

export const listMatrixPeople = (
  tx: Tx,
  { group_id, role, q, status }: Omit<MatrixFilter, 'user_ids'>,
  {
    user_ids,
    programIds,
    today,
  }: { user_ids: readonly number[] | undefined; programIds: readonly number[]; today: string },
  { field, direction }: MatrixSort,
): Promise<MatrixPerson[]> =>
  tx
    .selectFrom('users as u')
    .innerJoin('roles as r', 'r.id', 'u.role_id')
    .select(['u.id', 'u.username', 'u.full_name', 'r.name as role'])
    .where('u.is_active', '=', true)
    .where('u.kind', '=', 'person')
    .$if(user_ids !== undefined, query => query.where('u.id', '=', sql<number>`any(${user_ids}::bigint[])`))
    .$if(role !== undefined, query => query.where('r.name', '=', role!))
    .$if(q !== undefined, query =>
      query.where(e => e.or([e('u.username', 'ilike', contains(q!)), e('u.full_name', 'ilike', contains(q!))])),
    )
    .$if(group_id !== undefined, query =>
      query.where('u.id', 'in', e =>
        e
          .selectFrom('group_members')
          .select('user_id')
          .where('group_id', '=', group_id!)
          .where('removed_at', 'is', null),
      ),
    )
    .$if(status !== undefined, query => query.where(hasStanding(status!, programIds, today)))
    .orderBy(sortColumns[field], direction)
    .orderBy('u.id', direction)
    .execute()

/** What must be stored of an assignment `a` of a program `p` for its person to have this standing in the program. */
const possible = (status: Exclude<Standing, 'not_assigned' | 'trained'>, today: string): RawBuilder<SqlBool> =>
  ({
    overdue: sql<SqlBool>`is_open_training_assignment(a.status) and a.due_date < ${today}`,
    open: sql<SqlBool>`is_open_training_assignment(a.status)`,
    awaiting_verification: sql<SqlBool>`a.status = 'completed' and a.verified_at is null and p.requires_verification`,
    expired: sql<SqlBool>`a.status = 'completed' and (a.valid_until < ${today} or p.type = 'read_and_understand')`,
    failed: sql<SqlBool>`a.status = 'failed'`,
    waived: sql<SqlBool>`a.status = 'waived'`,
  })[status]

/**
 * A condition: the user has this standing in at least one of the programs. The standing is computed only where the stored columns leave it
 * possible, because among a million assignments to compute it for all took ten seconds.
 */
function hasStanding(status: Standing, programIds: readonly number[], today: string) {
  const ofPrograms = sql`a.program_id = any(${programIds}::bigint[]) and a.status <> 'cancelled'`
  if (status === 'not_assigned')
    return sql<boolean>`u.id not in (select user_id
      from (select distinct a.user_id, a.program_id from training_assignments a where ${ofPrograms}) c
      group by user_id having count(*) = ${programIds.length})`
  // A scalar subquery ends at the first assignment of each person that answers it.
  if (status === 'trained')
    return sql<boolean>`coalesce((select true from training_assignments a join training_programs p on p.id = a.program_id
      where a.user_id = u.id and ${ofPrograms} and ${validlyCompleted(today)} limit 1), false)`
  return sql<boolean>`coalesce((select true
    from (select a.user_id, a.program_id from training_assignments a join training_programs p on p.id = a.program_id
      where a.user_id = u.id and ${ofPrograms} and ${possible(status, today)}) pair
    cross join lateral (select ${asCell(today)}
      where a.user_id = pair.user_id and a.program_id = pair.program_id and a.status <> 'cancelled'
      order by s.is_trained desc, a.id desc limit 1) c
    where c.status = ${status} limit 1), false)`
}

export async function listCells(
  tx: Tx,
  userIds: readonly number[],
  programIds: readonly number[],
  today: string,
): Promise<(Cell & { user_id: number; program_id: number })[]> {
  const { rows } = await sql<Cell & { user_id: number; program_id: number }>`
    select c.user_id, c.program_id, c.status, c.assignment_id, c.valid_until, c.is_imported,
      case when c.status in ('open', 'overdue') then c.due_date end as due_date, v.version
    from ${standing(userIds, programIds, today)} c left join document_versions v on v.id = c.version_id`.execute(tx)
  return rows
}
