import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { openFaultProxy } from '#test/faults/fault-proxy.ts'
import { until } from '#test/world/background.ts'
import { cloneDatabase } from '#test/world/postgres.ts'
import { steady } from '#test/world/steadily.ts'
import { Database, isDatabaseError } from './database.ts'
import { openPool } from './pool.ts'

const nobody = { tenantId: null, userId: null }

describe('a database that is silent', () => {
  let postgres: Awaited<ReturnType<typeof cloneDatabase>>
  let proxy: Awaited<ReturnType<typeof openFaultProxy>>
  let superuser: pg.Client
  const warnings: string[] = []
  before(async () => {
    postgres = await cloneDatabase()
    proxy = await openFaultProxy(postgres.app)
    superuser = new pg.Client(postgres.superuser)
    await superuser.connect()
  })
  after(async () => {
    await superuser.end()
    await proxy.close()
    await postgres.drop()
  })

  const open = (answer_ms: number, held_ms = 200) => {
    const log = { info() {}, warn: (text: string) => void warnings.push(text), error() {} }
    const app = { ...postgres.app, ...proxy.connection, max: 2, query_timeout: 600_000 }
    return new Database(openPool(app, log, { held_ms, answer_ms }))
  }
  const statement = (database: Database, text: string) =>
    database
      .transaction(nobody, 'read only', tx => sql.raw(text).execute(tx))
      .then(
        () => 'answered',
        error => (isDatabaseError(error) ? 'database error' : String(error)),
      )

  it(
    'is a database error of each statement that waits for it, long before the end of its time',
    steady(async () => {
      proxy.heal()
      const database = open(1_000)
      const both = (text: string) => Promise.all([statement(database, text), statement(database, text)])
      // Both connections are there by then.
      assert.deepEqual(await both('select 1'), ['answered', 'answered'])
      const waiting = both('select pg_sleep(600)')
      proxy.swallow()
      assert.deepEqual(await waiting, ['database error', 'database error'])
      assert.match(warnings.join(), /the database is silent/)
      proxy.heal()
      assert.equal(await statement(database, 'select 1'), 'answered')
      await database.close()
    }),
  )

  it('is told at the same moment to who began to wait a little later', async () => {
    const from = warnings.length
    const database = open(1_000, 2_000)
    const one = () => statement(database, 'select pg_sleep(600)')
    await Promise.all([statement(database, 'select 1'), statement(database, 'select 1')])
    const first = one()
    const age = `select from pg_stat_activity where datname = current_database() and query like 'select pg_sleep%'
      and clock_timestamp() - query_start > interval '0.8 seconds'`
    await until(async () => (await superuser.query(age)).rowCount === 1)
    const second = one()
    proxy.swallow()
    assert.deepEqual(await Promise.all([first, second]), ['database error', 'database error'])
    assert.deepEqual(
      warnings.slice(from).filter(text => text.includes('silent')),
      ['the database is silent: 2 connections in use are given up'],
    )
    proxy.heal()
    await database.close()
  })

  it('is told from one that works on a long statement, which is waited for', async () => {
    const from = warnings.length
    const database = open(60_000)
    await superuser.query('select pg_advisory_lock(1)')
    const asked = proxy.visits() + 1
    const long = statement(database, 'select pg_advisory_lock(1)')
    // One visit is the statement's own, the others ask whether the server is there.
    await until(() => proxy.visits() >= asked + 3)
    await superuser.query('select pg_advisory_unlock(1)')
    assert.equal(await long, 'answered')
    assert.deepEqual(warnings.slice(from), [])
    await database.close()
  })
})
