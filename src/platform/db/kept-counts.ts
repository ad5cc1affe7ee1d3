import { sql } from 'kysely'
import type { Tx } from './database.ts'

/** What all records of a kind are counted as, each once, in the transaction that changes it (migrations 0048 and 0055). */
type Measure = 'documents.kind' | 'deviations.status' | 'capas.status'

/** How many there are, or how many of these keys: exact, and however many there are, as fast as of a few. */
export async function keptCount(tx: Tx, measure: Measure, keys?: readonly string[]): Promise<number> {
  const { n } = await tx
    .selectFrom('stat_zones as z')
    .innerJoin('stat_counts as c', 'c.time_zone', 'z.time_zone')
    .where('z.is_whole', '=', true)
    .where('c.measure', '=', measure)
    .where('c.day', '=', '-infinity')
    .$if(keys !== undefined, rows => rows.where('c.key', 'in', keys!))
    .select(sql<number>`coalesce(sum(c.n), 0)::bigint`.as('n'))
    .executeTakeFirstOrThrow()
  return n
}
