import { type SqlBool, sql } from 'kysely'
import type { Listing, Standing } from '#kernel/measures.ts'
import { builtForEach } from './built-once.ts'
import type { Tx } from './database.ts'

/** The measures by which each record of a type is counted once (src/modules/projections/statistics). */
type Measure = Extract<Standing, 'documents.kind' | 'deviations.status' | 'capas.status'>

const sumOf = builtForEach(
  (tx, { isOfAll }: { isOfAll: boolean }, asked: { measure: Measure; keys: readonly string[] }) =>
    tx
      .selectFrom('stat_zones as z')
      .innerJoin('stat_counts as c', 'c.zone_id', 'z.id')
      .where('z.is_whole', '=', true)
      .where('z.replaced_at', 'is', null)
      .where('c.measure', '=', asked.measure)
      .where('c.day', '=', '-infinity')
      .$if(!isOfAll, rows => rows.where(sql<SqlBool>`c.key = any(${asked.keys})`))
      .select(sql<number>`coalesce(sum(c.n), 0)::bigint`.as('n')),
)

/** The exact number of records, or of those with these keys, independent of how many there are. */
export async function keptCount(tx: Tx, measure: Measure, keys?: readonly string[]): Promise<number> {
  const [sum] = await sumOf(tx, { isOfAll: keys === undefined }, { measure, keys: keys ?? [] })
  return sum!.n
}

const countsOf = builtForEach((tx, { measure }: { measure: Listing }) =>
  tx
    .selectFrom('stat_zones as z')
    .innerJoin('stat_counts as c', 'c.zone_id', 'z.id')
    .where('z.is_whole', '=', true)
    .where('z.replaced_at', 'is', null)
    .where('c.measure', '=', sql.lit(measure))
    .where('c.day', '=', '-infinity')
    .groupBy('c.key')
    .having(sql<SqlBool>`sum(c.n) <> 0`)
    .select(['c.key', sql<number>`sum(c.n)::bigint`.as('n')]),
)

/** How many records have each key of a measure. */
export const keptCounts = (tx: Tx, measure: Listing): Promise<{ key: string; n: number }[]> =>
  countsOf(tx, { measure }, {})
