import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { conforms } from '#kernel/json-schema.ts'
import { isSignedText } from '#modules/audit'
import {
  rowsToExport,
  schemaOfProgram,
  type TableList,
  tableList,
  tablePath,
  tablesFormat,
} from '#modules/tenant-exports'
import { missing } from '#platform/files/disk.ts'
import { MissingFile } from '#platform/storage/storage.ts'
import { digestOf, each, readLines } from '../backup/files.ts'
import { Refusal } from '../command.ts'
import { lines } from './messages.ts'

const archiveFormat = 'attest-tenant-1'
const [manifestName, signatureName] = ['manifest.json', 'manifest.sig']
/** Beside the files that the manifest lists. */
const unlisted = new Set([manifestName, signatureName])

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Manifest = Type.Object({
  format: Type.Literal(archiveFormat),
  tenant: Type.Object({ id: Type.Integer({ minimum: 2 }), slug: Type.String(), name: Type.String() }),
  snapshot_at: Type.String(),
  /** Null where the records were never started as an installation. */
  installation: Type.Union([Type.Object({ id: Type.String() }), Type.Null()]),
  audit_trail: Type.Object({
    origin: Type.String({ pattern: '^attest/t/[0-9a-f-]{36}/e[0-9]{1,10}$' }),
    size: Type.Integer({ minimum: 0 }),
    root: Type.Union([Type.String(), Type.Null()]),
  }),
  files: Type.Array(Type.Object({ path: Type.String(), size: Type.Integer({ minimum: 0 }), sha256: Hash })),
})
type Manifest = Static<typeof Manifest>

const Key = Type.Object({ key_id: Type.String(), public_key: Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' }) })
const List = Type.Object({
  format: Type.Literal(tablesFormat),
  last_migration: Type.String(),
  schema_sha256: Hash,
  keys: Type.Object({ signing: Key, audit: Key }),
  tables: Type.Array(
    Type.Object({
      name: Type.String(),
      columns: Type.Array(Type.String()),
      key: Type.Array(Type.String()),
      rows: Type.Integer({ minimum: 0 }),
      left_out: Type.Record(Type.String(), Type.String()),
    }),
  ),
})

export type Row = Record<string, string | null>

export interface Archive {
  manifest: Manifest
  digest: string
  list: TableList
  /** The rows of a table, each of this tenant. */
  rows(table: string): AsyncGenerator<Row>
  /** The content of a file of a record, by its hash. */
  openFile(sha256: string): NodeJS.ReadableStream & AsyncIterable<Uint8Array>
  hasFile(sha256: string): boolean
}

/** Reads the whole export and compares it with its manifest, before anything is written. */
export async function openArchive(folder: string, digest: string | undefined): Promise<Archive> {
  const [bytes, signature] = [
    await readFile(join(folder, manifestName)).catch(missing),
    await readFile(join(folder, signatureName), 'utf8').catch(missing),
  ]
  if (!bytes || signature === undefined) throw new Refusal(lines.import_manifest_missing({ folder }))
  const found = createHash('sha256').update(bytes).digest('hex')
  if (digest !== undefined && digest.toLowerCase() !== found)
    throw new Refusal(lines.import_digest_differs({ found, expected: digest }))
  const manifest = readManifest(bytes)
  await compareFiles(folder, manifest)
  const list = await readList(folder)
  const { audit } = list.keys
  if (!isSignedText(signature, `${archiveFormat}\n${found}\n`, manifest.audit_trail.origin, audit.public_key))
    throw new Refusal(lines.import_manifest_unsigned({ key: audit.key_id }))
  for (const { name } of list.tables) for await (const _ of rowsOf(folder, manifest.tenant.id, list, name));
  const listed = new Set(manifest.files.map(({ path }) => path))
  return {
    manifest,
    digest: found,
    list,
    rows: table => rowsOf(folder, manifest.tenant.id, list, table),
    openFile: sha256 => createReadStream(join(folder, 'files', sha256)),
    hasFile: sha256 => listed.has(`files/${sha256}`),
  }
}

function readManifest(bytes: Buffer): Manifest {
  let content: unknown
  try {
    content = JSON.parse(bytes.toString())
  } catch {
    throw new Refusal(lines.import_manifest_damaged())
  }
  const format = (content as { format?: unknown } | null)?.format
  if (format !== archiveFormat) throw new Refusal(lines.import_format_other({ format: String(format) }))
  if (!conforms(Manifest, content)) throw new Refusal(lines.import_manifest_damaged())
  return content
}

const isPath = (path: string) => path.split('/').every(part => /^[a-z0-9][a-z0-9_.-]*$/i.test(part))

async function compareFiles(folder: string, { files }: Manifest) {
  const named = new Set(files.map(({ path }) => path))
  for (const path of named) if (!isPath(path)) throw new Refusal(lines.import_path_foreign({ path }))
  // What the import reads. A listing that somebody left beside it is no reason to refuse.
  for (const part of ['tables', 'files'])
    for (const name of existsSync(join(folder, part)) ? await readdir(join(folder, part)) : [])
      if (!named.has(`${part}/${name}`) && !unlisted.has(name))
        throw new Refusal(lines.import_file_unnamed({ path: `${part}/${name}` }))
  await each(asyncOf(files), async ({ path, size, sha256 }) => {
    const found = await digestOf(createReadStream(join(folder, path))).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new Refusal(lines.import_file_missing({ path })) : error
    })
    if (found.bytes !== size || found.sha256 !== sha256) throw new Refusal(lines.import_file_differs({ path }))
  })
}

