import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, afterEach, before, describe, it, mock } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import pg, { type ClientConfig } from 'pg'
import { getConstructionPlans } from 'pg-boss'
import { openFaultProxy } from '#test/faults/fault-proxy.ts'
import * as background from '#test/world/background.ts'
import { until } from '#test/world/background.ts'
import { cloneDatabase } from '#test/world/postgres.ts'
import type { Timing } from './boss.ts'
import type { Schedule } from './timetable.ts'

const nothing = { done: 0, refused: 0, failed: 0 }

it('has the tables that the installed version of the library asks for (the migration is what it prints)', () => {
  const plan = getConstructionPlans('pgboss')
  const body = plan.slice(plan.indexOf('CREATE SCHEMA'), plan.lastIndexOf('COMMIT;'))
  const migration = readFileSync(new URL('../../../migrations/0010_background_jobs.sql', import.meta.url), 'utf8')
  assert.ok(body.includes('CREATE TABLE pgboss.job'))
  const trimmed = body.split('\n').map(line => line.trimEnd())
  assert.ok(
    migration.includes(trimmed.join('\n').trim()),
    'an upgrade of pg-boss needs a migration with its getMigrationPlans',
  )
})

describe('schedules', () => {
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
  })
  after(async () => {
    await superuser.end()
    await postgres.drop()
  })

  function openProcess(
    schedules: Schedule<undefined>[],
    { app = postgres.app, ...how }: { app?: ClientConfig; times?: Partial<Timing>; patience_ms?: number } = {},
  ) {
    const process = background.openProcess({ schedules }, app, how)
    opened.push(process.close)
    return process
  }
  const schedule = (
    name: string,
    round: (signal: AbortSignal) => ReturnType<Schedule<undefined>['round']>,
    every_minutes = 1,
  ): Schedule<undefined> => ({ name, every_minutes, round: (_, signal) => round(signal) })
  const clear = () => superuser.query('delete from pgboss.job')

  it('are done at once at the start', async () => {
    await clear()
    let rounds = 0
    // The next period is too far away to be what brings it.
    const process = openProcess([schedule('first', async () => ({ ...nothing, done: ++rounds }), 10)], {
      times: { minute_ms: 600_000, poll_s: 600 },
    })
    process.start()
    await until(() => rounds === 1)
  })

  it('are done once in each period, by whichever process, as it begins', async () => {
    await clear()
    const rounds = { first: 0, second: 0 }
    const note = (name: keyof typeof rounds) => async () => ({ ...nothing, done: ++rounds[name] })
    const minute_ms = 1000
    const begun = Date.now()
    const processes = Array.from({ length: 3 }, () =>
      // None finds a round by looking around: each is told of by whoever asks for it.
      openProcess([schedule('first', note('first')), schedule('second', note('second'), 1_000_000)], {
        times: { minute_ms, poll_s: 600 },
      }),
    )
    for (const each of processes) each.start()
    await until(() => rounds.first >= 5)
    // A busy machine may take a round up late, even in the next period; but never one more than there were periods.
    const periods = Math.floor(Date.now() / minute_ms) - Math.floor(begun / minute_ms) + 1
    assert.ok(rounds.first <= periods, `${rounds.first} rounds in ${periods} periods`)
    assert.equal(rounds.second, 1)
  })

  it('never overlap: one that takes longer than its period lets periods pass', async () => {
    await clear()
    let running = 0
    let most = 0
    let rounds = 0
    const minute_ms = 1000
    const period = () => Math.floor(Date.now() / minute_ms)
    const slow = async () => {
      running += 1
      most = Math.max(most, running)
      const begunIn = period()
      await until(() => period() > begunIn + 1)
      running -= 1
      rounds += 1
      return nothing
    }
    const processes = [1, 2].map(() => openProcess([schedule('slow', slow)], { times: { minute_ms } }))
    for (const each of processes) each.start()
    await until(() => rounds === 2)
    assert.equal(most, 1)
  })

  it('that fail are told of once, tried again, and told of when they work; the queue keeps no word of the error', async () => {
    await clear()
    let isBroken = true
    const process = openProcess([
      schedule('fragile', async () => {
        if (isBroken) throw new Error('of Mrs Example')
        return { ...nothing, done: 7 }
      }),
      schedule('sound', async () => nothing),
    ])
    assert.equal(await process.progress(), undefined)
    process.start()
    // Until it takes part, it throws what keeps it from it.
    const progress = () => process.progress().catch(() => undefined)
    const state = async () => (await progress())?.schedules.map(({ is_failing, last_run }) => [is_failing, last_run])
    const failing = [
      [true, null],
      [false, nothing],
    ]
    await until(async () => isDeepStrictEqual(await state(), failing))
    isBroken = false
    await until(async () => (await process.progress())!.schedules.every(each => !each.is_failing && each.last_run))
    // The next period may just have begun, whose rounds wait for a moment.
    await until(async () => (await process.progress())!.waiting === 0)
    const { schedules, started_at } = (await process.progress())!
    assert.deepEqual(schedules[0]!.last_run, { ...nothing, done: 7 })
    assert.ok(schedules[0]!.last_run_at! > started_at)
    assert.deepEqual(process.lines, ['report: of Mrs Example', 'info: fragile works again'])
    const { rows } = await superuser.query(`select count(*)::int from pgboss.job j where j::text like '%Example%'`)
    assert.deepEqual(rows, [{ count: 0 }])
  })

  it('stop with their process: the round under way is told so and waited for, and nobody does it again', async () => {
    await clear()
    const told: string[] = []
    const isCleared = Promise.withResolvers<void>()
    const process = openProcess([
      schedule('long', async signal => {
        told.push('begun')
        await new Promise(done => {
          signal.addEventListener('abort', done)
        })
        told.push('told to end')
        await isCleared.promise
        told.push('ended')
        return nothing
      }),
    ])
    process.start()
    await until(() => told.length === 1)
    const closing = process.close().then(() => told.push('closed'))
    await until(() => told.length === 2)
    // Closing takes fewer statements than these where it does not wait.
    for (let statements = 0; statements < 50; statements++) await superuser.query('select 1')
    isCleared.resolve()
    await closing
    assert.deepEqual(told, ['begun', 'told to end', 'ended', 'closed'])
    const { rows } = await superuser.query('select state::text from pgboss.job')
    assert.deepEqual(rows, [{ state: 'completed' }])
  })

  it('that break off because their process stops have not failed: nobody is told', async () => {
    await clear()
    let isBegun = false
    const process = openProcess([
      schedule('long', async signal => {
        isBegun = true
        return setTimeout(600_000, nothing, { signal })
      }),
    ])
    process.start()
    await until(() => isBegun)
    await process.close()
    assert.deepEqual(
      process.lines.filter(line => line.startsWith('report')),
      [],
    )
  })

  it('outlive a database that goes away: one warning, and on within seconds of its return', async () => {
    await clear()
    const proxy = await openFaultProxy(postgres.app)
    opened.unshift(() => proxy.close())
    let rounds = 0
    const process = openProcess(
      [
        schedule('steady', async () => {
          rounds += 1
          await process.database.queueStatement('select 1')
          return nothing
        }),
      ],
      { app: { ...postgres.app, ...proxy.connection }, patience_ms: 3000 },
    )
    let failures = 0
    const send = process.database.queueStatement.bind(process.database)
    mock.method(process.database, 'queueStatement', (...statement: Parameters<typeof send>) =>
      send(...statement).catch(error => {
        failures += 1
        throw error
      }),
    )
    process.start()
    await until(() => rounds >= 1)
    const from = process.lines.length
    proxy.swallow()
    await until(() => process.lines.length > from)
    // It goes on trying, and says no more of it.
    const tries = failures
    await until(() => failures >= tries + 3)
    assert.deepEqual(
      process.lines.slice(from).map(line => line.split(':').slice(0, 2).join()),
      ['warning, background work waits'],
    )
    await assert.rejects(async () => process.progress())
    const before = rounds
    proxy.heal()
    await until(() => rounds > before)
    await until(() => process.lines.length === from + 2)
    assert.equal(process.lines.at(-1), 'info: background work goes on')
  })

  it('begin when the database does, and stop while it is away', async () => {
    const proxy = await openFaultProxy(postgres.app)
    opened.unshift(() => proxy.close())
    proxy.swallow()
    const process = openProcess([schedule('patient', async () => nothing)], {
      app: { ...postgres.app, ...proxy.connection },
      patience_ms: 500,
    })
    process.start()
    await until(() => process.lines.length === 1)
    await process.close()
    assert.equal(process.lines.length, 1)
  })
})
