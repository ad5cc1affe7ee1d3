import type { ClientBase, ClientConfig, Pool } from 'pg'
import pg from 'pg'

/** The same for every connection, as the names of the service's own statements are. */
const name = 'attest_pooling'
const statement = { name, text: 'select pg_backend_pid() as pid' }
/** A pooler with a single connection lets the second client wait for the first. */
const patience_ms = 2_000

/** 26000: the connection has no statement of this name; 42P05: somebody else's of this name is on it. */
const isOfPooler = (error: unknown) => ['26000', '42P05'].includes((error as { code?: string }).code ?? '')

export const preparedStatementsLost =
  'DATABASE_URL leads through a pooler that lends a connection for one transaction and loses prepared statements: set DATABASE_PREPARED_STATEMENTS=false, or let PgBouncer (1.21 or newer) keep them with max_prepared_statements, or pool by session'

/**
 * Prepared statements fail behind a pooler that lends a connection for one transaction, such as PgBouncer with pool_mode=transaction: the
 * next transaction of a client may be on another connection. Two clients that take turns find it out, at the start and not at the first
 * request that is unlucky.
 */
export async function refuseLostStatements(pool: Pool) {
  const one = await pool.connect()
  const other = await pool.connect()
  let isHeld = false
  try {
    await one.query(statement)
    // It holds the connection that the first client has given back, if there is a pooler.
    await other.query('begin')
    isHeld = true
    await other.query(statement)
    await one.query({ ...statement, query_timeout: patience_ms } as typeof statement)
  } catch (error) {
    if (isOfPooler(error)) throw new Error(preparedStatementsLost)
    throw error
  } finally {
    if (isHeld) await other.query('rollback').catch(() => {})
    // Their connections may remember a statement that is not there.
    one.release(true)
    other.release(true)
  }
}

/** The backend of the connection while no other client holds it, and while one does: of a pooler by transaction, two different ones. */
const backendOf = async (client: ClientBase) => (await client.query<{ pid: number }>(statement.text)).rows[0]!.pid

/**
 * A migration holds a lock for longer than a transaction, which belongs to its connection: behind a pooler that lends one for each
 * transaction, two processes would migrate at once.
 */
export async function refusePoolingByTransaction(client: ClientBase, login: ClientConfig) {
  const other = new pg.Client(login)
  await other.connect()
  try {
    const before = await backendOf(client)
    await other.query('begin')
    const held = await backendOf(other)
    if (held === before)
      throw new Error(
        'MIGRATION_DATABASE_URL leads through a pooler that lends a connection for one transaction, and a migration needs one of its own: let it name the server itself',
      )
  } finally {
    await other.end()
  }
}
