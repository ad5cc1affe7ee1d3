import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, countByValue, countRows, endOf, sortName, startOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import { assignmentStates, openStates } from '../rules.ts'
import { assignments } from './queries.ts'
import type { Assignment, AssignmentFilter } from './schema.ts'

const sortColumns = {
  id: sql.ref('a.id'),
  due_date: sql.ref('a.due_date'),
  assigned_at: sql.ref('a.assigned_at'),
  completed_at: sql.ref('a.completed_at'),
  status: sql`array_position(${sql.val([...assignmentStates])}::text[], a.status)`,
  // Open ones first, by due date; then ended ones, the newest first.
  urgency: sql`a.status <> all(${openStates}), case when a.status = any(${openStates}) then a.due_date - date '0001-01-01'
    else date '9999-12-31' - a.assigned_at::date end`,
  user: sortName('a.user_id'),
  number: sql`(select number from training_programs where id = a.program_id)`,
  title: sql`(select lower(title) from training_programs where id = a.program_id)`,
} satisfies Record<string, RawBuilder<unknown>>
export const assignmentSorts = [
  'id',
  'due_date',
  'assigned_at',
  'completed_at',
  'status',
  'user',
  'number',
  'title',
] as const
export const ownSorts = [...assignmentSorts, 'urgency'] as const
type AssignmentSort = Sort<(typeof ownSorts)[number]>

type Joined = Tables & Record<'a', Tables['training_assignments']>

/** By the condition of the index of open assignments: with the states as parameters no plan would use it. */
const isOverdue = (today: string) => sql<SqlBool>`(a.due_date < ${today} and is_open_training_assignment(a.status))`

const isAwaitingVerification = sql<SqlBool>`(a.status = 'completed' and a.verified_at is null
  and a.program_id in (select id from training_programs where requires_verification))`

const isOrNot = (condition: RawBuilder<SqlBool>, wanted: boolean) =>
  wanted ? condition : sql<SqlBool>`not ${condition}`

const matching =
  (filter: AssignmentFilter, today: string) =>
  (e: ExpressionBuilder<Joined, 'a'>): ReturnType<typeof e.and> => {
    const { status, overdue, training_id, user_id, group_id, source, awaiting_verification } = filter
    const { date_from, date_to, completed_from, completed_to, due_from, due_to, q } = filter
    return e.and([
      ...(status ? [e('a.status', 'in', status)] : []),
      ...(overdue === undefined ? [] : [isOrNot(isOverdue(today), overdue)]),
      ...(training_id ? [e('a.program_id', 'in', training_id)] : []),
      ...(user_id ? [e('a.user_id', 'in', user_id)] : []),
      ...(group_id
        ? [
            sql<SqlBool>`a.user_id in (select user_id from group_members where group_id = ${group_id} and removed_at is null)`,
          ]
        : []),
      ...(source ? [e('a.source', 'in', source)] : []),
      ...(awaiting_verification === undefined ? [] : [isOrNot(isAwaitingVerification, awaiting_verification)]),
      ...(date_from ? [e('a.assigned_at', '>=', startOf(date_from))] : []),
      ...(date_to ? [e('a.assigned_at', '<', endOf(date_to))] : []),
      ...(completed_from ? [e('a.completed_at', '>=', startOf(completed_from))] : []),
      ...(completed_to ? [e('a.completed_at', '<', endOf(completed_to))] : []),
      ...(due_from ? [e('a.due_date', '>=', due_from)] : []),
      ...(due_to ? [e('a.due_date', '<=', due_to)] : []),
      ...(q
        ? [
            sql<SqlBool>`(a.program_id in (select id from training_programs where number ilike ${contains(q)} or title ilike ${contains(q)})
              or a.user_id in (select id from users where username ilike ${contains(q)} or full_name ilike ${contains(q)}))`,
          ]
        : []),
    ])
  }

const matches = (tx: Tx, filter: AssignmentFilter, today: string) =>
  tx
    .selectFrom('training_assignments as a')
    .where(e => matching(filter, today)(e as unknown as ExpressionBuilder<Joined, 'a'>))

/** Selects the ids of the page first, so that skipped rows cost no joins. */
export const listAssignments = (
  tx: Tx,
  filter: AssignmentFilter,
  today: string,
  { field, direction }: AssignmentSort,
  limit: number,
  offset: number,
): Promise<Assignment[]> =>
  assignments(tx, today)
    .where(
      'a.id',
      'in',
      matches(tx, filter, today)
        .select('a.id')
        .orderBy(sortColumns[field], direction)
        .orderBy('a.id', direction)
        .limit(limit)
        .offset(offset),
    )
    .orderBy(sortColumns[field], direction)
    .orderBy('a.id', direction)
    .execute()

export const countAssignments = (tx: Tx, filter: AssignmentFilter, today: string): Promise<number> =>
  countRows(matches(tx, filter, today))

export const assignmentFacets = ['status', 'source'] as const

/** How many have each value of a field, by the filter without that field. */
export const countAssignmentsBy = (
  tx: Tx,
  field: (typeof assignmentFacets)[number],
  filter: AssignmentFilter,
  today: string,
) => countByValue(tx, matches(tx, { ...filter, [field]: undefined }, today).select(`a.${field} as value`))
