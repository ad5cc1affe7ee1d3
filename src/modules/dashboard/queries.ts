import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { byDueDate, type Counts, type ItemSort, type Kind, kinds, pendingKinds } from './schema.ts'
import { type Asker, type Source, unplanned } from './source-queries.ts'

/** Selects the items of the caller or all readable ones, and those due from one day until before another. */
export interface Wanted {
  yours: boolean
  from?: string | undefined
  before?: string | undefined
}

/** An item of any kind. `part_id` is the id of the action, review, assignment or version; for a record as a whole it is the id of the record. */
export interface Row {
  kind: Kind
  record_id: number
  part_id: number
  number: string
  title: string
  status: string
  urgency: string | null
  due_date: string | null
  person_id: number | null
  is_yours: boolean
  /** The person for whom the caller decides as their deputy. */
  for_id?: number
}

/** With both ends, because the planner takes a range for a small part of an index, and whatever is on one side of a day for a third of it. */
const isDue = ({ due }: Source, from = '-infinity', before = 'infinity') =>
  sql<SqlBool>`${due} >= ${unplanned(sql`${from}::date`)} and ${due} < ${unplanned(sql`${before}::date`)}`

const matching = (source: Source, asker: Asker, { yours, from, before }: Wanted): RawBuilder<SqlBool> =>
  sql.join(
    [
      source.open,
      ...(from === undefined && before === undefined ? [] : [isDue(source, from, before)]),
      ...(yours ? [source.isYours(asker)] : []),
      ...(source.isReadable ? [source.isReadable(asker)] : []),
    ],
    sql` and `,
  )

const orderOf = (source: Source, { field, direction }: ItemSort): RawBuilder<unknown> => {
  // Within one kind, the place of the kind decides nothing.
  const by = field === 'due_date' || field === 'kind' ? source.due : sql.ref(field)
  return sql`${by} ${sql.raw(field === 'kind' ? 'asc' : direction)}`
}

/** Lists items of all these kinds, by due date unless sorted otherwise. Each kind is read from its index, only as far as the page needs. */
export async function listItems(
  tx: Tx,
  sources: readonly Source[],
  asker: Asker,
  wanted: Wanted,
  { limit, offset, sort = byDueDate }: { limit: number; offset: number; sort?: ItemSort },
): Promise<Row[]> {
  if (sources.length === 0) return []
  const branches = sources.map(
    source => sql`(select ${sql.lit(source.kind)} as kind, ${sql.lit(pendingKinds.indexOf(source.kind))} as place, ${source.id} as part_id,
        ${source.due} as due_date, ${source.isYours(asker)} as is_yours, ${source.shown}
      from ${source.from} where ${matching(source, asker, wanted)}
      order by ${orderOf(source, sort)}, ${source.id} limit ${unplanned(sql`${limit + offset}::bigint`)})`,
  )
  const { rows } = await sql<Row>`
    select kind, record_id, part_id, number, title, status, urgency, due_date, person_id, coalesce(is_yours, false) as is_yours
    from (${sql.join(branches, sql` union all `)}) as items
    order by ${sql.ref(sort.field === 'kind' ? 'place' : sort.field)} ${sql.raw(sort.direction)}, due_date, place, part_id limit ${limit} offset ${offset}`.execute(
    tx,
  )
  return rows
}

export async function peopleOf(tx: Tx, rows: readonly Row[]): Promise<ReadonlyMap<number, Person>> {
  const ids = [...new Set(rows.map(({ person_id }) => person_id).filter(id => id !== null))]
  const people = await tx
    .selectFrom('users')
    .select(['id', 'username', 'full_name'])
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute()
  return new Map(people.map(each => [each.id, each]))
}

/** Counts the items of each kind; a kind that is not selected counts 0. */
export async function countItems(
  tx: Tx,
  sources: readonly Source[],
  asker: Asker,
  wanted: Wanted,
): Promise<Counts & Partial<Record<Kind, number>>> {
  const none = Object.fromEntries(kinds.map(kind => [kind, 0])) as Counts
  if (sources.length === 0) return none
  const counts = sources.map(
    source =>
      sql`(select count(*) from ${source.from} where ${matching(source, asker, wanted)}) as ${sql.ref(source.kind)}`,
  )
  const { rows } = await sql<Partial<Counts>>`select ${sql.join(counts)}`.execute(tx)
  return { ...none, ...rows[0] }
}
