// The list behind each figure has as many records as the figure says, and the window before has its own figures.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { manyRecords } from '#test/builders/many-records.ts'
import { rebuildStatistics } from '#test/builders/statistics.ts'
import { trainings } from '#test/builders/training.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
before(async () => {
  world = await openWorld({ LOG_LEVEL: 'error' })
  const [cases, capa, paper, training] = [deviations(world), capas(world), papers(world), trainings(world)]
  await cases.inState('closed', { category: 'cleaning' })
  await cases.inState('pending_approval', { severity: 'critical', department: 'Filling' })
  for (const state of [
    'closed',
    'in_progress',
    'pending_effectiveness',
    'rejected',
    'in_progress',
    'in_progress',
  ] as const)
    await capa.inState(state)
  await capa.draft()
  await paper.effective()
  await paper.effective()
  await paper.submitted()
  const program = await training.create({ type: 'on_the_job', title: 'Gowning' })
  await training.assign(program.id, ['uma', 'anna', 'alan', 'petra'])
  ok(await training.complete('uma', program.id))
  await manyRecords(world, 600)
  // Dates around every bound of a window and of an age, which no command could set.
  const { tenant_id } = world.people.ada!
  await world.rows(`set session_replication_role = replica; set app.tenant_id = '${tenant_id}'`)
  await world.rows(`update capas set due_date = current_date - (id % 4 * 31 - 1)::int where tenant_id = ${tenant_id}`)
  await world.rows(
    `update training_assignments set due_date = current_date - (id % 3 * 8)::int where status = 'assigned' and tenant_id = ${tenant_id}`,
  )
  await world.rows(
    `update document_versions set review_due_date = current_date + (case when id % 2 = 0 then -1 else 30 end)
     where status_kind = 'effective' and tenant_id = ${tenant_id}`,
  )
  await world.rows(
    `update deviations set reported_at = date_trunc('day', now()) - n % 3 * 30 * interval '1 day' - (n % 2) * interval '1 microsecond'
     from (select id, row_number() over (order by id) as n from deviations) o where o.id = deviations.id and n % 4 = 0 and tenant_id = ${tenant_id}`,
  )
  // Something happened to some of them, so that each figure counts.
  const some = `tenant_id = ${tenant_id} and id % 5 = 0`
  const someVersions = `tenant_id = ${tenant_id} and id % 2 = 0`
  for (const statement of [
    `update deviations set extension_count = 1 where ${some}`,
    `update capas set extension_count = 1 where ${some}`,
    `update capas set due_date = current_date where status = 'closed' and tenant_id = ${tenant_id}`,
    `update document_versions set submitted_at = now() - interval '20 days' where status_kind = 'review' and tenant_id = ${tenant_id}`,
    `insert into record_history (deviation_id, transition, to_status)
     select id, 'reopen', 'open' from deviations where ${some}`,
    `insert into record_history (capa_id, transition, to_status)
     select id, 'not_effective', 'in_progress' from capas where ${some}`,
    `insert into document_history (document_id, version_id, round, transition, to_status, trigger)
     select document_id, id, 1, 'reject', 'draft', 'user' from document_versions where ${someVersions}`,
    `insert into document_reviews (document_id, version_id, due_date, outcome, comment, reviewer_id, signature_id, decided_at)
     select document_id, id, current_date, 'keep_effective', 'Still right', 1, 1, now() from document_versions where ${someVersions}`,
    `insert into training_attempts (assignment_id, attempt_number, quiz_id, answers, score, passed)
     select id, 1, 1, '[]', 100, id % 2 = 0 from training_assignments where tenant_id = ${tenant_id}`,
  ])
    await world.rows(statement)
  await world.rows('reset session_replication_role; reset app.tenant_id')
  await rebuildStatistics(world.database, tenant_id)
})
after(() => world.close())

const stats = async (query = '', by = 'quinn'): Promise<Json> =>
  ok(await world.as(by).get(`/api/dashboard/stats?${query}`))

/** The number at a place of the answer; of several lines that with the key. */
function figureAt(answer: Json, figure: string, key: string | null): number {
  const path = figure.split('.')
  if (/^\d{4}-\d\d$/.test(key ?? '')) {
    const months = path.slice(0, -1).reduce((value: Json, name) => value[name], answer)
    return months.find(({ month }: Json) => month === key)[path.at(-1)!]
  }
  const found = path.reduce((value: Json, name) => value[name], answer)
  if (key === null) return found
  const line = found.find((each: Json) => String(each.document_type?.id ?? each.from_days ?? each.key) === key)
  return line.count
}

const windows = [
  '',
  'date_from=2020-01-01',
  `date_to=${new Date(Date.now() - 86_400_000 * 60).toISOString().slice(0, 10)}`,
]

