import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

const fetchedRows = 500

/** The same text for the same value, whatever the settings of the login and the server. */
export async function setTextOfValues(tx: Tx): Promise<void> {
  for (const setting of [
    `timezone = 'UTC'`,
    `datestyle = 'ISO, YMD'`,
    `intervalstyle = 'iso_8601'`,
    `bytea_output = 'hex'`,
    'extra_float_digits = 3',
  ])
    await sql.raw(`set local ${setting}`).execute(tx)
}

export interface RowsOf {
  name: string
  columns: readonly string[]
  key: readonly string[]
  /** Which rows, beside row security. */
  where: 'tenant' | 'own row' | 'signing keys' | 'links of signing keys' | 'audit keys'
}

/** The keys that sealed signatures of the tenant, and those that a chain of links leads to from them. */
const signingKeysOf = `with recursive known (key_id) as (
    select key_id from signatures where tenant_id = current_tenant()
    union select key_id from imported_signing_keys where tenant_id = current_tenant()
    union select vouched_by from imported_signing_keys where tenant_id = current_tenant()
    union select case when l.previous_key_id = k.key_id then l.next_key_id else l.previous_key_id end
      from known k join signing_key_links l on k.key_id in (l.previous_key_id, l.next_key_id))
  select key_id from known`

/** The keys of the installation, and those that the trail of the tenant names: it may have come from another installation. */
const auditKeysOf = `select public_key from audit_keys where imported_at is null
  union select e.changes #>> array['public_key', side] from audit_entries e, unnest(array['from', 'to']) side
    where e.tenant_id = current_tenant() and e.action = 'audit.key_rotated'`

const conditions: Record<RowsOf['where'], string> = {
  tenant: 't.tenant_id = (select current_tenant())',
  'own row': 't.id = (select current_tenant())',
  'signing keys': `t.key_id in (${signingKeysOf})`,
  'links of signing keys': `t.next_key_id in (${signingKeysOf})`,
  'audit keys': `t.public_key in (${auditKeysOf})`,
}

/**
 * The rows as JSON objects, in the order of their key: of each value the text that PostgreSQL itself has for it, or null, so that nothing is
 * lost that JSON could not tell apart. Through a cursor: some hundred rows are in memory, however many there are.
 */
export async function* linesOf(tx: Tx, { name, columns, key, where }: RowsOf): AsyncGenerator<string> {
  const texts = new Set(await textColumnsOf(tx, name))
  const values = sql.join(columns.map(column => sql`${sql.ref(`t.${column}`)}::text as ${sql.id(column)}`))
  // Text by its bytes, which is the same on every server.
  const order = sql.join(
    key.map(column => sql`${sql.ref(`t.${column}`)}${sql.raw(texts.has(column) ? ' collate "C"' : '')}`),
  )
  const rows = sql`select to_json(r)::text as line from ${sql.table(name)} t cross join lateral (select ${values}) r
    where ${sql.raw(conditions[where])} order by ${order}`
  await sql`declare rows_to_export no scroll cursor for ${rows}`.execute(tx)
  for (;;) {
    const { rows } = await sql.raw<{ line: string }>(`fetch ${fetchedRows} from rows_to_export`).execute(tx)
    for (const { line } of rows) yield line
    if (rows.length < fetchedRows) break
  }
  await sql`close rows_to_export`.execute(tx)
}

async function textColumnsOf(tx: Tx, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select attname::text as name from pg_attribute
    where attrelid = ${`public.${table}`}::regclass and attnum > 0 and attcollation <> 0`.execute(tx)
  return rows.map(({ name }) => name)
}
