import pg from 'pg'
import { statementsDuring } from '../../../bench/statements.ts'
import type { Json } from '../builders/documents.ts'
import { accepted } from '../builders/samples.ts'
import type { World } from './world.ts'

/** How many rows of the table a plan reads, those included that it then drops. */
export function readOf(table: string, plan: Json): number {
  const below = (plan.Plans ?? []).reduce((sum: number, each: Json) => sum + readOf(table, each), 0)
  if (plan['Relation Name'] !== table) return below
  const dropped = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return below + (plan['Actual Rows'] + dropped) * plan['Actual Loops']
}

/** How many rows of these tables somebody's GET reads, as the database counts them; `settings` are of the session that counts. */
export async function rowsRead<T extends string>(
  world: World,
  by: string,
  path: string,
  tables: readonly T[],
  settings = '',
): Promise<Record<T, number>> {
  const get = () => accepted(world.as(by).get(path))
  await get()
  const client = new pg.Client(world.postgres.app)
  await client.connect()
  await client.query(settings)
  const read = Object.fromEntries(tables.map(table => [table, 0])) as Record<T, number>
  for (const statement of await statementsDuring(get)) {
    if (typeof statement === 'string' || !/^\s*(select|with)/i.test(statement.text)) {
      await client.query(statement as string)
      continue
    }
    const { rows } = await client.query(`explain (analyze, format json) ${statement.text}`, statement.values)
    for (const table of tables) read[table] += readOf(table, rows[0]['QUERY PLAN'][0].Plan)
  }
  await client.end()
  return read
}

/**
 * How many rows of each table somebody's GET reads, those that functions read included; of an index alone, none. `client` repeats its
 * statements and counts.
 */
export async function rowsOfTables(
  client: pg.Client,
  world: World,
  by: string,
  path: string,
): Promise<Map<string, number>> {
  const get = () => accepted(world.as(by).get(path))
  /** Otherwise the counts of a transaction have those of others before it, which the server keeps back for a second. */
  const forgetCounts = () => client.query('select pg_stat_force_next_flush()')
  await forgetCounts()
  const read = new Map<string, number>()
  for (const statement of await statementsDuring(get)) {
    if (statement === 'commit') {
      const { rows } = await client.query<{ relname: string; read: number }>(
        'select relname, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as read from pg_stat_xact_user_tables',
      )
      for (const each of rows) read.set(each.relname, (read.get(each.relname) ?? 0) + each.read)
    }
    if (typeof statement === 'string') {
      await client.query(statement)
      if (statement === 'commit') await forgetCounts()
    }
    // The trail is sealed meanwhile.
    else if (!/\b(insert|update|delete)\b/i.test(statement.text)) await client.query(statement.text, statement.values)
  }
  return read
}
