// Finds the places of matching entries by blocks of places, without reading entries. Exceptions are the text of `q`, and the times of the few
// blocks in which a range of time begins or ends.
import { type RawBuilder, sql } from 'kysely'
import { narrowing } from '#kernel/paging.ts'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, endOf, startOf } from '#platform/db/expressions.ts'
import { placesPerBlock } from '../places/blocks.ts'
import { valuesOf } from './filter.ts'
import type { EntryFilter } from './schema.ts'

const none = sql`0::bit(${sql.lit(placesPerBlock)})`
const all = sql`(-1)::bit(${sql.lit(placesPerBlock)})`
/** The size of a piece of a block; most pieces are empty and are skipped. */
const piece = 64

/** Both ends included. */
export interface Range {
  from: number
  to: number
}

/** One record has few entries and an index, so it needs no blocks. */
export const isOfBlocks = ({ resource_id }: EntryFilter) => resource_id === undefined

const isWhole = (filter: EntryFilter) => narrowing(filter).length === 0

const clamped = ({ seq_from = 1, seq_to }: EntryFilter, { from, to }: Range): Range => ({
  from: Math.max(from, seq_from),
  to: Math.min(to, seq_to ?? to),
})

/** The matching places of the range, for the blocks `only` or for all: columns `block`, `places` and the bounds of the block. */
function matchingBlocks(filter: EntryFilter, { from, to }: Range, only?: readonly number[]): RawBuilder<unknown> {
  const start = sql`b.block * ${sql.lit(placesPerBlock)}::bigint`
  const tables: RawBuilder<unknown>[] = [sql`audit_places b`]
  const places: RawBuilder<unknown>[] = [
    sql`b.places`,
    sql`(${all} >> greatest(${from}::bigint - 1 - ${start}, 0)::int)`,
    sql`(${all} << greatest(${start} + ${sql.lit(placesPerBlock)} - ${to}::bigint, 0)::int)`,
  ]
  const conditions: RawBuilder<unknown>[] = [
    sql`b.dimension = 'sealed' and b.value = ''`,
    sql`b.block between (${from}::bigint - 1) / ${sql.lit(placesPerBlock)} and (${to}::bigint - 1) / ${sql.lit(placesPerBlock)}`,
  ]
  if (only) conditions.push(sql`b.block = any(${only}::int[])`)
  for (const [n, [dimension, values]] of valuesOf(filter).entries()) {
    const name = sql.ref(`of_${n}`)
    tables.push(
      values.length === 1
        ? sql`join audit_places ${name} on ${name}.block = b.block and ${name}.dimension = ${dimension} and ${name}.value = ${values[0]}`
        : sql`cross join lateral (select bit_or(p.places) as places from audit_places p
            where p.block = b.block and p.dimension = ${dimension} and p.value = any(${values}::text[])) ${name}`,
    )
    places.push(sql`${name}.places`)
  }
  if (filter.q !== undefined) {
    const [first, last] = only
      ? [Math.max(from, Math.min(...only) * placesPerBlock + 1), Math.min(to, (Math.max(...only) + 1) * placesPerBlock)]
      : [from, to]
    tables.push(sql`join find_audit_places(${contains(filter.q)}, ${first}, ${last}) as f on f.block = b.block`)
    places.push(sql`f.places`)
  }
  const { date_from, date_to } = filter
  if (date_from !== undefined || date_to !== undefined) {
    const bounds = (first: RawBuilder<unknown>, last: RawBuilder<unknown>) =>
      sql.join(
        [
          ...(date_from === undefined ? [] : [sql`${first} >= ${startOf(date_from)}`]),
          ...(date_to === undefined ? [] : [sql`${last} < ${endOf(date_to)}`]),
        ],
        sql` and `,
      )
    conditions.push(bounds(sql`b.latest`, sql`b.earliest`))
    const moment = sql`e.occurred_at`
    places.push(sql`case when ${bounds(sql`b.earliest`, sql`b.latest`)} then ${all} else coalesce((
      select bit_or(set_bit(${none}, (l.seq - 1 - ${start})::int, 1))
      from audit_leaves l cross join lateral (select occurred_at from audit_entries where id = l.entry_id offset 0) e
      where l.seq > ${start} and l.seq <= ${start} + ${sql.lit(placesPerBlock)} and ${bounds(moment, moment)}), ${none}) end`)
  }
  return sql`select b.block, ${sql.join(places, sql` & `)} as places, b.lowest_id, b.highest_id, b.earliest, b.latest
    from ${sql.join(tables, sql` `)} where ${sql.join(conditions, sql` and `)}`
}

const microseconds = (column: string) => sql`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint`

export interface Block {
  block: number
  /** The number of matching entries. */
  n: number
  lowest_id: number
  highest_id: number
  /** In microseconds. */
  earliest: number
  latest: number
}

/** Counts the matches of each block that has any, in order. */
export const countByBlock = async (tx: Tx, filter: EntryFilter, range: Range): Promise<Block[]> =>
  isWhole(filter) ? countEachBlock(tx, range) : (await selectCounts(filter, clamped(filter, range)).execute(tx)).rows
const selectCounts = (filter: EntryFilter, range: Range) => sql<Block>`
  select block, n, lowest_id, highest_id, ${microseconds('earliest')} as earliest, ${microseconds('latest')} as latest
  from (select *, bit_count(places) as n from (${matchingBlocks(filter, range)}) m offset 0) m where n > 0 order by block`
const countEachBlock = builtOnce((_, { from, to }: Range) => selectCounts({}, { from, to }))

/** The leaves at these places: columns `seq`, `epoch`, `entry_id`. Each piece is looked up by index, whatever the planner estimates. */
export const leavesIn = (filter: EntryFilter, range: Range, blocks: readonly number[]): RawBuilder<unknown> =>
  blocks.length === 0
    ? sql`select seq, epoch, entry_id from audit_leaves where false`
    : leavesOfBlocks(filter, clamped(filter, range), blocks)

/** Of some blocks; the range is already that of the filter. */
export const leavesOfBlocks = (
  filter: EntryFilter,
  range: Range,
  blocks: readonly number[],
): RawBuilder<unknown> => sql`
  select l.seq, l.epoch, l.entry_id
  from (select block * ${sql.lit(placesPerBlock)}::bigint as start, places from (${matchingBlocks(filter, range, blocks)} offset 0) b) m
    cross join generate_series(0, ${sql.lit(placesPerBlock - piece)}, ${sql.lit(piece)}) first
    -- The bounds as columns: of what is added up row security would not let an index know.
    cross join lateral (select substring(m.places from first + 1 for ${sql.lit(piece)}) as bits, m.start + first as before,
      m.start + first + ${sql.lit(piece)} as last offset 0) p
    cross join lateral (select * from audit_leaves
      where seq > p.before and seq <= p.last and get_bit(p.bits, (seq - p.before - 1)::int) = 1 offset 0) l
  where p.bits <> 0::bit(${sql.lit(piece)})`