describe('the list behind a figure (proves: DASH-05)', () => {
  const follow = async () => {
    const seen = new Map<string, number>()
    for (const window of windows) {
      const answer = await stats(window)
      for (const { figure, key, list } of answer.lists) {
        const reply = await world.as('quinn').get(`${list}${list.includes('?') ? '&' : '?'}page_size=1`)
        assert.equal(reply.statusCode, 200, list)
        const { total } = ok(reply)
        assert.equal(total, figureAt(answer, figure, key), `${figure} ${key ?? ''} ${list}`)
        seen.set(figure, Math.max(seen.get(figure) ?? 0, total))
      }
    }
    return seen
  }

  it('has as many records as the figure says, of every figure that counts records', async () => {
    const seen = await follow()
    const empty = [...seen].filter(([, most]) => most === 0).map(([figure]) => figure)
    assert.deepEqual(empty, [], 'a list of nothing proves nothing')
    for (const figure of [
      'documents.overdue_reviews',
      'documents.pending_approvals',
      'deviations.ageing',
      'capas.overdue_ageing',
      'training.completed',
    ])
      assert.ok(seen.has(figure), figure)
  })

  it('is of the days where the tenant is', async () => {
    const { revision } = ok(await world.as('ada').get('/api/settings'))
    ok(
      await world.as('ada').put('/api/settings', { time_zone: 'Pacific/Kiritimati', revision, change_reason: 'Moved' }),
    )
    assert.equal((await stats()).window.time_zone, 'Pacific/Kiritimati')
    await follow()
  })

  it('is of documents only where the reader sees all of them, and of no part that is not read', async () => {
    const { id } = world.people.otto!
    const partsOf = async () => new Set((await stats('', 'otto')).lists.map(({ figure }: Json) => figure.split('.')[0]))
    assert.deepEqual([...(await partsOf())], ['documents', 'deviations', 'capas', 'training', 'creation_trends'])
    const denied = ['documents.read_drafts', 'capa.read']
    ok(await world.as('ada').put(`/api/users/${id}/permissions`, { granted: [], denied }))
    assert.deepEqual([...(await partsOf())], ['deviations', 'training'])
    const ask = (figure: string, by = 'otto') => world.as(by).get(`/api/dashboard/records?figure=${figure}`)
    assert.equal((await ask('documents.pending_approvals')).statusCode, 403)
    assert.equal((await ask('capas.sent_back_rate.numerator')).statusCode, 403)
    assert.equal((await ask('deviations.reopen_rate.numerator', 'uma')).statusCode, 403)
  })

  it('names each record, and the day by which it counts', async () => {
    const read = async (query: string) => ok(await world.as('quinn').get(`/api/dashboard/records?${query}`))
    const pending = await read('figure=documents.pending_approvals&page_size=100')
    const submitted = ok(
      await world.as('quinn').get('/api/documents/?status=in_review&status=in_approval&page_size=100'),
    )
    assert.deepEqual(
      pending.items.map(({ number }: Json) => number).sort(),
      submitted.items.map(({ number }: Json) => number).sort(),
    )
    const [{ resource_type, person, day }] = pending.items
    assert.deepEqual([resource_type, person], ['document', null])
    assert.match(day, /^\d{4}-\d\d-\d\d$/)
    const training = await read('figure=training.completed')
    assert.equal(training.items[0].person.username, 'uma')
    assert.equal((await world.as('quinn').get('/api/dashboard/records?figure=documents.by_status')).statusCode, 422)
    assert.equal((await world.as('quinn').get('/api/dashboard/records?figure=nonsense')).statusCode, 422)
    assert.equal((await read('figure=documents.pending_ageing&key=nonsense')).total, 0)
  })
})

describe('the window before (proves: DASH-05)', () => {
  it('is as long, ends the day before, and has the figures that it has when it is asked for itself', async () => {
    assert.equal((await stats()).previous, null)
    const { window, previous } = await stats('date_from=2026-03-01&date_to=2026-03-31&compare=previous')
    assert.equal(window.date_from, '2026-03-01')
    assert.deepEqual(previous.window, { date_from: '2026-01-29', date_to: '2026-02-28' })
    const now = await stats('compare=previous')
    const { date_from, date_to } = now.previous.window
    const before = await stats(`date_from=${date_from}&date_to=${date_to}`)
    assert.ok(now.previous.deviations.opened > 0)
    for (const part of ['documents', 'deviations', 'capas', 'training'])
      for (const [figure, value] of Object.entries(now.previous[part]))
        assert.deepEqual(value, before[part][figure], `${part}.${figure}`)
    assert.ok(!('open' in now.previous.deviations) && !('overdue' in now.previous.capas))
    assert.equal((await world.as('quinn').get('/api/dashboard/stats?compare=next')).statusCode, 422)
  })

  it('has no part that the caller may not read', async () => {
    const { previous } = await stats('compare=previous', 'otto')
    assert.equal(previous.capas, null)
    assert.ok(previous.deviations)
  })
})

it('causes are in the order of their number, up to all that are known (proves: DASH-05)', async () => {
  const { deviations: of } = await stats('date_from=2020-01-01')
  const known = of.by_root_cause.filter(({ key }: Json) => key !== null)
  assert.ok(known.length > 0)
  assert.deepEqual(
    of.pareto_of_causes.map(({ key, count }: Json) => ({ key, count })),
    known,
  )
  const { numerator, denominator, rate } = of.pareto_of_causes.at(-1).cumulative
  assert.deepEqual([numerator, rate], [denominator, 1])
})
