import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { AbortedTransactionError, PostgresDialect } from 'kysely'
import type { Pool, PoolClient, QueryConfig } from 'pg'
import { fromDatabase, isStalePlan } from './database-errors.ts'

// Each keeps its parsed text and its plan in the memory of the server's process: some tens of kilobytes.
const max_statements_per_connection = 500
const end_held_ms = 1

export interface Opening {
  access: 'read only' | 'read write'
  /** Begins the transaction and binds it: several statements in one text. */
  begin: string
}

/** Kysely's for PostgreSQL, except that a transaction begins as `opening()` says and that statements are prepared by name. */
export class BoundDialect extends PostgresDialect {
  readonly #driver: BoundDriver

  constructor(pool: Pool, opening: () => Opening) {
    super({ pool })
    this.#driver = new BoundDriver(pool, opening)
  }

  override createDriver() {
    return this.#driver
  }
}

/**
 * Waits only for answers that decide something: its pool must allow a statement to be sent before the one ahead is answered.
 * A migration can change what a prepared statement answers, which PostgreSQL then refuses to run for as long as the connection
 * lives. What one connection finds out, all others are about to: so all that are of that time are replaced.
 */
class BoundDriver implements Driver {
  readonly #pool: Pool
  readonly #opening: () => Opening
  readonly #connections = new WeakMap<PoolClient, Connection>()
  #generation = 0

  constructor(pool: Pool, opening: () => Opening) {
    this.#pool = pool
    this.#opening = opening
  }

  async init() {}

  async acquireConnection() {
    for (;;) {
      const client = await fromDatabase(this.#pool.connect())
      const known = this.#connections.get(client)
      if (known?.generation === this.#generation) return known
      if (known) {
        client.release(true)
        continue
      }
      const connection = new Connection(client, this.#generation)
      this.#connections.set(client, connection)
      return connection
    }
  }

  // The first statement follows at once, and goes with this one. If this one fails it is refused, in a transaction that can only be
  // rolled back.
  async beginTransaction(connection: Connection) {
    connection.holdTogether()
    connection.sendAhead(this.#opening().begin)
  }

  // A read has its answer already, and the next user of the connection comes after its end.
  async commitTransaction(connection: Connection) {
    if (this.#opening().access === 'read only') connection.endSoon()
    else await connection.commit()
  }

  rollbackTransaction(connection: Connection) {
    return connection.rollback()
  }

  async releaseConnection(connection: Connection) {
    if (connection.hasStalePlan && connection.generation === this.#generation) this.#generation++
    connection.release()
  }

  /** The pool is its maker's to end. */
  async destroy() {}
}

class Connection implements DatabaseConnection {
  readonly generation: number
  hasStalePlan = false
  readonly #client: PoolClient
  readonly #names = new Map<string, string>()
  readonly #stream: Writable
  #isBroken = false
  #isEnding = false

  constructor(client: PoolClient, generation: number) {
    this.#client = client
    this.#stream = (client as PoolClient & { connection: { stream: Writable } }).connection.stream
    this.generation = generation
  }

  /** Always one statement: prepared ones cannot be followed by a second, whatever text is injected into them. */
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statement: QueryConfig & { queryMode: 'extended' } = {
      text: sql,
      values: [...parameters],
      queryMode: 'extended',
    }
    const name = this.#nameOf(sql)
    if (name) statement.name = name
    try {
      const { command, rowCount, rows } = await fromDatabase(this.#client.query(statement))
      return changing.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
    } catch (error) {
      this.hasStalePlan ||= isStalePlan(error)
      throw error
    }
  }

  /** What is sent before this process waits for anything goes in one packet: each wakes the server, and takes it a moment. */
  holdTogether() {
    this.#stream.cork()
    process.nextTick(() => {
      this.#stream.uncork()
      this.#letEndGo()
    })
  }

  /** The end goes with the beginning of what is next on this connection, or by itself in a moment. */
  endSoon() {
    if (!this.#isEnding) {
      this.#isEnding = true
      this.#stream.cork()
      setTimeout(() => this.#letEndGo(), end_held_ms)
    }
    this.sendAhead('commit')
  }

  #letEndGo() {
    if (!this.#isEnding) return
    this.#isEnding = false
    this.#stream.uncork()
  }

  /** Where this fails the connection is broken, and whoever uses it next is told. */
  sendAhead(text: string) {
    this.#client.query(text, () => {})
  }

  async commit() {
    const { command } = await fromDatabase(this.#client.query('commit'))
    // What COMMIT answers after a statement that failed: the work has overlooked its error.
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  /** The error that led here is worth more than that of a connection that is gone. */
  async rollback() {
    await this.#client.query('rollback').catch(() => {
      this.#isBroken = true
    })
  }

  release() {
    this.#client.release(this.#isBroken || this.hasStalePlan)
  }

  /** A cursor is open across statements, which a connection that is written ahead cannot keep apart. */
  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('answers are not streamed: read them page by page')
  }

  /** The same on every connection, so that the server's own statistics can be told apart by it. Undefined once there are too many. */
  #nameOf(text: string) {
    const known = this.#names.get(text)
    if (known || this.#names.size >= max_statements_per_connection) return known
    const name = createHash('sha256').update(text).digest('base64url')
    this.#names.set(text, name)
    return name
  }
}

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
