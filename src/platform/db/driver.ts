import { createHash } from 'node:crypto'
import {
  AbortedTransactionError,
  type CompiledQuery,
  DefaultQueryExecutor,
  type Dialect,
  DummyDriver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  Transaction,
} from 'kysely'
import type { Pool, PoolClient, QueryResultRow, Submittable } from 'pg'
import { fromDatabase, isStalePlan } from './database-errors.ts'
import { Boundary, Piece, Statement } from './statement.ts'
import type { Tables } from './tables.ts'

// Each takes some tens of kilobytes of the server's process for its plan.
const maxStatementsPerConnection = 500

/**
 * The pool's connections with their prepared statements. A migration can change the result of a prepared statement, which PostgreSQL then
 * refuses to run for as long as the connection lives. When one connection finds this out, all connections of that time are replaced.
 */
export class Connections {
  readonly #pool: Pool
  readonly #known = new WeakMap<PoolClient, Connection>()
  readonly #maxStatements: number
  #generation = 0

  /** Behind a pooler that lends a connection for a transaction alone, a statement's name would be unknown to the next one. */
  constructor(pool: Pool, { preparesStatements }: { preparesStatements: boolean }) {
    this.#pool = pool
    this.#maxStatements = preparesStatements ? maxStatementsPerConnection : 0
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
      const connection = new Connection(client, this.#generation, this.#maxStatements)
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
/** Kysely gets no connections of its own, because it would let each statement of a transaction wait for the answer to the one before. */
const driver = new DummyDriver()
/** Only streams and Kysely's own transactions would ask for one. */
const noConnections = {
  provideConnection() {
    throw new Error('a transaction gives its connection to nobody')
  },
}
const dialect: Dialect = {
  createAdapter: () => adapter,
  createDriver: () => driver,
  createIntrospector: db => new PostgresIntrospector(db),
  createQueryCompiler: () => compiler,
}

type Execute = <R>(query: CompiledQuery) => Promise<QueryResult<R>>

/** Kysely's own executor hands each statement on by several promises, for plugins and for signals that abort: there are neither here. */
class TransactionExecutor extends DefaultQueryExecutor {
  readonly #execute: Execute

  constructor(execute: Execute) {
    super(compiler, adapter, noConnections)
    this.#execute = execute
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#execute(query)
  }
}

/**
 * A connection with pipelining: statements are sent before the one ahead is answered, which the pool must allow, and run in their order.
 */
class Connection {
  readonly generation: number
  hasStalePlan = false
  readonly #client: PoolClient
  readonly #names = new Map<string, string>()
  readonly #maxStatements: number
  readonly #piece = new Piece()
  #isBroken = false
  #isGathering = false
  #hasUnsent = false
  /** What each piece of reading work begins with. */
  #beginning: string | undefined
  #isPieceOpen = false
  /** Whether the end of the latest piece was a commit. */
  #isCommitted: Promise<boolean> | undefined

  constructor(client: PoolClient, generation: number, maxStatements: number) {
    this.#client = client
    this.generation = generation
    this.#maxStatements = maxStatements
  }

  /**
   * Begins a transaction with `text`, which may be several statements and is sent ahead of the first statement. If it fails, that
   * statement is refused and the transaction can only be rolled back. After `over` the connection belongs to another caller.
   */
  begin(text: string): { tx: Transaction<Tables>; over(): void } {
    this.#sendAhead(text)
    this.#hasUnsent = false
    return this.#lend()
  }

  /**
   * Lends the connection to work that only reads. What it asks for before it waits for anything is a transaction of its own, which begins
   * with `text`: its end is sent with it and answered with it, so that most reads are one message there and one back.
   */
  read(text: string): ReturnType<Connection['begin']> {
    this.#beginning = text
    return this.#lend()
  }

  #lend(): ReturnType<Connection['begin']> {
    let isOver = false
    const executor = new TransactionExecutor(async query => {
      if (isOver) throw new Error('the transaction is over')
      return this.executeQuery(query)
    })
    return {
      tx: new Transaction<Tables>({ config: { dialect }, dialect, driver, executor }),
      over() {
        isOver = true
      },
    }
  }

  /** Runs a statement of the extended protocol, prepared where that is kept: injected text could not add a second one. */
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    this.#gather()
    if (this.#beginning !== undefined) this.#joinPiece(this.#beginning, sql)
    const statement = new Statement<R & QueryResultRow>(sql, parameters, this.#nameOf(sql), this.#piece)
    try {
      this.#client.query(statement as Submittable)
      this.#hasUnsent ||= statement.isUnsent
      const { command, rowCount, rows } = await fromDatabase(statement.answer)
      return changing.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
    } catch (error) {
      this.hasStalePlan ||= isStalePlan(error)
      // Its own leads to the socket, and this one to the work that asked.
      Error.captureStackTrace(error as Error)
      throw error
    }
  }

  /** Fails with the first error of the statements `behind` which it is sent, and then commits nothing. */
  async commit(behind: readonly Promise<unknown>[] = []) {
    // The server would commit without a statement that it never got.
    if (this.#hasUnsent) await Promise.all(behind)
    this.#gather()
    this.#piece.end()
    const committed = fromDatabase(this.#client.query('commit'))
    const failed = (await Promise.allSettled([...behind, committed])).find(({ status }) => status === 'rejected')
    if (failed) throw (failed as PromiseRejectedResult).reason
    const { command } = await committed
    // COMMIT answers ROLLBACK after a failed statement whose error the work has ignored.
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  /** Leaves no transaction open. What was asked for has been answered, with the end of its piece, unless the work gave it up. */
  async endReading() {
    this.#endPiece()
    this.#beginning = undefined
    const isCommitted = await this.#isCommitted
    this.#isCommitted = undefined
    if (isCommitted === false) await this.rollback()
  }

  /** Ends a snapshot that has its answers, without waiting for the end. */
  endSoon() {
    this.#sendAhead('commit')
  }

  /** Ignores a lost connection, because the error that caused the rollback is reported. */
  async rollback() {
    this.#gather()
    this.#piece.end()
    await this.#client.query('rollback').catch(() => {
      this.#isBroken = true
    })
  }

  release() {
    this.#piece.end()
    this.#client.release(this.#isBroken || this.hasStalePlan)
  }

  /** A piece begins with its first statement. */
  #joinPiece(beginning: string, statement: string) {
    if (outlivesPiece(statement)) throw new Error(`a read keeps nothing from one piece to the next: ${statement}`)
    if (this.#isPieceOpen) return
    this.#isPieceOpen = true
    this.#sendAhead(beginning)
  }

  #endPiece() {
    if (!this.#isPieceOpen) return
    this.#isPieceOpen = false
    const end = new Statement('commit', [], this.#nameOf('commit'), this.#piece)
    this.#client.query(end as Submittable)
    // After a statement that failed it is not looked at, and the transaction stays to be rolled back.
    this.#isCommitted = end.answer.then(
      () => true,
      () => false,
    )
  }

  /** A failure breaks the connection, and its next user gets the error. */
  #sendAhead(text: string) {
    this.#gather()
    this.#piece.end()
    this.#client.query(new Boundary(text) as Submittable)
  }

  /**
   * Sends in one piece what is asked for before the process waits for anything: each piece is a call of the operating system, which takes
   * as long as building some statements.
   */
  #gather() {
    if (this.#isGathering) return
    this.#isGathering = true
    const { stream } = this.#client.connection
    stream.cork()
    process.nextTick(() => {
      this.#isGathering = false
      this.#endPiece()
      this.#piece.end()
      stream.uncork()
    })
  }

  /** The name of a prepared statement, the same on every connection for the server's statistics. Undefined when there are too many. */
  #nameOf(text: string) {
    const known = this.#names.get(text)
    if (known || this.#names.size >= this.#maxStatements) return known
    const name = createHash('sha256').update(text).digest('base64url')
    this.#names.set(text, name)
    return name
  }
}

/** Settings and locks of the transaction: a reader of two pieces would hold them in the first one alone. */
const outlivesPiece = (text: string) => text.startsWith('set ') || text.includes('_xact_lock')

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
