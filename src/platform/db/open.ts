import type { ClientConfig, Pool, PoolConfig } from 'pg'
import type { Log } from '../log/log.ts'
import { Database } from './database.ts'
import { openEmbedded } from './embedded.ts'
import { refuseOtherNumber } from './id-ranges.ts'
import { refuseIfNotIsolated } from './isolation.ts'
import { migrate, refuseUnmigrated } from './migrate.ts'
import { openPool } from './pool.ts'
import { refuseLostStatements } from './pooling.ts'
import { loginAtPrimary, openPrimary, type Place, type Primary } from './primary.ts'
import { provision } from './provision.ts'

interface OpenDatabase {
  database: Database
  /** Resolves when a server of our own ended unexpectedly. Then this process must end as well. */
  died: Promise<void>
  close(): Promise<void>
}

interface DatabaseLocation {
  /** DATABASE_URL, which logs in as `attest_app`. Without it, a PostgreSQL of our own on `dataDir`. */
  url?: string | undefined
  /** MIGRATION_DATABASE_URL, which logs in as `attest_owner`. Without it, the database at `url` must be migrated already. */
  migrationUrl?: string | undefined
  /** The servers that stand for the host of both URLs, of which one takes changes. */
  hosts?: readonly Place[]
  /** Off behind a pooler that cannot keep them. */
  preparedStatements?: boolean
  dataDir: string
  /** The range of the ids of new records; undefined leaves it as it is. */
  installationNumber?: number | undefined
}

/** Opens the database only if it is migrated and its tenants are separated. */
export async function openDatabase(
  { url, migrationUrl, hosts = [], preparedStatements = true, dataDir, installationNumber }: DatabaseLocation,
  log: Log,
): Promise<OpenDatabase> {
  if (url) {
    if (migrationUrl) {
      const owner = await loginAtPrimary({ connectionString: migrationUrl }, hosts)
      await migrate(owner, log, undefined, undefined, installationNumber)
    }
    const login = { connectionString: url }
    const primary = hosts.length > 0 ? openPrimary(login, hosts, log) : undefined
    const opened = await open(login, log, { installationNumber, preparedStatements, primary })
    return { ...opened, died: new Promise(() => {}) }
  }
  const server = await openEmbedded(dataDir, log)
  try {
    const { owner, app } = await provision({ ...server.connection, user: 'postgres' }, 'attest')
    await migrate(owner, log, undefined, undefined, installationNumber)
    const { database, close } = await open(app, log, { installationNumber })
    return {
      database,
      died: server.died,
      close: async () => {
        await close()
        await server.close()
      },
    }
  } catch (error) {
    await server.close()
    throw error
  }
}

interface Opening {
  installationNumber: number | undefined
  /** Undefined for the embedded server, which nothing stands before. */
  preparedStatements?: boolean
  primary?: Primary | undefined
}

async function open(
  login: ClientConfig,
  log: Log,
  { installationNumber, preparedStatements, primary }: Opening,
): Promise<Omit<OpenDatabase, 'died'>> {
  const pool = openPool(login, log, undefined, primary)
  try {
    await refuseUnboundLogin(pool)
    if (preparedStatements) await refuseLostStatements(pool)
    await refuseUnmigrated(pool)
    await refuseIfNotIsolated(pool)
    await refuseOtherNumber(pool, installationNumber)
  } catch (error) {
    await pool.end()
    throw error
  }
  const pingPool = openPool({ ...login, max: 1 } as PoolConfig, log, undefined, primary)
  const database = new Database(pool, pingPool, { preparesStatements: preparedStatements ?? true })
  return { database, close: () => database.close() }
}

/** Row security does not bind a superuser, and an owner can switch it off. Then one tenant could see another's records. */
async function refuseUnboundLogin(pool: Pool) {
  const { rows } = await pool.query<{ name: string }>('select current_user as name')
  if (rows[0]?.name === 'attest_app') return
  throw new Error(
    `DATABASE_URL logs in as ${rows[0]?.name}, and tenant isolation is laid out for attest_app: let it log in as that (see roles.sql)`,
  )
}
