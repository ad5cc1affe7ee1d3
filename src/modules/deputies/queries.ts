import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DeputyScope } from '#action'
import { daysLater } from '#kernel/day.ts'
import type { Sort } from '#kernel/paging.ts'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, personOf } from '#platform/db/expressions.ts'
import type { Deputy, DeputyFilter } from './schema.ts'

export const deputySorts = ['starts_on', 'ends_on', 'id'] as const

const scopes = sql<
  DeputyScope[]
>`to_jsonb(array_remove(array[case when for_approvals then 'approvals' end, case when for_tasks then 'tasks' end], null))`

/** Whose deputies are listed: of everybody, or those of one person and those whom they stand in for. */
export interface Visibility {
  of?: number
}

const statusOn = (today: string) => sql<Deputy['status']>`case when ended_at is not null then 'ended'
  when ends_on < ${today}::date then 'over' when starts_on > ${today}::date then 'planned' else 'current' end`

const matching = ({ person_id, deputy_id, status }: DeputyFilter, { of }: Visibility, today: string) => {
  const conditions: RawBuilder<SqlBool>[] = [
    sql`true`,
    ...(of === undefined ? [] : [sql<SqlBool>`(person_id = ${of} or deputy_id = ${of})`]),
    ...(person_id === undefined ? [] : [sql<SqlBool>`person_id = ${person_id}`]),
    ...(deputy_id === undefined ? [] : [sql<SqlBool>`deputy_id = ${deputy_id}`]),
    ...(status === undefined ? [] : [sql<SqlBool>`${statusOn(today)} = ${status}`]),
  ]
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

const deputies = (tx: Tx, today: string) =>
  tx
    .selectFrom('deputies as d')
    .select(['d.id', 'd.starts_on', 'd.ends_on', 'd.reason', 'd.created_at', 'd.ended_at', 'd.end_reason'])
    .select([
      sql<Deputy['person']>`${personOf('d.person_id')}`.as('person'),
      sql<Deputy['deputy']>`${personOf('d.deputy_id')}`.as('deputy'),
      sql<Deputy['created_by']>`${personOf('d.created_by')}`.as('created_by'),
      personOf('d.ended_by').as('ended_by'),
      scopes.as('scopes'),
      statusOn(today).as('status'),
    ])

export const listDeputies = (
  tx: Tx,
  filter: DeputyFilter,
  visibility: Visibility,
  today: string,
  { field, direction }: Sort<(typeof deputySorts)[number]>,
  limit: number,
  offset: number,
) =>
  deputies(tx, today)
    .where(matching(filter, visibility, today))
    .orderBy(field, direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countDeputies = (tx: Tx, filter: DeputyFilter, visibility: Visibility, today: string) =>
  countRows(tx.selectFrom('deputies').where(matching(filter, visibility, today)))

export const findDeputy = (tx: Tx, id: number, visibility: Visibility, today: string) =>
  deputies(tx, today)
    .where('id', '=', id)
    .where(matching({}, visibility, today))
    .executeTakeFirst()

export const lockDeputy = (tx: Tx, id: number) =>
  tx.selectFrom('deputies').select('id').where('id', '=', id).forUpdate().executeTakeFirst()

/** Locks both in one order, so that two people who name each other at the same moment wait and cannot deadlock. */
export const lockBoth = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('users')
    .select(['id', 'username', 'full_name', 'is_active'])
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .where('kind', '=', 'person')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()

/** A deputy of this person at some time between these days. */
export const findOverlapping = (tx: Tx, person_id: number, starts_on: string, ends_on: string) =>
  tx
    .selectFrom('deputies as d')
    .innerJoin('users as p', 'p.id', 'd.person_id')
    .innerJoin('users as u', 'u.id', 'd.deputy_id')
    .select(['d.starts_on', 'd.ends_on'])
    .select([
      sql<string>`coalesce(p.full_name, p.username)`.as('person'),
      sql<string>`coalesce(u.full_name, u.username)`.as('deputy'),
    ])
    .where('d.person_id', '=', person_id)
    .where('d.ended_at', 'is', null)
    .where('d.starts_on', '<=', ends_on)
    .where('d.ends_on', '>=', starts_on)
    .orderBy('d.id')
    .limit(1)
    .executeTakeFirst()

interface NewDeputy {
  person_id: number
  deputy_id: number
  starts_on: string
  ends_on: string
  for_approvals: boolean
  for_tasks: boolean
  reason: string | null
}
export const insertDeputy = (tx: Tx, values: NewDeputy) =>
  tx.insertInto('deputies').values(values).returning('id').executeTakeFirstOrThrow()

export const endDeputy = (tx: Tx, id: number, end: { ended_at: string; ended_by: number | null; end_reason: string }) =>
  tx.updateTable('deputies').set(end).where('id', '=', id).execute()

/** The deputyships that begin by one day and end no earlier than another, with the name of the person. */
const between = (tx: Tx, begun: string, unended: string) =>
  tx
    .selectFrom('deputies as d')
    .innerJoin('users as p', 'p.id', 'd.person_id')
    .select(['d.person_id', 'd.deputy_id', 'd.ends_on', 'p.username', 'p.full_name'])
    .select(scopes.as('scopes'))
    .where('d.starts_on', '<=', begun)
    .where('d.ends_on', '>=', unended)
    .where('d.ended_at', 'is', null)

/** The deputyships of this day. */
const current = (tx: Tx, today: string) => between(tx, today, today)

/** Those of the days around this one: which of them is today, the time zone of the company says, and it is asked for beside this. */
export const listRepresentedAround = (tx: Tx, deputy_id: number, day: string) =>
  readRepresented(tx, { deputy_id, begun: daysLater(day, 1), unended: daysLater(day, -1) })
const readRepresented = builtOnce(
  (tx, { deputy_id, begun, unended }: { deputy_id: number; begun: string; unended: string }) =>
    between(tx, begun, unended).select('d.starts_on').where('d.deputy_id', '=', deputy_id).orderBy('d.person_id'),
)

export const listDeputiesOf = (tx: Tx, people: readonly number[], today: string) =>
  current(tx, today)
    .where('d.person_id', '=', sql<number>`any(${[...people]}::bigint[])`)
    .orderBy('d.id')
    .execute()

export type Current = Awaited<ReturnType<typeof listDeputiesOf>>[number]

/** With `lock` it cannot be ended before the transaction is. */
export const findCurrent = (
  tx: Tx,
  { person_id, deputy_id, today }: { person_id: number; deputy_id: number; today: string },
  { lock }: { lock: boolean },
) =>
  current(tx, today)
    .where('d.person_id', '=', person_id)
    .where('d.deputy_id', '=', deputy_id)
    .$if(lock, query => query.forShare('d'))
    .executeTakeFirst()

export const findUser = (tx: Tx, id: number) =>
  tx
    .selectFrom('users')
    .select(['id', 'username', 'full_name'])
    .where('id', '=', id)
    .where('kind', '=', 'person')
    .executeTakeFirst()
