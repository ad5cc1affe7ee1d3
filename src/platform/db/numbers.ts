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
  return numberIn(prefix, last)
}

const numberIn = (prefix: string, position: number) => `${prefix}-${String(position).padStart(4, '0')}`

/** The number that the series gives out next, as long as nobody else takes it. */
export async function nextNumber(tx: Tx, series: string, prefix: string): Promise<string> {
  const counter = await tx.selectFrom('counters').select('last').where('name', '=', series).executeTakeFirst()
  return numberIn(prefix, (counter?.last ?? 0) + 1)
}
