import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import type { Pool, PoolClient, QueryConfig } from 'pg'
import { within } from '../within.ts'
import { fromDatabase, isPassing } from './database-errors.ts'
import { Connections } from './driver.ts'
import type { Tables } from './tables.ts'

export {
  isClockDifference,
  isConnectionLost,
  isDatabaseError,
  isDuplicate,
  isLockTimeout,
  isStatementTimeout,
} from './database-errors.ts'

const maxRepeats = 3
const firstWaitMs = 20
/** A server that hangs does not close its connections. */
const farewellTimeoutMs = 2_000

/** A transaction bound to one tenant and one user. Only Database.transaction makes one, so having a Tx proves the binding. */
export type Tx = Transaction<Tables> & { readonly tenantBound: true }
/**
 * 'read only': what the work asks for together is one transaction, and what it asks for later another, so no setting and no lock lasts for
 * all of it. A snapshot only reads as well, is one transaction, and each of its statements sees the database as the first one did.
 */
export type Access = 'read only' | 'read write' | 'snapshot'

/**
 * Row security shows and accepts only this tenant's rows, and the audit trail names this user. Without a tenant (nobody is logged in yet)
 * there are no tenant's rows; without a user the system acts.
 */
interface Binding {
  tenantId: number | null
  userId: number | null
}

/** The announcements of each open transaction. */
const announced = new WeakMap<Tx, Set<string>>()

/** Notifies the listeners of this process after the commit; never after a rollback. */
export function announce(tx: Tx, what: string): void {
  const all = announced.get(tx)
  if (all) all.add(what)
  else announced.set(tx, new Set([what]))
}

/** The statements of each open transaction that its commit does not wait for. */
const unconfirmed = new WeakMap<Tx, Promise<unknown>[]>()

/**
 * For a statement, already asked for, whose answer the work does not need: the commit is sent behind it, in the same piece if nothing else is
 * waited for, and both are answered together. Where it fails, nothing is committed, and the transaction fails with its error.
 */
export function confirmedByCommit(tx: Tx, statement: Promise<unknown>): void {
  // The commit tells of it; where the work fails, that does.
  statement.catch(() => {})
  const all = unconfirmed.get(tx)
  if (all) all.push(statement)
  else unconfirmed.set(tx, [statement])
}

export class Database {
  readonly #pool: Pool
  readonly #pingPool: Pool
  readonly #listeners = new Set<(what: string) => void>()
  readonly #connections: Connections
  readonly #inside = new AsyncLocalStorage<true>()
  #closing: Promise<void> | undefined

  /**
   * The pool must log in as `attest_app` and allow pipelining; see openPool. Closing the database closes it. `pingPool` keeps a connection
   * for `ping`, so that requests that fill the pool do not make a healthy database look down.
   */
  constructor(pool: Pool, pingPool = pool, { preparesStatements = true } = {}) {
    this.#pool = pool
    this.#pingPool = pingPool
    this.#connections = new Connections(pool, { preparesStatements })
  }

