import type { ClientBase } from 'pg'
import { escapeIdentifier } from 'pg'

/**
 * Rows as lines: each a JSON array with the text that PostgreSQL itself has for each value, or null. Nothing is lost by it, also
 * not what JSON could not tell apart, and every supported version reads what another wrote.
 */
interface Table {
  name: string
  columns: { name: string; type: string }[]
  /** The columns of the primary key. Text is sorted by its bytes, which is the same on every server. */
  key: { name: string; is_text: boolean }[]
}

const fetched_rows = 500
const batch_bytes = 1024 * 1024

/** For the transaction of a backup or a restore: the same text for the same value everywhere, no time-out, no row left out in silence. */
const settings = [
  `set local timezone = 'UTC'`,
  `set local datestyle = 'ISO, YMD'`,
  `set local intervalstyle = 'iso_8601'`,
  `set local bytea_output = 'hex'`,
  'set local extra_float_digits = 3',
  'set local row_security = off',
  'set local statement_timeout = 0',
  'set local idle_in_transaction_session_timeout = 0',
].join('; ')

export const begin = (client: ClientBase, kind: 'isolation level repeatable read read only' | '') =>
  client.query(`begin ${kind}; ${settings}`)

/** None where the database is new. */
export async function appliedMigrations(client: ClientBase): Promise<{ name: string; checksum: string }[]> {
  const { rows: found } = await client.query(`select where to_regclass('public.migrations') is not null`)
  if (found.length === 0) return []
  return (await client.query('select name, checksum from migrations order by name')).rows
}

/** Undefined in an empty database, and before the first start. */
export async function installationOf(client: ClientBase): Promise<string | undefined> {
  const { rows: found } = await client.query(`select where to_regclass('public.installation') is not null`)
  if (found.length === 0) return undefined
  return (await client.query<{ id: string }>('select id from installation')).rows[0]?.id
}

