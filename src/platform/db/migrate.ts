import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Client, ClientBase, ClientConfig, Pool } from 'pg'
import pg from 'pg'
import type { Log } from '../log/log.ts'
import { drawIdsFrom } from './id-ranges.ts'
import { refusePoolingByTransaction } from './pooling.ts'

const advisoryLock = 7_271_001 // an arbitrary number that nothing else in this database uses
const landed = new URL('../../../migrations/', import.meta.url)

interface Migration {
  name: string
  checksum: string
  text: string
}

/** Applies the missing migrations of `folder`, up to `last`, each in its own transaction. Refuses a database with another history. */
export async function migrate(
  owner: ClientConfig,
  log: Log,
  folder = landed,
  last?: string,
  installationNumber?: number,
) {
  const client = new pg.Client(owner)
  await client.connect()
  try {
    const {
      rows: [login],
    } = await client.query<{ name: string }>('select current_user as name')
    if (login?.name !== 'attest_owner')
      throw new Error(`migrations run as attest_owner, who owns what they make, and this login is ${login?.name}`)
    await refusePoolingByTransaction(client, owner)
    // If two processes start together, the second waits and then finds nothing to do.
    await client.query(`select pg_advisory_lock(${advisoryLock})`)
    await client.query(`create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now());
      grant select on migrations to attest_app`)
    for (const migration of await pending(client, readMigrations(folder))) {
      if (last !== undefined && migration.name > last) break
      await apply(client, migration)
      log.info(`migrated ${migration.name}`)
    }
    // Also where nothing was migrated: the number may be given later, and a new table has a new sequence.
    await drawIdsFrom(client, installationNumber)
  } finally {
    await client.end()
  }
}

/** For a process that may not migrate, which would otherwise fail at the first request that needs a missing migration. */
export async function refuseUnmigrated(pool: Pool) {
  const state = await readMigrationState(pool)
  if (state.missing.length > 0) throw new Error(`${describeMissing(state)}: ${howToMigrate}`)
}

export const howToMigrate =
  'set MIGRATION_DATABASE_URL (it logs in as attest_owner), with which the start applies them, or run qms migrate with it'

/** Compares the database's migrations with this program's. Throws if the database has others, or more of them. */
export async function readMigrationState(pool: Pool | ClientBase): Promise<{ isEmpty: boolean; missing: string[] }> {
  const own = readMigrations(landed)
  const missing = (await pending(pool, own)).map(({ name }) => name)
  return { isEmpty: missing.length === own.length, missing }
}

export const describeMissing = ({ isEmpty, missing }: { isEmpty: boolean; missing: string[] }) =>
  isEmpty
    ? 'the database is empty: no migrations are applied yet'
    : `${missing.length} migrations of this program are not applied yet, the last of them ${missing.at(-1)}`

export function readMigrations(folder = landed): Migration[] {
  return readdirSync(folder)
    .filter(name => name.endsWith('.sql'))
    .sort()
    .map(name => {
      // Git may check files out with other line ends, which must not change the checksum.
      const text = readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    })
}

async function pending(client: ClientBase | Pool, migrations: Migration[]) {
  const {
    rows: [table],
  } = await client.query<{ exists: boolean }>(`select to_regclass('migrations') is not null as exists`)
  if (!table?.exists) return migrations
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migrations order by name',
  )
  for (const [index, { name, checksum }] of rows.slice(0, migrations.length).entries()) {
    const file = migrations[index]!
    if (file.name !== name)
      throw new Error(
        `migration ${name} was applied here, but ${file.name} stands in its place: this program is of another line than the database, so start the one that made it`,
      )
    if (file.checksum !== checksum)
      throw new Error(`migration ${name} was edited after it was applied here: write a new one that corrects it`)
  }
  const unknown = rows.slice(migrations.length).map(({ name }) => name)
  if (unknown.length > 0)
    throw new Error(
      `the database was migrated by a newer version of this program, with ${unknown.slice(0, 3).join(', ')}${unknown.length > 3 ? ` and ${unknown.length - 3} more` : ''}: start the version that has these files in migrations/, or restore a backup from before them`,
    )
  return migrations.slice(rows.length)
}

async function apply(client: Client, { name, checksum, text }: Migration) {
  await client.query('begin')
  try {
    await client.query(text)
    if (client.getTransactionStatus() !== 'T')
      throw new Error('it must not begin, commit or roll back a transaction itself')
    await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    const { message, position } = error as { message: string; position?: string }
    const line = position ? ` (line ${text.slice(0, Number(position)).split('\n').length})` : ''
    throw new Error(`migration ${name}${line}: ${message}`, { cause: error })
  }
}