  /**
   * Runs the work in a transaction. Nested calls are refused: pass tx down instead.
   *
   * `canRunAgain` promises that the work has no effect outside of the database and consumes nothing, such as a request body. Then it runs
   * again after a deadlock or a serialization failure, three times at most. With `plansOnce` its statements are planned once on each
   * connection, for all values: for those whose planning takes longer than they do.
   */
  async transaction<T>(
    binding: Binding,
    access: Access,
    work: (tx: Tx) => Promise<T>,
    { canRunAgain = false, plansOnce = false } = {},
  ): Promise<T> {
    // A second connection would not see the changes of the first, and could wait for ever for a free one.
    if (this.#inside.getStore()) throw new Error('the database was used inside an open transaction: pass tx instead')
    for (let repeats = 0; ; repeats++) {
      try {
        // A random wait separates transactions that would otherwise collide again.
        if (repeats > 0) await setTimeout(Math.random() * firstWaitMs * 2 ** repeats)
        const { result, tx } = await this.#inside.run(true, () =>
          this.#once(beginText(binding, access, { plansOnce }), access, work),
        )
        // Outside of the transaction, because a listener may begin one.
        for (const what of announced.get(tx) ?? []) for (const listener of this.#listeners) listener(what)
        return result
      } catch (error) {
        if (!canRunAgain || repeats === maxRepeats || !isPassing(error)) throw error
      }
    }
  }

  async #once<T>(begin: string, access: Access, work: (tx: Tx) => Promise<T>): Promise<{ result: T; tx: Tx }> {
    const connection = await this.#connections.take()
    const { tx, over } = access === 'read only' ? connection.read(begin) : connection.begin(begin)
    const bound = tx as Tx
    let result: T
    try {
      try {
        result = await work(bound)
      } finally {
        over()
      }
      if (access === 'read write') await connection.commit(unconfirmed.get(bound))
      else if (access === 'read only') await connection.endReading()
      // It has its answers already. The next user of the connection waits for the end of the transaction.
      else connection.endSoon()
    } catch (error) {
      await (access === 'read only' ? connection.endReading() : connection.rollback())
      throw error
    } finally {
      this.#connections.giveBack(connection)
    }
    return { result, tx: bound }
  }

  /** Calls the listener with each announcement after its commit. Returns a function that removes the listener. */
  onAnnounced(listener: (what: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A connection outside of any tenant, for what examines the database itself. No transaction may be begun meanwhile by the same work. */
  async withConnection<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await fromDatabase(this.#pool.connect())
    try {
      return await work(client)
    } finally {
      client.release()
    }
  }

  /**
   * For the job queue only: runs its statement outside of any tenant, where no tenant's rows are visible. After a failure the connection
   * is dropped, because the text may have begun a transaction on it.
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

  /** Rejects if the server does not answer in time. The silent connection is dropped. A standby answers, and takes no changes. */
  async ping(timeout_ms: number): Promise<{ isStandby: boolean }> {
    const deadline = performance.now() + timeout_ms
    const connecting = this.#pingPool.connect()
    const client = await within(connecting, timeout_ms, undefined)
    if (!client) {
      connecting.then(
        each => each.release(),
        () => {},
      )
      throw new Error(`no connection to the database within ${timeout_ms} ms`)
    }
    const query_timeout = Math.max(1, Math.ceil(deadline - performance.now()))
    const statement: QueryConfig & { query_timeout: number } = {
      text: 'select pg_is_in_recovery() as is_standby',
      query_timeout,
    }
    try {
      const { rows } = await client.query<{ is_standby: boolean }>(statement)
      client.release()
      return { isStandby: rows[0]!.is_standby }
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  /** The number of connections, idle ones, and callers that wait for one. */
  connections() {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return { in_use: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
  }

  /** Waits for open transactions, and until the server has closed the connections, so that the server can be stopped next. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end() {
    await Promise.all([...new Set([this.#pool, this.#pingPool])].map(endPool))
  }
}

async function endPool(pool: Pool) {
  let open = pool.totalCount
  const gone = new Promise<void>(resolve => {
    if (open === 0) resolve()
    pool.on('remove', () => {
      if (--open === 0) resolve()
    })
  })
  await pool.end()
  await within(gone, farewellTimeoutMs, undefined)
}

function beginText({ tenantId, userId }: Binding, access: Access, { plansOnce }: { plansOnce: boolean }) {
  const settings = {
    tenant_id: idText(tenantId),
    user_id: idText(userId),
    // Links audit entries to the changes of their transaction. A read has none.
    ...(access === 'read write' && { transaction_id: randomUUID() }),
  }
  return [
    access === 'snapshot' ? 'begin isolation level repeatable read read only' : `begin ${access}`,
    ...Object.entries(settings).map(([name, value]) => `set local app.${name} = '${value}'`),
    ...(plansOnce ? ['set local plan_cache_mode = force_generic_plan'] : []),
  ].join('; ')
}

/** Checked, because it becomes part of a statement without parameters. */
function idText(id: number | null) {
  if (id === null) return ''
  if (!Number.isSafeInteger(id)) throw new TypeError(`not an id: ${id}`)
  return String(id)
}
