// The statistics of a tenant: their values for known records, and that the kept counts match the records.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { systemActor } from '#modules/accounts'
import { auditSink } from '#modules/audit'
import { projectionSink } from '#modules/projections'
import { dayOf } from '#test/builders/assignments.ts'
import { capas } from '#test/builders/capas.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { manyRecords } from '#test/builders/many-records.ts'
import { driftOf } from '#test/builders/statistics.ts'
import { trainings } from '#test/builders/training.ts'
import { until } from '#test/world/background.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { countedZone, countsByMonth, countsInWindow, countsOfToday, recurrences } from './stats-queries.ts'

let world: World
let cases: ReturnType<typeof deviations>
let capa: ReturnType<typeof capas>
let paper: ReturnType<typeof papers>
let training: ReturnType<typeof trainings>
before(async () => {
  world = await openWorld({ LOG_LEVEL: 'error' })
  cases = deviations(world)
  capa = capas(world)
  paper = papers(world)
  training = trainings(world)
})
after(() => world.close())

const stats = async (query = '', by = 'quinn'): Promise<Json> =>
  ok(await world.as(by).get(`/api/dashboard/stats?${query}`))

/** The differences between kept counts and records, for both tenants. */
async function drift() {
  const found: string[] = []
  for (const name of ['ada', 'rex']) found.push(...(await driftOf(world, world.people[name]!.tenant_id)))
  return found
}

const setZone = async (time_zone: string) => {
  const { revision } = ok(await world.as('ada').get('/api/settings'))
  ok(await world.as('ada').put('/api/settings', { time_zone, revision, change_reason: 'Moved' }))
}

