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
