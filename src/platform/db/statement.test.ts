import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { cloneDatabase, quiet } from '#test/world/postgres.ts'
import { Database } from './database.ts'
import { openPool } from './pool.ts'

const nobody = { tenantId: null, userId: null }

// It stands on what the driver keeps to itself: another version of the driver must show here, and not in wrong columns.
describe('a prepared statement', () => {
  let postgres: Awaited<ReturnType<typeof cloneDatabase>>
  let database: Database
  const asked = { described: 0, parsed: 0 }
  before(async () => {
    postgres = await cloneDatabase()
    const pool = openPool(postgres.app, quiet)
    pool.on('connect', client => {
      const wire = (
        client as unknown as { connection: { describe(...what: unknown[]): void; parse(...what: unknown[]): void } }
      ).connection
      const [describe, parse] = [wire.describe.bind(wire), wire.parse.bind(wire)]
      wire.describe = (...what) => {
        asked.described++
        describe(...what)
      }
      wire.parse = (...what) => {
        asked.parsed++
        parse(...what)
      }
    })
    database = new Database(pool)
  })
  after(async () => {
    await database.close()
    await postgres.drop()
  })

  const read = async (statement: ReturnType<typeof sql>) =>
    (await database.transaction(nobody, 'read only', tx => statement.execute(tx))).rows

  it('is parsed and described once on a connection, and its columns keep their names and types', async () => {
    const numbers = (from: number) =>
      sql`select n, n::text as word, now() - make_interval(days => n) < now() as is_past, null::date as day
        from generate_series(${from}::int, 4) n`
    for (const from of [4, 3, 5]) {
      const rows = [3, 4].filter(n => n >= from).map(n => ({ n, word: String(n), is_past: true, day: null }))
      assert.deepEqual(await read(numbers(from)), rows)
    }
    // Beside it, the end of every read is one.
    assert.deepEqual(asked, { described: 2, parsed: 2 })
    // Others between are described by themselves.
    assert.deepEqual(await read(sql`select 1 as n`), [{ n: 1 }])
    assert.deepEqual(await read(numbers(4)), [{ n: 4, word: '4', is_past: true, day: null }])
    assert.deepEqual(asked, { described: 3, parsed: 3 })
  })

  it('that fails is described when it succeeds', async () => {
    const divided = (by: number) => sql`select 12 / ${by}::int as quotient`
    await assert.rejects(read(divided(0)), /division by zero/)
    assert.deepEqual(await read(divided(4)), [{ quotient: 3 }])
    assert.deepEqual(await read(divided(3)), [{ quotient: 4 }])
  })
})
