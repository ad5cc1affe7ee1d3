import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Client, ClientConfig, Pool } from 'pg'
import pg from 'pg'
import type { Log } from '../log/log.ts'

const advisory_lock = 7_271_001 // any number that nothing else in this database uses
const landed = new URL('../../../migrations/', import.meta.url)

interface Migration {
  name: string
  checksum: string
  text: string
}

/** Brings the database up to the files of `folder`, or to `last` of them, each in its own transaction. Refuses a history that is not theirs. */
export async function migrate(owner: ClientConfig, log: Log, folder = landed, last?: string) {
  const client = new pg.Client(owner)
  await client.connect()
  try {
    const {
      rows: [login],
    } = await client.query<{ name: string }>('select current_user as name')
    if (login?.name !== 'attest_owner')
      throw new Error(`migrations run as attest_owner, who owns what they make, and this login is ${login?.name}`)
    // Two processes that start together: the second waits, and then finds nothing to do.
    await client.query(`select pg_advisory_lock(${advisory_lock})`)
    await client.query(`create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now());
      grant select on migrations to attest_app`)
    for (const migration of await pending(client, readMigrations(folder))) {
      if (last !== undefined && migration.name > last) break
      await apply(client, migration)
      log.info(`migrated ${migration.name}`)
    }
  } finally {
    await client.end()
  }
}

/** For a process that may not migrate: it would fail later, on the first request that needs what is missing. */
export async function refuseUnmigrated(pool: Pool) {
  const missing = await pending(pool, readMigrations(landed))
  if (missing.length > 0)
    throw new Error(
      `the database lacks ${missing.map(({ name }) => name).join(', ')}: set MIGRATION_DATABASE_URL (a login as attest_owner) or run the migrations as its owner first`,
    )
}

export function readMigrations(folder = landed): Migration[] {
  return readdirSync(folder)
    .filter(name => name.endsWith('.sql'))
    .sort()
    .map(name => {
      // Git may check files out with other line ends: the same history all the same.
      const text = readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    })
}

async function pending(client: Client | Pool, migrations: Migration[]) {
  const {
    rows: [table],
  } = await client.query<{ exists: boolean }>(`select to_regclass('migrations') is not null as exists`)
  if (!table?.exists) return migrations
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migrations order by name',
  )
  for (const [index, applied] of rows.entries()) {
    const file = migrations[index]
    if (file?.name !== applied.name)
      throw new Error(
        `migration ${applied.name} was applied here, but ${file?.name ?? 'no file'} stands in its place: history is not changed, only added to`,
      )
    if (file.checksum !== applied.checksum)
      throw new Error(`migration ${file.name} was edited after it was applied here: write a new one that corrects it`)
  }
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
