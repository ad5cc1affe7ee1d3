import pg, { type CustomTypesConfig, type QueryResult, type QueryResultRow } from 'pg'

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
/** The messages of a connection. */
interface Wire {
  describe(...what: never[]): void
}

const DriverQuery = pg.Query as unknown as new (text: string) => DriverQuery

/** The columns of the prepared statements of one connection, by their names. */
export class KnownColumns {
  readonly #columns = new Map<string, Columns>()
  #silent: Wire | undefined

  find(name: string | undefined): Columns | undefined {
    return name === undefined ? undefined : this.#columns.get(name)
  }

  keep(name: string, { fields, _parsers, _prebuiltEmptyResultObject }: Columns) {
    if (!this.#columns.has(name)) this.#columns.set(name, { fields, _parsers, _prebuiltEmptyResultObject })
  }

  /** The connection without the message that asks for a description. */
  withoutDescribe(wire: Wire): Wire {
    this.#silent ??= Object.create(wire, { describe: { value: () => {} } }) as Wire
    return this.#silent
  }
}

/**
 * A statement of the extended protocol. The server describes the columns of a prepared one once: reading the description takes longer
 * than reading a row. PostgreSQL refuses to run a prepared statement whose columns have changed.
 */
export class Statement<R extends QueryResultRow = QueryResultRow> extends DriverQuery {
  readonly answer: Promise<QueryResult<R>>
  readonly #known: KnownColumns

  constructor(text: string, values: readonly unknown[], name: string | undefined, known: KnownColumns) {
    super(text)
    this.values = values as unknown[]
    this.queryMode = 'extended'
    this.name = name
    this.#known = known
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<R>>()
    this.answer = promise
    this.callback = (error, result) => (error ? reject(error) : resolve(result as QueryResult<R>))
  }

  override submit(connection: Wire) {
    const columns = this.#known.find(this.name)
    if (!columns || !this.hasBeenParsed(connection)) return super.submit(connection)
    Object.assign(this._result, columns)
    this._accumulateRows = true
    return super.submit(this.#known.withoutDescribe(connection))
  }

  override handleCommandComplete(message: object, connection: Wire) {
    if (this.name !== undefined) this.#known.keep(this.name, this._result)
    super.handleCommandComplete(message, connection)
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
