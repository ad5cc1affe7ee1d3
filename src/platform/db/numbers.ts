import { type RawBuilder, sql } from 'kysely'
import { numberIn, placeOf, type Series } from '#kernel/number-pattern.ts'
import type { Tx } from './database.ts'

export { seriesOf } from '#kernel/number-pattern.ts'

const maxMoved = 999_999_999

/** A series of each year, of records whose numbers no setting changes: `MIG-2026-0001`. */
export const seriesOfYear = (prefix: string, today: string): Series => ({
  name: `${prefix}-${today.slice(0, 4)}-`,
  digits: 4,
})

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

/**
 * The same as a part of a larger statement, which inserts the record with the `number` that it returns: the series is locked for one journey
 * to the database less.
 */
export const takingNumber = ({ name, digits }: Series): RawBuilder<unknown> => sql`
  insert into counters (name, last) values (${name}::text, 1)
  on conflict (tenant_id, name) do update set last = counters.last + 1
  returning ${name}::text || lpad(last::text, greatest(${digits}::int, length(last::text)), '0') as number`

/** The number that the series gives out next, as long as nobody else takes it. */
export async function nextNumber(tx: Tx, series: Series): Promise<string> {
  const counter = await tx.selectFrom('counters').select('last').where('name', '=', series.name).executeTakeFirst()
  return numberIn(series, (counter?.last ?? 0) + 1)
}

/**
 * The series of a number that came from elsewhere, as one that was imported, goes on behind it; never back. A number of another form, or
 * one that would leave the series without numbers, moves nothing.
 */
export async function moveSeriesBehind(tx: Tx, number: string): Promise<void> {
  const place = placeOf(number)
  if (!place || place.position > maxMoved) return
  await tx
    .insertInto('counters')
    .values({ name: place.series, last: place.position })
    .onConflict(on =>
      on.columns(['tenant_id', 'name']).doUpdateSet({ last: sql`greatest(counters.last, excluded.last)` }),
    )
    .execute()
}