/** Every table with rows of its own but the history of migrations, which each database has by itself. */
export async function tablesOf(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select relname::text as name,
      (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attnum)
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      (select json_agg(json_build_object('name', attname, 'is_text', attcollation <> 0) order by place)
        from pg_index, unnest(indkey) with ordinality k (number, place), pg_attribute
        where indrelid = c.oid and indisprimary and attrelid = c.oid and attnum = k.number) as key
    from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'migrations'
    order by relname collate "C"`)
  return rows
}

export async function* linesOf(client: ClientBase, { name, columns, key }: Table): AsyncGenerator<string> {
  const values = columns.map(column => `${escapeIdentifier(column.name)}::text`).join(', ')
  const order = key.map(column => `${escapeIdentifier(column.name)}${column.is_text ? ' collate "C"' : ''}`).join(', ')
  yield* fetch(
    client,
    `select to_json(array[${values}])::text as line from ${escapeIdentifier(name)} order by ${order}`,
  )
}

/** The column of `file_removals` that names a file of the table. */
const removedFiles: Record<string, string | undefined> = {
  document_versions: 'version_id',
  attachments: 'attachment_id',
}

/** The files of all records, or of one tenant's, without those that two people removed: any table with these three columns has some. One line for each file, sorted by key. */
export async function* fileLinesOf(client: ClientBase, tables: Table[], tenantId?: number): AsyncGenerator<string> {
  const withFiles = tables.filter(({ columns }) =>
    ['file_key', 'sha256', 'file_size'].every(name => columns.some(column => column.name === name)),
  )
  if (withFiles.length === 0) return
  const canRemove = tables.some(({ name }) => name === 'file_removals')
  const each = withFiles.map(({ name }) => {
    const removed = canRemove && removedFiles[name]
    const isKept = removed
      ? `not exists (select from file_removals r where r.tenant_id = f.tenant_id and r.${removed} = f.id and r.status in ('approved', 'removed'))`
      : 'true'
    const isOne = tenantId === undefined ? 'true' : `f.tenant_id = ${tenantId}`
    return `select file_key, sha256, file_size from ${escapeIdentifier(name)} f where file_key is not null and ${isKept} and ${isOne}`
  })
  yield* fetch(
    client,
    `select json_build_object('key', file_key, 'sha256', sha256, 'size_bytes', file_size)::text as line
      from (${each.join(' union ')}) f order by file_key collate "C", sha256`,
  )
}

/** Through a cursor: some hundred rows are in memory, however many there are. */
export async function* fetch<T = string>(
  client: ClientBase,
  select: string,
  of: (row: never) => T = (row: { line: string }) => row.line as T,
): AsyncGenerator<T> {
  await client.query(`declare rows_to_read no scroll cursor for ${select}`)
  for (;;) {
    const { rows } = await client.query(`fetch ${fetched_rows} from rows_to_read`)
    for (const row of rows) yield of(row as never)
    if (rows.length < fetched_rows) break
  }
  await client.query('close rows_to_read')
}

/** The caller has taken triggers and foreign keys out of the way. */
export async function load(
  client: ClientBase,
  { name, columns }: Pick<Table, 'name' | 'columns'>,
  lines: AsyncIterable<string>,
): Promise<void> {
  const names = columns.map(column => escapeIdentifier(column.name)).join(', ')
  const values = columns.map(({ type }, index) => `(r ->> ${index})::${type}`).join(', ')
  // An identity that is always generated is overridden, generated columns are made anew.
  const insert = `insert into ${escapeIdentifier(name)} (${names}) overriding system value select ${values} from json_array_elements($1::json) r`
  let batch: string[] = []
  let bytes = 0
  const flush = async () => {
    if (batch.length > 0) await client.query(insert, [`[${batch.join(',')}]`])
    batch = []
    bytes = 0
  }
  for await (const line of lines) {
    batch.push(line)
    bytes += line.length
    if (bytes >= batch_bytes) await flush()
  }
  await flush()
}

export async function sequencesOf(client: ClientBase): Promise<{ name: string; next: string }[]> {
  const { rows } = await client.query<{ name: string; step: string }>(`
    select relname::text as name, seqincrement::text as step from pg_sequence join pg_class on oid = seqrelid
    where relnamespace = 'public'::regnamespace order by relname collate "C"`)
  const sequences: { name: string; next: string }[] = []
  for (const { name, step } of rows) {
    const { rows: found } = await client.query<{ next: string }>(
      `select (last_value + case when is_called then ${step} else 0 end)::text as next from ${escapeIdentifier(name)}`,
    )
    sequences.push({ name, next: found[0]!.next })
  }
  return sequences
}

/** Unlike setval, taken back by a rollback. */
export async function setSequences(client: ClientBase, sequences: { name: string; next: string }[]) {
  for (const { name, next } of sequences)
    await client.query(`alter sequence ${escapeIdentifier(name)} restart with ${BigInt(next)}`)
}

/**
 * Takes the triggers and foreign keys of all tables out of the way, for this transaction alone, and answers how to put them back.
 * The audit guard asks for the entry of the transaction that wrote a row, which is not this one; and tables refer to one another in
 * circles. What is put back is compared with what was there, and foreign keys are checked on every row when they are made anew.
 */
export async function liftGuards(client: ClientBase): Promise<() => Promise<void>> {
  const before = await guardsOf(client)
  await alterTables(client, before, ({ drop }) => drop)
  return async () => {
    await alterTables(client, before, ({ restore }) => restore)
    const after = await guardsOf(client)
    const isSame = JSON.stringify(after) === JSON.stringify(before)
    if (!isSame) throw new Error('the triggers and foreign keys are not what they were before the restore')
  }
}

interface Guard {
  /** Quoted, as a statement names it. */
  table: string
  drop: string
  restore: string
}

/** One statement for each table: with one for each guard, the server reads all guards of the table anew as often as there are guards. */
async function alterTables(client: ClientBase, guards: Guard[], change: (guard: Guard) => string) {
  for (const [table, ofTable] of Map.groupBy(guards, guard => guard.table))
    await client.query(`alter table ${table} ${ofTable.map(change).join(', ')}`)
}

async function guardsOf(client: ClientBase): Promise<Guard[]> {
  const { rows } = await client.query<Guard>(`
    with t as (select oid, oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace)
    select name as table, format('disable trigger %I', tgname) as drop, format('%s trigger %I',
        case tgenabled when 'A' then 'enable always' when 'R' then 'enable replica' when 'D' then 'disable' else 'enable' end, tgname) as restore
      from pg_trigger join t on t.oid = tgrelid where not tgisinternal
    union all
    select name, format('drop constraint %I', conname), format('add constraint %I %s', conname, pg_get_constraintdef(pg_constraint.oid))
      from pg_constraint join t on t.oid = conrelid where contype = 'f'
    order by 1, 3`)
  return rows
}

interface CompletedBackup {
  snapshot_at: string
  version: string
  digest: string
  tables: readonly { rows: number }[]
  files: { count: number; bytes: number }
  signing_key_sha256?: string
}

/** After the backup is complete, so that it is not in it. */
export const insertBackup = (
  client: ClientBase,
  { snapshot_at, version, digest, tables, files, signing_key_sha256 }: CompletedBackup,
) =>
  client.query(
    `insert into backups (snapshot_at, digest, version, rows, files, bytes, has_keys) values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      ...[snapshot_at, digest, version],
      ...[tables.reduce((sum, { rows }) => sum + rows, 0), files.count, files.bytes],
      signing_key_sha256 !== undefined,
    ],
  )