async function* asyncOf<T>(items: readonly T[]) {
  yield* items
}

/** The list must be the one that this program writes: a column more or less would be one that nobody decided about. */
async function readList(folder: string): Promise<TableList> {
  const text = await readFile(join(folder, tableList), 'utf8').catch(missing)
  if (text === undefined) throw new Refusal(lines.import_file_missing({ path: tableList }))
  const list: unknown = JSON.parse(text)
  const format = (list as { format?: unknown } | null)?.format
  if (format !== tablesFormat) throw new Refusal(lines.import_format_other({ format: String(format) }))
  if (!conforms(List, list)) throw new Refusal(lines.import_tables_other())
  const own = schemaOfProgram()
  if (list.schema_sha256 !== own.schema_sha256)
    throw new Refusal(lines.import_schema_other({ made: list.last_migration, own: own.last_migration }))
  const described = (tables: readonly { name: string; columns: readonly string[]; key: readonly string[] }[]) =>
    JSON.stringify(tables.map(({ name, columns, key }) => [name, columns, key]))
  if (described(list.tables) !== described(rowsToExport)) throw new Refusal(lines.import_tables_other())
  return list
}

/** Tables whose rows are of no tenant. */
const withoutTenant = new Set(['signing_keys', 'signing_key_links', 'audit_keys'])

async function* rowsOf(folder: string, tenantId: number, { tables }: TableList, table: string): AsyncGenerator<Row> {
  const { columns, rows } = tables.find(({ name }) => name === table)!
  const names = JSON.stringify(columns)
  let line = 0
  for await (const text of readLines(join(folder, tablePath(table)))) {
    line += 1
    const row = JSON.parse(text) as Row
    const owner = table === 'tenants' ? row.id : row.tenant_id
    const isOwn = withoutTenant.has(table) || owner === String(tenantId)
    const isText = Object.values(row).every(value => value === null || typeof value === 'string')
    if (!isOwn || !isText || JSON.stringify(Object.keys(row)) !== names)
      throw new Refusal(lines.import_row_foreign({ table, line }))
    yield row
  }
  if (line !== rows) throw new Refusal(lines.import_rows_differ({ table, found: line, expected: rows }))
}

/** The files of records by their keys, as the checks of signatures read them. */
export const filesOf = (archive: Archive, hashes: ReadonlyMap<string, string>) => ({
  async open(key: string) {
    const sha256 = hashes.get(key)
    if (sha256 === undefined || !archive.hasFile(sha256)) throw new MissingFile(key)
    return archive.openFile(sha256) as ReturnType<typeof createReadStream>
  },
})
