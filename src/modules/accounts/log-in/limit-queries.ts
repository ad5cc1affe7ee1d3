import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { Rate } from '#platform/gcra.ts'

interface Counted {
  name_hash: Buffer
  rate: Rate
}

/**
 * Counts one for each of these names that has room, in one statement: of many at the same moment so many pass as there is room for. In the
 * order of the names, so that two statements cannot deadlock. Answers in that order, with the moment until which the name is counted.
 */
export async function countRates(tx: Tx, counted: readonly Counted[], now: Date) {
  const of = (each: Counted) => ({
    name: each.name_hash.toString('hex'),
    step: 1 / each.rate.per_second,
    most: each.rate.burst / each.rate.per_second,
  })
  const at = sql`${now.toISOString()}::timestamptz`
  const asked = sql`asked a where a.name_hash = excluded.name_hash`
  // Later than any log-in can move it: a clock was set back, which must not refuse for hours.
  const from = sql`case when r.full_at between ${at} and ${at} + a.most then r.full_at else ${at} end`
  const { rows } = await sql<{ name_hash: Buffer; is_allowed: boolean; full_at: string }>`
    with asked as materialized (
      select decode(name, 'hex') as name_hash, make_interval(secs => step) as step, make_interval(secs => most) as most
      from jsonb_to_recordset(${JSON.stringify(counted.map(of))}::jsonb) as a (name text, step float8, most float8)
    ), taken as (
      insert into rate_limits as r (name_hash, full_at) select name_hash, ${at} + step from asked order by name_hash
      on conflict (name_hash) do update set full_at = (select ${from} + a.step from ${asked})
        where (select ${from} + a.step <= ${at} + a.most from ${asked})
      returning name_hash, full_at
    )
    select name_hash, true as is_allowed, full_at from taken
    union all
    -- The row may be of another transaction, and not be seen yet.
    select a.name_hash, false, coalesce(r.full_at, ${at} + a.most) from asked a left join rate_limits r using (name_hash)
      where not exists (select from taken t where t.name_hash = a.name_hash)
    order by name_hash`.execute(tx)
  return rows
}

/** Names whose room is full again are as good as unknown ones. */
export const forgetRates = async (tx: Tx, before: Date): Promise<number> =>
  Number(
    (await tx.deleteFrom('rate_limits').where('full_at', '<', before.toISOString()).executeTakeFirst()).numDeletedRows,
  )
