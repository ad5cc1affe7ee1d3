import { sql } from 'kysely'
import { numberIn, type Series } from '#kernel/number-pattern.ts'
import type { Tx } from './database.ts'

export { placeOf, seriesOf } from '#kernel/number-pattern.ts'

/**
 * The next number of a series, such as `SOP-0001`. There are no gaps: the series is locked until the transaction ends, and a rollback
 * returns the number.
 */
export async function takeNumber(tx: Tx, series: Series): Promise<string> {
  const { last } = await tx
    .insertInto('counters')
    .values({ name: series.name, last: 1 })
    .onConflict(on => on.columns(['tenant_id', 'name']).doUpdateSet({ last: sql`counters.last + 1` }))
    .returning('last')
    .executeTakeFirstOrThrow()
  return numberIn(series, last)
}

/** The number that the series gives out next, as long as nobody else takes it. */
export async function nextNumber(tx: Tx, series: Series): Promise<string> {
  const counter = await tx.selectFrom('counters').select('last').where('name', '=', series.name).executeTakeFirst()
  return numberIn(series, (counter?.last ?? 0) + 1)
}
