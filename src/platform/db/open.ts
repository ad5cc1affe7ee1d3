import type { ClientConfig, Pool, PoolConfig } from 'pg'
import type { Log } from '../log/log.ts'
import { Database } from './database.ts'
import { openEmbedded } from './embedded.ts'
import { refuseOtherNumber } from './id-ranges.ts'
import { refuseIfNotIsolated } from './isolation.ts'
import { migrate, refuseUnmigrated } from './migrate.ts'
import { openPool } from './pool.ts'
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
  dataDir: string
  /** The range of the ids of new records; undefined leaves it as it is. */
  installationNumber?: number | undefined
}

/** Opens the database only if it is migrated and its tenants are separated. */
export async function openDatabase(
  { url, migrationUrl, dataDir, installationNumber }: DatabaseLocation,
  log: Log,
): Promise<OpenDatabase> {
  if (url) {
    if (migrationUrl) await migrate({ connectionString: migrationUrl }, log, undefined, undefined, installationNumber)
    return { ...(await open({ connectionString: url }, log, installationNumber)), died: new Promise(() => {}) }
  }
  const server = await openEmbedded(dataDir, log)
  try {
    const { owner, app } = await provision({ ...server.connection, user: 'postgres' }, 'attest')
    await migrate(owner, log, undefined, undefined, installationNumber)
    const { database, close } = await open(app, log, installationNumber)
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

async function open(login: ClientConfig, log: Log, installationNumber: number | undefined) {
  const pool = openPool(login, log)
  try {
    await refuseUnboundLogin(pool)
    await refuseUnmigrated(pool)
    await refuseIfNotIsolated(pool)
    await refuseOtherNumber(pool, installationNumber)
  } catch (error) {
    await pool.end()
    throw error
  }
  const database = new Database(pool, openPool({ ...login, max: 1 } as PoolConfig, log))
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
