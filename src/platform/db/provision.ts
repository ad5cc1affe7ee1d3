import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import pg from 'pg'

const advisory_lock = 7_271_002 // any number that nothing else on this server uses
const roles = readFileSync(new URL('roles.sql', import.meta.url), 'utf8')

/** Makes the roles and an empty database of `attest_owner`, where they are missing. Returns how each role connects to it. */
export async function provision(superuser: ClientConfig, database: string) {
  await connected({ ...superuser, database: 'postgres' }, async server => {
    // Roles are the whole server's: of two that alter them at once, one fails.
    await server.query(`select pg_advisory_lock(${advisory_lock})`)
    const { rowCount } = await server.query('select from pg_database where datname = $1', [database])
    const name = pg.escapeIdentifier(database)
    if (rowCount === 0) await server.query(`create database ${name}`)
    await connected({ ...superuser, database }, client => client.query(roles))
    await server.query(`alter database ${name} owner to attest_owner`)
  })
  return loginsOf(superuser, database)
}

/** How each role connects to `database` on a server that asks all of them for the same password, or for none. */
export function loginsOf(superuser: ClientConfig, database: string) {
  return {
    superuser: { ...superuser, database },
    owner: { ...superuser, database, user: 'attest_owner' },
    app: { ...superuser, database, user: 'attest_app' },
  }
}

async function connected(config: ClientConfig, work: (client: pg.Client) => Promise<unknown>) {
  const client = new pg.Client(config)
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
