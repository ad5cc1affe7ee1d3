import pg, { type CustomTypesConfig, DatabaseError, type QueryResult, type QueryResultRow } from 'pg'

/** What `pg.Query` has beyond its types; the lockfile holds its version. */
interface DriverQuery {
  text: string
  name: string | undefined
  values: unknown[] | undefined
  queryMode: 'extended' | undefined
  callback: (error: Error | undefined, result: QueryResult) => void
  _result: DriverResult
  _accumulateRows: boolean
  hasBeenParsed(connection: Wire): boolean
  submit(connection: Wire): Error | null
  handleCommandComplete(message: object, connection: Wire): void
  handleEmptyQuery(connection: Wire): void
  handleError(error: Error, connection: Wire): void
}
interface DriverResult extends Columns {
  _types: CustomTypesConfig
}
/** What the driver makes of the description of a result. */
interface Columns {
  fields: object[]
  _parsers: ((text: string) => unknown)[] | undefined
  _prebuiltEmptyResultObject: object | null
}
/** The messages of a connection: those to the server are its methods, and those of the server its events. */
interface Wire {
  describe(...what: never[]): void
  close(...what: never[]): void
  sync(): void
  emit(message: 'readyForQuery' | 'errorMessage', content: object): void
}

const DriverQuery = pg.Query as unknown as new (text: string) => DriverQuery

/** The columns of the prepared statements of one connection, by their names. */
export class KnownColumns {
  readonly #columns = new Map<string, Columns>()

  find(name: string | undefined): Columns | undefined {
    return name === undefined ? undefined : this.#columns.get(name)
  }

  keep(name: string, { fields, _parsers, _prebuiltEmptyResultObject }: Columns) {
    if (!this.#columns.has(name)) this.#columns.set(name, { fields, _parsers, _prebuiltEmptyResultObject })
  }
}

/**
 * The statements of one connection that are sent in one piece and answered in one: with a Sync behind each of them, as the driver sends it,
 * the server sends each answer by itself and wakes the process for it. The driver, which waits for what the server says to a Sync, is told
 * that behind each statement but the last. After one that fails the server passes over the others of its piece.
 */
export class Piece {
  readonly columns = new KnownColumns()
  #wires: { whole: Wire; withoutSync: Wire; withoutDescribe: Wire } | undefined
  #statements: Statement[] = []

  /** Makes the statement a part of the piece, and answers the connection that sends it without a Sync. */
  join(statement: Statement, connection: Wire, { isDescribed }: { isDescribed: boolean }): Wire {
    this.#wires ??= this.#wiresOf(connection)
    this.#statements.push(statement)
    return isDescribed ? this.#wires.withoutDescribe : this.#wires.withoutSync
  }

  /** Before anything else is sent, and when the piece is. */
  end() {
    const statements = this.#statements
    if (statements.length === 0) return
    for (const [place, each] of statements.entries()) each.followers = statements.length - 1 - place
    this.#statements = []
    this.#wires!.whole.sync()
  }

  #wiresOf(whole: Wire) {
    // The driver closes what it could not bind, and then nothing but the Sync is answered.
    let isRefused = false
    const withoutSync: Wire = Object.create(whole, {
      close: {
        value: (...what: never[]) => {
          isRefused = true
          whole.close(...what)
        },
      },
      sync: {
        value: () => {
          if (isRefused) this.end()
          isRefused = false
        },
      },
    })
    const withoutDescribe: Wire = Object.create(withoutSync, { describe: { value: () => {} } })
    return { whole, withoutSync, withoutDescribe }
  }
}

/** As the server refuses a statement of a transaction in which an earlier one failed. */
class AbortedError extends DatabaseError {
  constructor() {
    const text = 'current transaction is aborted, commands ignored until end of transaction block'
    super(text, text.length, 'error')
    this.severity = 'ERROR'
    this.code = '25P02'
  }
}

const inTransaction = { name: 'readyForQuery', status: 'T' }

/**
 * A statement of the extended protocol. The server describes the columns of a prepared one once: reading the description takes longer
 * than reading a row. PostgreSQL refuses to run a prepared statement whose columns have changed.
 */
export class Statement<R extends QueryResultRow = QueryResultRow> extends DriverQuery {
  readonly answer: Promise<QueryResult<R>>
  /** So many are behind it in its piece. */
  followers = 0
  /** The driver could not send it, or lost the connection: the server knows of no failure. */
  isUnsent = false
  readonly #piece: Piece

  constructor(text: string, values: readonly unknown[], name: string | undefined, piece: Piece) {
    super(text)
    this.values = values as unknown[]
    this.queryMode = 'extended'
    this.name = name
    this.#piece = piece
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<R>>()
    this.answer = promise
    this.callback = (error, result) => (error ? reject(error) : resolve(result as QueryResult<R>))
  }

  override submit(connection: Wire) {
    const columns = this.#piece.columns.find(this.name)
    const isDescribed = columns !== undefined && Boolean(this.hasBeenParsed(connection))
    if (isDescribed) {
      Object.assign(this._result, columns)
      this._accumulateRows = true
    }
    return super.submit(this.#piece.join(this, connection, { isDescribed }))
  }

  override handleCommandComplete(message: object, connection: Wire) {
    if (this.name !== undefined) this.#piece.columns.keep(this.name, this._result)
    super.handleCommandComplete(message, connection)
    this.#handOn(connection)
  }

  override handleEmptyQuery(connection: Wire) {
    this.#handOn(connection)
  }

  override handleError(error: Error, connection: Wire) {
    this.isUnsent = !(error instanceof DatabaseError)
    super.handleError(error, connection)
    // Any other error ends the connection, and the driver tells everybody who waits for it.
    if (error instanceof AbortedError || !(error instanceof DatabaseError && error.severity === 'ERROR')) return
    for (let n = 0; n < this.followers; n++) {
      connection.emit('readyForQuery', inTransaction)
      connection.emit('errorMessage', new AbortedError())
    }
  }

  #handOn(connection: Wire) {
    if (this.followers > 0) connection.emit('readyForQuery', inTransaction)
  }
}

/**
 * The beginning or the end of a transaction, sent without waiting for its answer: nothing is made of that. The driver would make a result of
 * each of its statements.
 */
export class Boundary extends DriverQuery {
  constructor(text: string) {
    super(text)
    this.callback = () => {}
  }

  override handleCommandComplete() {}
}
