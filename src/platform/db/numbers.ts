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

/** The series goes on behind a number that came from elsewhere, as one that was imported; never back. */
export const moveCounterBehind = (tx: Tx, series: string, last: number) =>
  tx
    .insertInto('counters')
    .values({ name: series, last })
    .onConflict(on =>
      on.columns(['tenant_id', 'name']).doUpdateSet({ last: sql`greatest(counters.last, excluded.last)` }),
    )
    .execute()

/** The position of a number in a series, such as 12 of `SOP-0012`; undefined for a number of another form. */
export function positionIn(number: string, prefix: string): number | undefined {
  const position = number.startsWith(`${prefix}-`) ? number.slice(prefix.length + 1) : ''
  // Longer ones would leave the series without numbers.
  return /^\d{1,9}$/.test(position) ? Number(position) : undefined
}
