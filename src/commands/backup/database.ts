import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PoolClient } from 'pg'
import type { Config } from '#platform/config.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { migrate } from '#platform/db/migrate.ts'
import { openPool } from '#platform/db/pool.ts'
import { loginsOf, provision } from '#platform/db/provision.ts'
import { quiet, Refusal } from '../command.ts'
import { isInUse, loginTo } from '../location.ts'
import { lines } from '../messages.ts'

export interface OwnersDatabase {
  client: PoolClient
  /** Applies migrations up to `last`. */
  migrate(last: string): Promise<void>
  close(): Promise<void>
}

/**
 * One connection as `attest_owner`, who sees every tenant's rows, to the external or the embedded database. With `make` a missing embedded
 * one is created.
 */
export async function openAsOwner(config: Config, { make }: { make: boolean }): Promise<OwnersDatabase> {
  if (config.database_url) {
    if (!config.migration_database_url) throw new Refusal(lines.owner_login_missing())
    return connect(await loginTo(config.migration_database_url, config), async () => {})
  }
  if (!make && !existsSync(join(config.data_dir, 'postgres')))
    throw new Refusal(lines.database_missing({ folder: config.data_dir }))
  const server = await openEmbedded(config.data_dir, quiet).catch(error => {
    if (!isInUse(error)) throw error
    throw new Refusal(lines.service_running_backup({ folder: config.data_dir }))
  })
  try {
    const superuser = { ...server.connection, user: 'postgres' }
    const { owner } = make ? await provision(superuser, 'attest') : loginsOf(superuser, 'attest')
    return await connect(owner, () => server.close())
  } catch (error) {
    await server.close()
    throw error
  }
}

async function connect(
  owner: Parameters<typeof openPool>[0],
  closeServer: () => Promise<void>,
): Promise<OwnersDatabase> {
  const pool = openPool({ ...owner, query_timeout: 0 }, quiet)
  try {
    const client = await pool.connect()
    await refuseOtherLogin(client)
    return {
      client,
      migrate: last => migrate(owner, quiet, undefined, last),
      close: async () => {
        // Closing the connection ends an open transaction.
        client.release(true)
        await pool.end()
        await closeServer()
      },
    }
  } catch (error) {
    await pool.end()
    throw error
  }
}

async function refuseOtherLogin(client: PoolClient) {
  const { rows } = await client.query<{ name: string }>('select current_user as name')
  if (rows[0]!.name === 'attest_owner') return
  client.release()
  throw new Refusal(lines.owner_login_wrong({ login: rows[0]!.name }))
}