describe('statistics (proves: DASH-05)', () => {
  it('say null, and never a number, where there is nothing to divide by', async () => {
    const {
      documents,
      deviations: empty,
      capas: none,
      training: untrained,
    } = await stats('date_from=2001-01-01&date_to=2001-01-31')
    assert.deepEqual(documents.rejection_rate, { numerator: 0, denominator: 0, rate: null })
    assert.deepEqual(documents.approval_cycle_days, { count: 0, mean: null, median: null })
    assert.deepEqual(empty.on_time_closure_rate, { numerator: 0, denominator: 0, rate: null })
    assert.deepEqual(empty.days_to_close, { count: 0, mean: null, median: null })
    assert.deepEqual(none.effectiveness_rate, { numerator: 0, denominator: 0, rate: null })
    assert.deepEqual(untrained.on_time_rate, { numerator: 0, denominator: 0, rate: null })
  })

  it('count what happens again: of the category and root cause of one of the twelve months before (proves: DASH-05)', async () => {
    const before = (await stats()).deviations
    const detected = (days: number) => ({
      detected_at: new Date(Date.now() - days * 86_400_000).toISOString(),
      late_report_reason: 'Found at the yearly review',
    })
    await cases.inState('closed', { category: 'cleaning', ...detected(400) })
    await cases.inState('closed', { category: 'cleaning', ...detected(300) })
    await cases.inState('closed', { category: 'cleaning' })
    await cases.inState('closed', { category: 'safety', ...detected(400) })
    await cases.inState('cancelled', { category: 'safety', ...detected(20) })
    await cases.inState('closed', { category: 'safety' })
    await cases.inState('closed', { category: 'storage_warehouse' })
    const { deviations: now } = await stats()
    assert.equal(now.recurrence_rate.denominator - before.recurrence_rate.denominator, 6)
    assert.equal(now.recurrence_rate.numerator - before.recurrence_rate.numerator, 2)
    assert.deepEqual(now.recurrence_by_category, [...before.recurrence_by_category, { key: 'cleaning', count: 2 }])
  })

  it('count deviations by what became of them, and the rest of the time by what is open', async () => {
    const before = (await stats()).deviations
    const detected_at = new Date(Date.now() - 5 * 86_400_000).toISOString()
    const late = { detected_at, late_report_reason: 'Found at the weekly round' }
    const older = await cases.inState('closed', { severity: 'minor', category: 'material' })
    const again = await cases.inState('pending_approval', {
      ...late,
      severity: 'critical',
      category: 'equipment',
      department: 'Filling',
    })
    ok(
      await world.as('petra').post(`/api/deviations/${again.id}/links`, {
        resource_type: 'deviation',
        resource_id: older.id,
        relation: 'recurrence',
      }),
    )
    ok(await cases.put('quentin', again.id, { status: 'closed', change_reason: 'Complete and plausible' }))
    await cases.inState('open', { severity: 'critical' })
    await cases.inState('cancelled')
    const { deviations: now, creation_trends } = await stats()
    assert.equal(now.opened - before.opened, 4)
    assert.equal(now.closed - before.closed, 2)
    assert.equal(now.open - before.open, 1)
    assert.equal(now.overdue, before.overdue)
    assert.deepEqual(now.critical_ratio, {
      numerator: before.critical_ratio.numerator + 2,
      denominator: now.opened,
      rate: now.critical_ratio.rate,
    })
    assert.equal(now.late_report_rate.numerator - before.late_report_rate.numerator, 1)
    assert.equal(now.on_time_closure_rate.numerator - before.on_time_closure_rate.numerator, 2)
    assert.equal(now.recurrence_rate.numerator - before.recurrence_rate.numerator, 1)
    assert.deepEqual(
      now.recurrence_by_category.find(({ key }: Json) => key === 'equipment'),
      { key: 'equipment', count: 1 },
    )
    assert.deepEqual(
      now.by_department.find(({ key }: Json) => key === 'Filling'),
      { key: 'Filling', count: 1 },
    )
    assert.equal(now.ageing.length, 5)
    assert.equal(now.ageing[0].count - before.ageing[0].count, 1)
    assert.equal(
      now.ageing.reduce((sum: number, { count }: Json) => sum + count, 0),
      now.open,
    )
    assert.equal(creation_trends.length, 12)
    assert.equal(creation_trends.at(-1).deviations, now.opened)
    assert.equal(creation_trends[0].deviations, 0)
  })

  it('count CAPAs, documents and training', async () => {
    const before = await stats()
    await capa.inState('closed')
    await capa.draft()
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id, { decision: 'reject', comment: 'Wrong room' }))
    await paper.effective()
    const program = await training.create({ type: 'on_the_job', title: 'Gowning' })
    await training.assign(program.id, ['uma', 'anna'])
    ok(await training.complete('uma', program.id))
    const now = await stats()
    const more = (pick: (of: Json) => number) => pick(now) - pick(before)
    assert.equal(
      more(({ capas: of }) => of.opened),
      2,
    )
    assert.equal(
      more(({ capas: of }) => of.closed),
      1,
    )
    assert.equal(
      more(({ capas: of }) => of.draft_pending),
      1,
    )
    assert.deepEqual(now.capas.effectiveness_rate, { numerator: 1, denominator: 1, rate: 1 })
    assert.equal(now.capas.days_to_close.median, 0)
    assert.equal(
      more(({ documents: of }) => of.rejection_rate.numerator),
      1,
    )
    assert.equal(
      more(({ documents: of }) => of.approval_cycle_days.count),
      1,
    )
    assert.equal(
      more(({ documents: of }) => of.versions_total),
      more(({ documents: of }) => of.total),
    )
    assert.equal(
      now.documents.total,
      now.documents.by_type.reduce((sum: number, { count }: Json) => sum + count, 0),
    )
    assert.equal(
      more(({ training: of }) => of.assigned),
      2,
    )
    assert.equal(
      more(({ training: of }) => of.completed),
      1,
    )
    assert.equal(
      more(({ training: of }) => of.open),
      1,
    )
    const ofProgram = now.training.by_program.find(({ program: its }: Json) => its.id === program.id)
    assert.deepEqual(ofProgram.compliance, { required: 2, trained: 1, overdue: 0, rate: 0.5 })
  })

  it('are of their days, where the tenant is, and of the months that are asked for', async () => {
    const { window, today, creation_trends } = await stats('months=3&date_from=2026-01-01&date_to=2026-01-31')
    assert.deepEqual(window, { date_from: '2026-01-01', date_to: '2026-01-31', time_zone: 'UTC' })
    assert.equal(creation_trends.at(-1).month, today.slice(0, 7))
    assert.equal(creation_trends.length, 3)
    for (const query of [
      'date_from=2026-02-01&date_to=2026-01-31',
      'months=0',
      'months=61',
      'date_from=x',
      'date_to=0001-01-01',
      'date_from=0000-01-01&date_to=0000-01-02',
      'date_from=1970-01-01',
      'of=all',
    ])
      assert.equal((await world.as('quinn').get(`/api/dashboard/stats?${query}`)).statusCode, 422, query)
    for (const [query, field, code] of [
      ['date_from=2026-02-01&date_to=2026-01-31', 'date_from', 'statistics_window_reversed'],
      ['date_to=1900-02-01', 'date_to', 'statistics_window_too_early'],
      ['date_from=1970-01-01', 'date_from', 'statistics_window_too_long'],
    ] as const) {
      const [{ loc, type }] = (await world.as('quinn').get(`/api/dashboard/stats?${query}`)).json().detail
      assert.deepEqual([loc, type], [['query', field], code], query)
    }
  })

  it('are for who may read them, each part for who may read its records', async () => {
    for (const name of ['uma', 'alan', 'anna'])
      assert.equal((await world.as(name).get('/api/dashboard/stats')).statusCode, 403)
    const granted = { granted: ['dashboard.stats'], denied: ['deviations.read'] }
    ok(await world.as('ada').put(`/api/users/${world.people.otto!.id}/permissions`, granted))
    const seen = await stats('', 'otto')
    assert.equal(seen.deviations, null)
    assert.equal(seen.creation_trends[0].deviations, null)
    assert.ok(seen.documents.total > 0)
  })

  it('of one tenant count nothing of another', async () => {
    const { deviations: ours } = await stats('', 'rex')
    assert.equal(ours.opened, 0)
  })
})

