import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import type { Pool, QueryConfig } from 'pg'
import { within } from '../within.ts'
import { fromDatabase, isPassing } from './database-errors.ts'
import { Connections } from './driver.ts'
import type { Tables } from './tables.ts'

export { isConnectionLost, isDatabaseError, isDuplicate } from './database-errors.ts'

const max_repeats = 3
const first_wait_ms = 20
/** A server that hangs says no farewell. */
const farewell_timeout_ms = 2_000

/** A transaction bound to one tenant and one user. Only Database.transaction makes one, so holding a Tx is proof of the binding. */
export type Tx = Transaction<Tables> & { readonly tenantBound: true }
export type Access = 'read only' | 'read write'

/**
 * On whose behalf: row security shows and accepts this tenant's rows, and the audit trail names this user. Without a tenant
 * (nobody is logged in yet) no tenant's row is there; without a user it is the system that acts.
 */
interface Binding {
  tenantId: number | null
  userId: number | null
}

/** What was announced in each transaction that is under way. */
const announced = new WeakMap<Tx, Set<string>>()

/** Whoever listens in this process is told after the commit, and never where there is none. */
export function announce(tx: Tx, what: string): void {
  const all = announced.get(tx)
  if (all) all.add(what)
  else announced.set(tx, new Set([what]))
}

export class Database {
  readonly #pool: Pool
  readonly #listeners = new Set<(what: string) => void>()
  readonly #connections: Connections
  readonly #inside = new AsyncLocalStorage<true>()
  #closing: Promise<void> | undefined

  /** The pool must log in as `attest_app` and allow pipelining; see openPool. It is closed with this. */
  constructor(pool: Pool) {
    this.#pool = pool
    this.#connections = new Connections(pool)
  }

  /**
   * All of the work or none of it. Nested calls are refused: pass tx down instead.
   *
   * `canRunAgain` says that the work does nothing outside the database and takes nothing that is used up, such as a body that
   * streams in: then a deadlock or a serialization failure has it run again, three times at most.
   */
  async transaction<T>(
    binding: Binding,
    access: Access,
    work: (tx: Tx) => Promise<T>,
    { canRunAgain = false } = {},
  ): Promise<T> {
    // A second connection would not see what the first has written, and with every connection taken it would wait for ever.
    if (this.#inside.getStore()) throw new Error('the database was used inside an open transaction: pass tx instead')
    for (let repeats = 0; ; repeats++) {
      try {
        // Of the transactions that one wait has brought together, chance parts those that would only meet again.
        if (repeats > 0) await setTimeout(Math.random() * first_wait_ms * 2 ** repeats)
        const { result, tx } = await this.#inside.run(true, () => this.#once(binding, access, work))
        // Out of the transaction: who listens may begin one.
        for (const what of announced.get(tx) ?? []) for (const listener of this.#listeners) listener(what)
        return result
      } catch (error) {
        if (!canRunAgain || repeats === max_repeats || !isPassing(error)) throw error
      }
    }
  }

  async #once<T>(binding: Binding, access: Access, work: (tx: Tx) => Promise<T>): Promise<{ result: T; tx: Tx }> {
    const text = beginText(binding, access)
    const connection = await this.#connections.take()
    const { tx, over } = connection.begin(text)
    const bound = tx as Tx
    let result: T
    try {
      try {
        result = await work(bound)
      } finally {
        over()
      }
      // A read has its answer already, and the next user of the connection comes after its end.
      if (access === 'read only') connection.endSoon()
      else await connection.commit()
    } catch (error) {
      await connection.rollback()
      throw error
    } finally {
      this.#connections.giveBack(connection)
    }
    return { result, tx: bound }
  }

  /** Tells of what `announce` was given, once it is committed. Answers how to end it. */
  onAnnounced(listener: (what: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * For the job queue alone: a text of its own outside of any tenant, where no tenant's row is there. A connection on which it
   * failed is given up, because it may be inside a transaction that the text began.
   */
  async queueStatement(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    const client = await fromDatabase(this.#pool.connect())
    try {
      const result = await fromDatabase(client.query(text, values))
      client.release()
      return result
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  /** Rejects where the server does not answer within the time. A connection that stays silent is given up, not handed to the next. */
  async ping(timeout_ms: number): Promise<void> {
    const deadline = performance.now() + timeout_ms
    const connecting = this.#pool.connect()
    const client = await within(connecting, timeout_ms, undefined)
    if (!client) {
      connecting.then(
        each => each.release(),
        () => {},
      )
      throw new Error(`no connection to the database within ${timeout_ms} ms`)
    }
    const query_timeout = Math.max(1, Math.ceil(deadline - performance.now()))
    const statement: QueryConfig & { query_timeout: number } = { text: 'select 1', query_timeout }
    try {
      await client.query(statement)
    } catch (error) {
      client.release(true)
      throw error
    }
    client.release()
  }

  /** How many connections there are, in use and idle, and how many wait for one. */
  connections() {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return { in_use: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
  }

  /** Waits for open transactions, and until the server has let go of the connections: who stops it next would break them. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end() {
    let open = this.#pool.totalCount
    const gone = new Promise<void>(resolve => {
      if (open === 0) resolve()
      this.#pool.on('remove', () => {
        if (--open === 0) resolve()
      })
    })
    await this.#pool.end()
    await within(gone, farewell_timeout_ms, undefined)
  }
}

function beginText({ tenantId, userId }: Binding, access: Access) {
  const settings = {
    tenant_id: idText(tenantId),
    user_id: idText(userId),
    // What entries and the records that they are of have in common: a read has neither.
    ...(access === 'read write' && { transaction_id: randomUUID() }),
  }
  return [
    `begin ${access}`,
    ...Object.entries(settings).map(([name, value]) => `set local app.${name} = '${value}'`),
  ].join('; ')
}

/** It becomes part of a text that takes no parameters. */
function idText(id: number | null) {
  if (id === null) return ''
  if (!Number.isSafeInteger(id)) throw new TypeError(`not an id: ${id}`)
  return String(id)
}
