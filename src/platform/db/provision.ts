import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import pg from 'pg'

const advisoryLock = 7_271_002 // an arbitrary number that nothing else on this server uses
const roles = readFileSync(new URL('roles.sql', import.meta.url), 'utf8')

/** Makes the roles and an empty database of `attest_owner` if they are missing. Returns the login of each role. */
export async function provision(superuser: ClientConfig, database: string) {
  await connected({ ...superuser, database: 'postgres' }, async server => {
    // Roles belong to the whole server, and of two processes that alter them at once one fails.
    await server.query(`select pg_advisory_lock(${advisoryLock})`)
    const { rowCount } = await server.query('select from pg_database where datname = $1', [database])
    const name = pg.escapeIdentifier(database)
    if (rowCount === 0) await server.query(`create database ${name}`)
    await connected({ ...superuser, database }, client => client.query(roles))
    await server.query(`alter database ${name} owner to attest_owner`)
  })
  return loginsOf(superuser, database)
}

/** The login of each role to `database`, on a server where all have the same password or none. */
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
