import { createHash } from 'node:crypto'
import type { PublicHalf } from '#modules/audit'
import type { Tx } from '#platform/db/database.ts'
import { readMigrations } from '#platform/db/migrate.ts'
import type { ArchiveSink } from './archive.ts'
import { exportedKeys, exportedTables } from './columns.ts'
import { linesOf, type RowsOf, setTextOfValues } from './table-queries.ts'

export const tablesFormat = 'attest-tables-1'
export const tableList = 'tables/tables.json'
export const tablePath = (name: string) => `tables/${name}.jsonl`

/** What an import reads first: which rows there are, and of which schema. */
export interface TableList {
  format: typeof tablesFormat
  /** The last migration of the schema, and the SHA-256 of all of them: ids, columns and their meaning are those of one schema. */
  last_migration: string
  schema_sha256: string
  /** The keys in use: what a chain of links from them does not lead to does not count. */
  keys: { signing: PublicHalf; audit: PublicHalf }
  tables: { name: string; columns: string[]; key: string[]; rows: number; left_out: Record<string, string> }[]
}

/** The schema of this program. */
export function schemaOfProgram(): Pick<TableList, 'last_migration' | 'schema_sha256'> {
  const migrations = readMigrations()
  const hash = createHash('sha256')
  for (const { name, checksum } of migrations) hash.update(`${name} ${checksum}\n`)
  return { last_migration: migrations.at(-1)!.name, schema_sha256: hash.digest('hex') }
}

const conditionsOfKeys: Record<keyof typeof exportedKeys, RowsOf['where']> = {
  signing_keys: 'signing keys',
  signing_key_links: 'links of signing keys',
  audit_keys: 'audit keys',
  imported_signing_keys: 'tenant',
}

/** In the order in which they are written. */
export const rowsToExport: readonly (RowsOf & { leftOut: Record<string, string> })[] = [
  ...Object.entries(exportedTables).map(([name, decision]) => ({
    ...of(name, decision),
    where: name === 'tenants' ? ('own row' as const) : ('tenant' as const),
  })),
  ...Object.entries(exportedKeys).map(([name, decision]) => ({
    ...of(name, decision),
    where: conditionsOfKeys[name as keyof typeof exportedKeys],
  })),
]

function of(
  name: string,
  { key, exported, leftOut = {} }: { key: readonly string[]; exported: readonly string[]; leftOut?: object },
) {
  const why = Object.entries(leftOut).map(([column, reason]) => [
    column,
    Object.entries(reason)
      .filter(([kind]) => kind !== 'importedAs')
      .map(([kind, text]) => `${kind}: ${String(text)}`)
      .join(),
  ])
  return { name, key, columns: exported, leftOut: Object.fromEntries(why) as Record<string, string> }
}

/** Writes the rows of the tenant of the transaction, one file for each table, and their list. */
export async function writeTables(
  tx: Tx,
  sink: ArchiveSink,
  { signingKey, auditKey }: { signingKey: PublicHalf; auditKey: PublicHalf },
): Promise<void> {
  await setTextOfValues(tx)
  const tables: TableList['tables'] = []
  for (const table of rowsToExport) {
    let rows = 0
    async function* pieces() {
      for await (const line of linesOf(tx, table)) {
        rows += 1
        yield Buffer.from(`${line}\n`)
      }
    }
    await sink.add(tablePath(table.name), pieces())
    const { name, columns, key, leftOut } = table
    tables.push({ name, columns: [...columns], key: [...key], rows, left_out: leftOut })
  }
  const half = ({ key_id, public_key }: PublicHalf) => ({ key_id, public_key })
  const keys = { signing: half(signingKey), audit: half(auditKey) }
  const list: TableList = { format: tablesFormat, ...schemaOfProgram(), keys, tables }
  await sink.add(tableList, one(Buffer.from(`${JSON.stringify(list, null, 2)}\n`)))
}

async function* one(bytes: Buffer) {
  yield bytes
}
