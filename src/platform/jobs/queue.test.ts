import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it, mock } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg, { type ClientConfig } from 'pg'
import { openFaultProxy } from '#test/faults/fault-proxy.ts'
import * as background from '#test/world/background.ts'
import { until } from '#test/world/background.ts'
import { cloneDatabase } from '#test/world/postgres.ts'
import type { Database } from '../db/database.ts'
import { type Attempt, enqueue, type Job, Postponed, type QueueItem } from './queue.ts'

interface Data {
  id: number
}
const system = { tenantId: 1, userId: null }

describe('one-off work', () => {
  let postgres: Awaited<ReturnType<typeof cloneDatabase>>
  let superuser: pg.Client
  const opened: (() => Promise<void>)[] = []
  before(async () => {
    postgres = await cloneDatabase()
    superuser = new pg.Client(postgres.superuser)
    await superuser.connect()
  })
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close()
    await superuser.query('delete from pgboss.job')
  })
  after(async () => {
    await superuser.end()
    await postgres.drop()
  })

  function openProcess(
    run: (data: Data, attempt: Attempt) => Promise<void>,
    {
      at_once = 2,
      app,
      queue_poll_s = 1,
      patience_ms = 3000,
      one_per_tenant,
    }: {
      at_once?: number
      app?: ClientConfig
      queue_poll_s?: number
      patience_ms?: number
      one_per_tenant?: true
    } = {},
  ) {
    const job: Job<undefined, Data> = {
      name: 'mail',
      queue: 'mail',
      at_once,
      ...(one_per_tenant && { one_per_tenant }),
      run: (_, data, attempt) => run(data, attempt),
      find: async () => [],
    }
    const process = background.openProcess({ jobs: [job] }, app ?? postgres.app, {
      times: { queue_poll_s },
      ...(app && { patience_ms }),
    })
    opened.push(process.close)
    return process
  }
  const ask = (database: Database, ids: number[], more: Partial<QueueItem> = {}) =>
    database.transaction(system, 'read write', tx =>
      enqueue(
        tx,
        'mail',
        ids.map(id => ({ key: String(id), tenant_id: 1, data: { id }, ...more })),
      ),
    )
  /** The statements by which workers look for an item. */
  function watchLooks(database: Database) {
    const looks = { underWay: 0, empty: 0, failed: 0 }
    const send = database.queueStatement.bind(database)
    mock.method(database, 'queueStatement', async (...[text, values]: Parameters<typeof send>) => {
      if (!/skip locked/i.test(text)) return send(text, values)
      looks.underWay += 1
      try {
        const answer = await send(text, values)
        if (answer.rows.length === 0) looks.empty += 1
        return answer
      } catch (error) {
        looks.failed += 1
        throw error
      } finally {
        looks.underWay -= 1
      }
    })
    return looks
  }
  const states = async () =>
    (await superuser.query<{ state: string }>('select distinct state::text from pgboss.job')).rows.map(
      ({ state }) => state,
    )

  it('is queued with the commit of who asks for it, once for each key, and not at all with a rollback', async () => {
    const done: number[] = []
    const process = openProcess(async ({ id }) => void done.push(id))
    const refused = process.database.transaction(system, 'read write', async tx => {
      await enqueue(tx, 'mail', [{ key: '9', tenant_id: 1, data: { id: 9 } }])
      throw new Error('refused')
    })
    await assert.rejects(refused, { message: 'refused' })
    assert.equal(await ask(process.database, [1, 2]), 2)
    assert.equal(await ask(process.database, [2, 3]), 1)
    assert.deepEqual(await process.runPending(), { done: 3, postponed: 0, failed: 0 })
    assert.deepEqual(done, [1, 2, 3])
    assert.equal(await ask(process.database, [2]), 1, 'once it is over it can be asked for again')
  })

  it('is begun at once in the process that asked for it, and soon where another did', async () => {
    const done: number[] = []
    // It looks by itself once in ten minutes: what is done before that, it was told of.
    const process = openProcess(async ({ id }) => void done.push(id), { queue_poll_s: 600 })
    const looks = watchLooks(process.database)
    process.start()
    await ask(process.database, [1])
    await until(() => done.length === 1)
    // Nothing is due, and all of its workers have found that out.
    await until(() => looks.empty >= 2 && looks.underWay === 0)
    await ask(process.database, [2, 3, 4])
    await until(() => done.length === 4)
    const other = openProcess(async () => assert.fail('it was not started'))
    await ask(other.database, [5])
    // A process that polls each second finds items that it was not notified of.
    openProcess(async ({ id }) => void done.push(id)).start()
    await until(() => done.length === 5)
    await ask(other.database, [6])
    await until(() => done.length === 6)
  })

  it('is looked for a few times a second, however much is asked for while it cannot begin', async () => {
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>()
    const done: number[] = []
    const run = async ({ id }: Data) => {
      await isFree
      done.push(id)
    }
    const process = openProcess(run, { queue_poll_s: 600, one_per_tenant: true })
    const looks = watchLooks(process.database)
    process.start()
    await ask(process.database, [0])
    // The one worker has it, and the other finds nothing that may begin beside it.
    await until(async () => (await states()).includes('active') && looks.empty >= 2 && looks.underWay === 0)
    const before = looks.empty
    const begun = performance.now()
    for (let id = 1; id <= 100; id++) await ask(process.database, [id])
    await until(() => looks.empty > before)
    const most = 2 + (performance.now() - begun) / 100
    const looked = looks.empty - before
    assert.ok(looked <= most, `${looked} times of ${most}`)
    free()
    await until(() => done.length === 101)
  })

  it('is done once by one of several processes, so many at a time', async () => {
    const done: number[] = []
    let running = 0
    let most = 0
    const run = async ({ id }: Data) => {
      running += 1
      most = Math.max(most, running)
      // The first waits for another beside it.
      await until(() => most > 1)
      await superuser.query('select 1')
      running -= 1
      done.push(id)
    }
    const processes = [openProcess(run), openProcess(run)]
    const ids = Array.from({ length: 60 }, (_, index) => index)
    await ask(processes[0]!.database, ids)
    for (const process of processes) process.start()
    await until(() => done.length === ids.length)
    await Promise.all(processes.map(process => process.close()))
    assert.deepEqual(
      done.toSorted((a, b) => a - b),
      ids,
    )
    assert.ok(most > 1 && most <= 4, `${most} at a time`)
  })

  it('is done the most urgent first', async () => {
    const done: number[] = []
    const process = openProcess(async ({ id }) => void done.push(id), { at_once: 1 })
    await ask(process.database, [1, 2, 3])
    await ask(process.database, [100], { priority: 1 })
    process.start()
    await until(() => done.length === 4)
    assert.deepEqual(done, [100, 1, 2, 3])
  })

  it('that fails is told of once and tried again later each time; what is expected to fail is not told of', async () => {
    const attempts: Pick<Attempt, 'number' | 'isLast'>[] = []
    let error = new Error('of Mrs Example')
    const process = openProcess(async (_, { number, isLast }) => {
      attempts.push({ number, isLast })
      if (attempts.length < 13) throw error
    })
    await ask(process.database, [1])
    const waits: number[] = []
    for (let attempt = 0; attempt < 12; attempt++) {
      await process.runPending(attempt * 5 * 3600)
      const { rows } = await superuser.query(
        `select extract(epoch from start_after - now())::float as wait from pgboss.job where state = 'retry'`,
      )
      waits.push(rows[0].wait)
      error = new Postponed('asked to come back later')
    }
    assert.deepEqual(
      attempts,
      Array.from({ length: 12 }, (_, index) => ({ number: index + 1, isLast: false })),
    )
    assert.ok(waits[0]! > 30 && waits[0]! <= 120 && waits[4]! > 10 * 60, waits.join(' '))
    assert.ok(Math.max(...waits) <= 4 * 3600, 'and no longer than four hours')
    assert.deepEqual(await process.runPending(12 * 5 * 3600), { done: 1, postponed: 0, failed: 0 })
    assert.deepEqual(attempts.at(-1), { number: 13, isLast: true })
    assert.deepEqual(process.lines, ['report: of Mrs Example', 'info: mail works again'])
    const { rows } = await superuser.query(`select from pgboss.job j where j::text like '%Example%'`)
    assert.equal(rows.length, 0)
    assert.equal((await process.depth())[0]!.failed, 0)
  })

  it('that fails in its last attempt is left alone, and counted for an hour', async () => {
    const process = openProcess(async () => assert.fail('of Mrs Example'))
    await ask(process.database, [1])
    for (let attempt = 0; attempt < 13; attempt++) await process.runPending(attempt * 5 * 3600)
    assert.deepEqual(await states(), ['failed'])
    assert.deepEqual(await process.runPending(14 * 5 * 3600), { done: 0, postponed: 0, failed: 0 })
    assert.equal((await process.depth())[0]!.failed, 1)
  })

  it('is counted: what waits, since when, what waits for its time, and what is being done', async () => {
    let isOver = false
    const process = openProcess(async () => until(() => isOver), { at_once: 1 })
    const none = { waiting: 0, waiting_since: null, later: 0, active: 0, failed: 0 }
    assert.deepEqual(await process.depth(), [
      { name: 'mail', ...none },
      { name: 'background_jobs', ...none },
      { name: 'texts', ...none },
      { name: 'exports', ...none },
      { name: 'vectors', ...none },
    ])
    const begun = new Date(Date.now() - 1000).toISOString()
    await ask(process.database, [1, 2, 3])
    await ask(process.database, [4], { start_after_s: 3600 })
    process.start()
    await until(async () => (await process.depth())[0]!.active === 1)
    const [{ waiting_since, ...mail }] = (await process.depth()) as [Awaited<ReturnType<typeof process.depth>>[0]]
    assert.deepEqual(mail, { name: 'mail', waiting: 2, later: 1, active: 1, failed: 0 })
    assert.ok(waiting_since! > begun && waiting_since! <= new Date().toISOString())
    isOver = true
  })

  it('is told when its process stops, waited for, and what it leaves is left to the others', async () => {
    const told: string[] = []
    const process = openProcess(
      async ({ id }, { signal }) => {
        told.push(`begun ${id}`)
        await new Promise(done => {
          signal.addEventListener('abort', done)
        })
        told.push(`ended ${id}`)
      },
      { at_once: 1 },
    )
    await ask(process.database, [1, 2])
    process.start()
    await until(() => told.length === 1)
    await process.close()
    assert.deepEqual(told, ['begun 1', 'ended 1'])
    assert.deepEqual((await states()).sort(), ['completed', 'created'])
  })

  it('that breaks off because its process stops is no failure: nobody is told, and another takes it up', async () => {
    let isBegun = false
    const process = openProcess(async (_, { signal }) => {
      isBegun = true
      await setTimeout(600_000, undefined, { signal })
    })
    await ask(process.database, [1])
    process.start()
    await until(() => isBegun)
    await process.close()
    assert.deepEqual(
      process.lines.filter(line => line.startsWith('report')),
      [],
    )
    assert.deepEqual(await states(), ['retry'])
  })

  it('does not wait for the time of a clock that was set back since it was queued', async () => {
    const done: number[] = []
    const process = openProcess(async ({ id }) => void done.push(id))
    await ask(process.database, [1])
    await ask(process.database, [2], { start_after_s: 3600 })
    await superuser.query(
      `update pgboss.job set created_on = now() + interval '1 day', start_after = now() + interval '1 day' where singleton_key = '1'`,
    )
    // Taken before the clock was set ahead, failed after it.
    await ask(process.database, [3])
    await superuser.query(
      `update pgboss.job set state = 'retry', retry_count = 1, started_on = now(), start_after = now() + interval '1 day' where singleton_key = '3'`,
    )
    process.start()
    await until(() => done.length > 1)
    assert.deepEqual(
      done.toSorted((a, b) => a - b),
      [1, 3],
    )
  })

  it('is done by another when whoever had it is silent, as one that was killed', async () => {
    const done: string[] = []
    await superuser.query(`update pgboss.queue set heartbeat_seconds = 2 where name = 'mail'`)
    opened.push(async () => {
      await superuser.query(`update pgboss.queue set heartbeat_seconds = 20 where name = 'mail'`)
    })
    const lost = openProcess(async () => {
      done.push('lost')
      await new Promise(() => {})
    })
    await ask(lost.database, [1])
    // Taken and never touched again: no process is behind it.
    void lost.runPending()
    await until(() => done.length === 1)
    const process = openProcess(async (_, { number }) => void done.push(`done in attempt ${number}`))
    process.start()
    // Its first attempt counts, and the next one waits for a minute.
    await until(async () => (await states()).includes('retry'))
    await superuser.query('update pgboss.job set start_after = now()')
    await until(() => done.length === 2)
    assert.deepEqual(done, ['lost', 'done in attempt 2'])
  })

  it('takes its turn without reading those that wait, also by statistics from when nothing waited', async () => {
    const items = 600
    await superuser.query('delete from pgboss.job')
    await superuser.query('vacuum analyze pgboss.job_common')
    await superuser.query('begin')
    await superuser.query(`do $$ begin
      for n in 1..${items} loop
        insert into pgboss.job_common (name, group_id, singleton_key, keep_until) values ('texts', (n % 3)::text, n, now());
      end loop; end $$`)
    const { rows } = await superuser.query<{ read: number }>(
      `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = 'job_common'`,
    )
    await superuser.query('rollback')
    assert.ok(rows[0]!.read <= 4 * items, `${rows[0]!.read} rows for ${items} items`)
  })

  it('outlives a database that goes away: one warning, and on within seconds of its return', async () => {
    const proxy = await openFaultProxy(postgres.app)
    opened.unshift(() => proxy.close())
    const done: number[] = []
    const process = openProcess(async ({ id }) => void done.push(id), { app: { ...postgres.app, ...proxy.connection } })
    const looks = watchLooks(process.database)
    process.start()
    await ask(process.database, [1])
    await until(() => done.length === 1)
    const from = process.lines.length
    proxy.swallow()
    await until(() => process.lines.length > from)
    // It goes on trying, and says no more of it.
    const failed = looks.failed
    await until(() => looks.failed >= failed + 2)
    assert.deepEqual(
      process.lines.slice(from).map(line => line.split(':').slice(0, 2).join()),
      ['warning, background work waits'],
    )
    const other = openProcess(async () => {})
    await ask(other.database, [2])
    proxy.heal()
    await until(() => done.length === 2)
    await until(() => process.lines.length === from + 2)
    assert.equal(process.lines.at(-1), 'info: background work goes on')
  })

  it('begins when the database does, and stops while it is away', async () => {
    const proxy = await openFaultProxy(postgres.app)
    opened.unshift(() => proxy.close())
    proxy.swallow()
    const app = { ...postgres.app, ...proxy.connection }
    const process = openProcess(async () => {}, { app, patience_ms: 500 })
    process.start()
    await until(() => process.lines.length === 1)
    await process.close()
    assert.equal(process.lines.length, 1)
  })
})