describe('the counts that statistics are read from', () => {
  it('are those of the records, whatever several people do at the same moment', async () => {
    assert.deepEqual(await drift(), [])
    const open = await Promise.all(Array.from({ length: 6 }, () => cases.report({ department: 'Packaging' })))
    await Promise.all([
      ...open.map(({ id }, i) =>
        cases.put('petra', id, { department: `Line ${i % 2}`, severity: 'major', change_reason: 'Looked' }),
      ),
      ...open.map(({ id }) =>
        cases.put('petra', id, { status: 'under_investigation', assigned_to: world.people.petra!.id }),
      ),
      capa.inState('in_progress'),
      capa.inState('rejected'),
      paper.effective(),
    ])
    assert.deepEqual(await drift(), [])
  })

  it('are counted anew by the days of another time zone', async () => {
    await setZone('Pacific/Kiritimati')
    await cases.inState('closed')
    assert.deepEqual(await drift(), [])
    const { window } = await stats()
    assert.equal(window.time_zone, 'Pacific/Kiritimati')
    await setZone('UTC')
    assert.deepEqual(await drift(), [])
  })

  /** Changes deviations by statement in a transaction of its own, as a command does, and commits when `until` resolves. */
  /** Ends as `held` does, after it has called `isOpen`. */
  const changing = (
    ids: number[],
    statement: string | undefined,
    { held, isOpen }: { held?: Promise<unknown>; isOpen?: () => void } = {},
  ) =>
    world.database.transaction(
      { tenantId: world.people.uma!.tenant_id, userId: null },
      'read write',
      async tx => {
        await sql`set local lock_timeout = '20s'`.execute(tx)
        if (statement) await sql.raw(statement).execute(tx)
        const by = {
          services: world.services,
          actor: systemActor(world.people.uma!.tenant_id),
          origin: { requestId: '', clientAddr: '' },
        }
        const recorded = ids.map(id => ({ event: 'deviation.updated', id, outcome: 'success' }) as const)
        for (const sink of [auditSink, projectionSink]) await sink(tx, by, recorded)
        if (!isOpen) return
        // Answered behind the counts.
        await sql`select`.execute(tx)
        isOpen()
        await held
      },
      { canRunAgain: true },
    )
  /** `changing`, when it has done all but end; `end` lets it. */
  async function openChange(ids: number[], statement: string) {
    const [held, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const change = changing(ids, statement, { held: held.promise, isOpen: open.resolve })
    await Promise.race([open.promise, change])
    return { change, end: () => held.resolve() }
  }

  it('make nobody wait for another who counts the same', async () => {
    const ids = [(await cases.report()).id, (await cases.report()).id, (await cases.report()).id]
    const rename = (id: number) => `update deviations set department = 'The same' where id = ${id}`
    const first = await openChange([ids[0]!], rename(ids[0]!))
    // The others end while the first is open: one that counts the same, and one that only reads what the first changes.
    await changing([ids[1]!], rename(ids[1]!))
    await changing(ids, undefined)
    first.end()
    await first.change
    assert.deepEqual(await drift(), [])
  })

  it('are exact where two change the same record, and neither locked it', async () => {
    const { id } = await cases.report()
    const line = (transition: string) =>
      `insert into record_history (deviation_id, transition, to_status) values (${id}, '${transition}', 'open')`
    const first = await openChange([id], line('close'))
    const second = changing([id], line('reopen'))
    const isWaiting = async () =>
      (
        await world.rows<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
             and query like '%stat_records%'`,
        )
      )[0]!.n > 0
    // What waits for ever would keep the world from closing, whether this holds or not.
    await until(isWaiting).finally(first.end)
    await Promise.all([first.change, second])
    assert.deepEqual(await drift(), [])
  })

  it('are of their tenant alone, and differ from the records where somebody changed them by hand', async () => {
    const { tenant_id } = world.people.ada!
    const app = new pg.Client(world.postgres.app)
    await app.connect()
    await app.query(`begin; set local app.tenant_id = '${world.people.rex!.tenant_id}'`)
    for (const table of ['stat_counts', 'stat_records', 'stat_zones'])
      assert.equal((await app.query(`delete from ${table} where tenant_id = ${tenant_id}`)).rowCount, 0)
    await app.query('rollback')
    await app.end()
    const planted = `update stat_counts set n = n + 1 where tenant_id = ${tenant_id} and measure = 'documents.created'`
    await world.rows(planted)
    assert.deepEqual(await drift(), ['documents.created'])
    await world.rows(planted.replace('n + 1', 'n - 1'))
    assert.deepEqual(await drift(), [])
    const stored = (from: string, to: string) =>
      `update stat_records set facts = replace(facts::text, '${from}', '${to}')::jsonb where tenant_id = ${tenant_id}
         and resource = 'deviation'`
    await world.rows(stored('deviations.status', 'capas.status'))
    assert.deepEqual(await drift(), ['capas.status', 'deviations.status'])
    await world.rows(stored('capas.status', 'deviations.status'))
    assert.deepEqual(await drift(), [])
  })

  it('are what is read, and not the records, however many there are', async () => {
    await manyRecords(world, 20_000)
    assert.deepEqual(await drift(), [])
    const window = { date_from: dayOf(world, -89), date_to: dayOf(world) }
    const [closed] = await world.rows<{ n: number }>(
      `select count(*)::int as n from deviations where closed_at >= $1::date`,
      [window.date_from],
    )
    const read = await world.database.transaction(
      { tenantId: world.people.ada!.tenant_id, userId: null },
      'read only',
      async tx => {
        // The connection may have cached the earlier value.
        const readUntilNow = async () =>
          (
            await sql<{ n: number }>`select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::bigint as n
              from pg_stat_xact_user_tables where relname not in ('stat_counts', 'stat_zones')`.execute(tx)
          ).rows[0]!.n
        const before = await readUntilNow()
        const zone = await countedZone(tx)
        await countsInWindow(tx, zone, window)
        await countsOfToday(tx, zone)
        await countsByMonth(tx, zone, { date_from: dayOf(world, -364), date_to: dayOf(world) })
        await recurrences(tx, window, zone)
        return (await readUntilNow()) - before
      },
    )
    assert.ok(
      closed!.n < 4000 && read <= 2 * closed!.n + 100,
      `${read} records read, ${closed!.n} closed in the window`,
    )
  })
})
