import { type SqlBool, sql } from 'kysely'
import { builtForEach } from './built-once.ts'
import type { Tx } from './database.ts'

/** What all records of a kind are counted as, each once, in the transaction that changes it (migrations/0015_statistics.sql). */
type Measure = 'documents.kind' | 'deviations.status' | 'capas.status'

const sumOf = builtForEach(
  (tx, { isOfAll }: { isOfAll: boolean }, asked: { measure: Measure; keys: readonly string[] }) =>
    tx
      .selectFrom('stat_zones as z')
      .innerJoin('stat_counts as c', 'c.time_zone', 'z.time_zone')
      .where('z.is_whole', '=', true)
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
