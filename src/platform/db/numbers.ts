import { sql } from 'kysely'
import type { Tx } from './database.ts'

/**
 * The next number of a series, such as `SOP-0001`. There are no gaps: the series is locked until the transaction ends, and a rollback
 * returns the number.
 */
export async function takeNumber(tx: Tx, series: string, prefix: string): Promise<string> {
  const { last } = await tx
    .insertInto('counters')
    .values({ name: series, last: 1 })
    .onConflict(on => on.columns(['tenant_id', 'name']).doUpdateSet({ last: sql`counters.last + 1` }))
    .returning('last')
    .executeTakeFirstOrThrow()
  return `${prefix}-${String(last).padStart(4, '0')}`
}
