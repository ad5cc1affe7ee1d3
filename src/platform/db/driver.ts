import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  DummyDriver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  Transaction,
} from 'kysely'
import type { Pool, PoolClient, QueryConfig } from 'pg'
import { fromDatabase, isStalePlan } from './database-errors.ts'
import type { Tables } from './tables.ts'

// Each keeps its parsed text and its plan in the memory of the server's process: some tens of kilobytes.
const max_statements_per_connection = 500
const end_held_ms = 1

/**
 * The pool's connections, each with what is prepared on it. A migration can change what a prepared statement answers, which PostgreSQL
 * then refuses to run for as long as the connection lives. What one connection finds out, all others are about to: so all that are of that
 * time are replaced.
 */
export class Connections {
  readonly #pool: Pool
  readonly #known = new WeakMap<PoolClient, Connection>()
  #generation = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async take(): Promise<Connection> {
    for (;;) {
      const client = await fromDatabase(this.#pool.connect())
      const known = this.#known.get(client)
      if (known?.generation === this.#generation) return known
      if (known) {
        client.release(true)
        continue
      }
      const connection = new Connection(client, this.#generation)
      this.#known.set(client, connection)
      return connection
    }
  }

  giveBack(connection: Connection): void {
    if (connection.hasStalePlan && connection.generation === this.#generation) this.#generation++
    connection.release()
  }
}

const compiler = new PostgresQueryCompiler()
const adapter = new PostgresAdapter()
/** Connections are given out here, and not by Kysely, which would let each statement of a transaction wait for the answer to the last. */
const driver = new DummyDriver()
const dialect: Dialect = {
  createAdapter: () => adapter,
  createDriver: () => driver,
  createIntrospector: db => new PostgresIntrospector(db),
  createQueryCompiler: () => compiler,
}

/**
 * Waits only for answers that decide something: its pool must allow a statement to be sent before the one ahead is answered. The
 * statements of a transaction that are asked for together go together, and are done in their order.
 */
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

  /**
   * The first statement follows at once, and goes with `text`, which may be several statements. If that fails the first is refused, in a
   * transaction that can only be rolled back. Once it is `over`, the connection is another's.
   */
  begin(text: string): { tx: Transaction<Tables>; over(): void } {
    this.#holdTogether()
    this.#sendAhead(text)
    let isOver = false
    const executor = new DefaultQueryExecutor(compiler, adapter, {
      provideConnection: async use => {
        if (isOver) throw new Error('the transaction is over')
        return use(this)
      },
    })
    return {
      tx: new Transaction<Tables>({ config: { dialect }, dialect, driver, executor }),
      over() {
        isOver = true
      },
    }
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
      this.#holdTogether()
      const { command, rowCount, rows } = await fromDatabase(this.#client.query(statement))
      return changing.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
    } catch (error) {
      this.hasStalePlan ||= isStalePlan(error)
      throw error
    }
  }

  async commit() {
    const { command } = await fromDatabase(this.#client.query('commit'))
    // What COMMIT answers after a statement that failed: the work has overlooked its error.
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  /** Of what has only read, and has its answers: the end goes with the beginning of what is next on this connection, or in a moment. */
  endSoon() {
    if (!this.#isEnding) {
      this.#isEnding = true
      this.#stream.cork()
      setTimeout(() => this.#letEndGo(), end_held_ms)
    }
    this.#sendAhead('commit')
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

  /** What is sent before this process waits for anything goes in one packet: each wakes the server, and takes it a moment. */
  #holdTogether() {
    this.#stream.cork()
    process.nextTick(() => {
      this.#stream.uncork()
      this.#letEndGo()
    })
  }

  #letEndGo() {
    if (!this.#isEnding) return
    this.#isEnding = false
    this.#stream.uncork()
  }

  /** Where this fails the connection is broken, and whoever uses it next is told. */
  #sendAhead(text: string) {
    this.#client.query(text, () => {})
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
