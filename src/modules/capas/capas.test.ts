// CAPAs are created, read, listed, changed, and approved or rejected as drafts.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { dayIn, daysLater } from '#kernel/day.ts'
import { capas } from '#test/builders/capas.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { nobodysId } from '#test/builders/samples.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { dueDays } from './rules.ts'

let world: World
let capa: ReturnType<typeof capas>
before(async () => {
  world = await openWorld()
  capa = capas(world)
})
after(() => world.close())

const today = () => dayIn('UTC', world.clock.now())
const list = async (query: string) => ok(await world.as('petra').get(`/api/capa/?page_size=100&${query}`))
const idsOf = async (query: string) => (await list(query)).items.map(({ id }: Json) => id) as number[]
const lastEntry = async (id: number, action: string) =>
  ok(
    await world
      .as('otto')
      .get(`/api/audit/?resource_type=capa&resource_id=${id}&action=${action}&sort=id:desc&page_size=1`),
  ).items[0]

async function deviation(fields: object = {}) {
  const moment = world.clock.now().toISOString()
  const report = {
    title: 'Wrong dose',
    description: 'Dosed by hand.',
    severity: 'minor',
    detected_at: moment,
    ...fields,
  }
  return ok(await world.as('uma').post('/api/deviations/', report))
}

describe('a CAPA that is written (proves: CAPA-01, CAPA-02)', () => {
  it('is a draft that awaits approval without linked documents, and open with them', async () => {
    const draft = await capa.draft()
    assert.deepEqual([draft.status, draft.document_ids, draft.approved_at], ['draft', [], null])
    const open = await capa.open()
    assert.deepEqual([open.status, open.document_ids], ['open', [await capa.documentId()]])
    assert.equal((await capa.draft({ document_ids: [] })).status, 'draft')
  })

  it('has all that was said of it, a number of its year, and an entry of the trail that says the same', async () => {
    const actions = [
      { description: 'Order the pump', assigned_to: capa.idOf('anna'), due_date: daysLater(today(), 5) },
      { description: 'Qualify it', assigned_to: capa.idOf('alan') },
    ]
    const reply = await world.as('alan').post(
      '/api/capa/',
      capa.body({
        type: 'both',
        priority: 'high',
        root_cause: 'Dosed by hand',
        adverse_effect_assessment: 'None',
        assigned_to: capa.idOf('petra'),
        actions,
      }),
    )
    const made = ok(reply)
    assert.deepEqual([reply.statusCode, reply.headers.location], [201, `/api/capa/${made.id}`])
    assert.match(made.number, new RegExp(`^CAPA-${today().slice(0, 4)}-\\d{4}$`))
    assert.deepEqual(
      [made.type, made.priority, made.root_cause, made.adverse_effect_assessment, made.assigned_to.username],
      ['both', 'high', 'Dosed by hand', 'None', 'petra'],
    )
    assert.deepEqual(
      made.actions.map(({ description, assigned_to, due_date, status }: Json) => [
        description,
        assigned_to.username,
        due_date,
        status,
      ]),
      [
        ['Order the pump', 'anna', daysLater(today(), 5), 'open'],
        ['Qualify it', 'alan', made.due_date, 'open'],
      ],
    )
    assert.deepEqual(await capa.get('alan', made.id), made)
    const { changes } = await lastEntry(made.id, 'capa.created')
    assert.deepEqual(
      [changes.status.to, changes.root_cause.to, changes.actions.to.length],
      ['draft', 'Dosed by hand', 2],
    )
    const next = await capa.draft()
    assert.equal(Number(next.number.slice(-4)), Number(made.number.slice(-4)) + 1)
  })

  it('is due by its priority, counted from today where the tenant is, or on the day that was said', async () => {
    for (const [priority, days] of Object.entries(dueDays)) {
      const { due_date, original_due_date } = await capa.draft({ priority })
      assert.deepEqual([due_date, original_due_date], [daysLater(today(), days), daysLater(today(), days)])
    }
    assert.equal((await capa.draft()).priority, 'medium')
    assert.equal((await capa.draft({ due_date: today() })).due_date, today())
    const past = await world.as('alan').post('/api/capa/', capa.body({ due_date: daysLater(today(), -1) }))
    assert.deepEqual([past.statusCode, past.json().detail[0].loc], [422, ['body', 'due_date']])
    const late = [{ description: 'Too late', assigned_to: capa.idOf('anna'), due_date: '2199-01-01' }]
    const action = await world.as('alan').post('/api/capa/', capa.body({ actions: late }))
    assert.deepEqual([action.statusCode, action.json().detail[0].loc], [422, ['body', 'actions', 0, 'due_date']])
  })

  it('is given only to people who can work on it', async () => {
    const give = (assigned_to: number) => world.as('alan').post('/api/capa/', capa.body({ assigned_to }))
    assert.equal((await give(nobodysId)).statusCode, 404)
    assert.equal((await give(capa.idOf('rex'))).statusCode, 404)
    const reader = await give(capa.idOf('otto'))
    assert.deepEqual(
      [reader.statusCode, reader.json().code, reader.json().params],
      [409, 'record_assignee_lacks_permission', { username: 'otto', permission: 'capa.update' }],
    )
    const { id: gone } = ok(
      await world.as('ada').post('/api/users/', {
        username: 'gone',
        email: 'gone@example.com',
        full_name: 'Gone Person',
        role_id: Number((await world.rows(`select role_id from users where username = 'anna'`))[0]!.role_id),
        password: 'Purple kettle 47 boats',
      }),
    )
    ok(await world.as('ada').post(`/api/users/${gone}/deactivate`))
    const inactive = await give(gone)
    assert.deepEqual(
      [inactive.statusCode, inactive.json().code, inactive.json().detail],
      [409, 'record_assignee_inactive', 'gone is not active. Choose another person.'],
    )
    const actions = [{ description: 'Read', assigned_to: gone }]
    assert.equal((await world.as('alan').post('/api/capa/', capa.body({ actions }))).statusCode, 409)
  })
})

describe('the links of a CAPA (proves: CAPA-05)', () => {
  it('go to many deviations, and each of these to many CAPAs, from both sides', async () => {
    const [one, two] = [await deviation(), await deviation()]
    const first = await capa.draft({ deviation_ids: [one.id, two.id] })
    const second = await capa.draft({ deviation_ids: [one.id] })
    assert.deepEqual([first.deviation_ids, second.deviation_ids], [[one.id, two.id], [one.id]])
    const seen = ok(await world.as('petra').get(`/api/deviations/${one.id}`))
    assert.deepEqual(seen.capa_ids, [first.id, second.id])
    assert.deepEqual(await idsOf(`deviation_id=${one.id}&sort=id:asc`), [first.id, second.id])
    assert.deepEqual(await idsOf(`deviation_id=${two.id}`), [first.id])
    const changed = ok(await capa.put('alan', first.id, { deviation_ids: [two.id] }))
    assert.deepEqual([changed.deviation_ids, changed.revision], [[two.id], first.revision + 1])
    assert.deepEqual(await idsOf(`deviation_id=${one.id}`), [second.id])
    const unknown = await world.as('alan').post('/api/capa/', capa.body({ deviation_ids: [nobodysId] }))
    assert.equal(unknown.statusCode, 404)
  })
})

describe('a draft CAPA (proves: CAPA-02, CAPA-03)', () => {
  it('is open as soon as QA, a QA Manager or an Admin approves it', async () => {
    for (const name of ['petra', 'quinn', 'ada']) {
      const { id } = await capa.draft()
      const approved = ok(await world.as(name).post(`${capa.url(id)}/approve-draft`, { comment: 'Worth it' }))
      assert.deepEqual([approved.status, approved.approved_by.username], ['open', name])
      assert.ok(approved.approved_at)
      const history = await capa.get('petra', id, '/history')
      assert.deepEqual(
        history.map(({ from, to, reason }: Json) => [from, to, reason]),
        [
          [null, 'draft', null],
          ['draft', 'open', 'Worth it'],
        ],
      )
    }
  })

  it('is approved and rejected by nobody else, and remembers who tried', async () => {
    const { id } = await capa.draft()
    for (const name of ['alan', 'anna', 'uma', 'otto'])
      for (const deed of ['approve-draft', 'reject-draft'])
        assert.equal((await world.as(name).post(`${capa.url(id)}/${deed}`, { comment: 'No' })).statusCode, 403)
    assert.equal((await capa.get('petra', id)).status, 'draft')
  })

  it('that is none any more is neither approved nor rejected: a 409 that says what it is', async () => {
    for (const state of ['open', 'in_progress', 'rejected'] as const) {
      const { id, number } = await capa.inState(state)
      for (const deed of ['approve-draft', 'reject-draft']) {
        const reply = await world.as('petra').post(`${capa.url(id)}/${deed}`, { comment: 'Again' })
        assert.deepEqual(
          [reply.statusCode, reply.json().code, reply.json().params],
          [409, 'capa_not_draft', { number, status: state }],
        )
      }
    }
  })

  it('is rejected with a reason, and that is its end', async () => {
    const { id } = await capa.draft()
    assert.equal((await world.as('petra').post(`${capa.url(id)}/reject-draft`, {})).statusCode, 422)
    const rejected = ok(await world.as('petra').post(`${capa.url(id)}/reject-draft`, { comment: 'A duplicate' }))
    assert.equal(rejected.status, 'rejected')
    assert.equal((await lastEntry(id, 'capa.state_changed')).reason, 'A duplicate')
  })

  it('is changed without a reason; once it has left its first state, not', async () => {
    const { id } = await capa.draft()
    const put = (capaId: number) => world.as('alan').put(capa.url(capaId), { title: `As of ${performance.now()}` })
    ok(await put(id))
    ok(await world.as('petra').post(`${capa.url(id)}/approve-draft`, {}))
    const reply = await put(id)
    const [{ loc, type, msg }] = reply.json().detail
    assert.deepEqual([reply.statusCode, loc, type], [422, ['body', 'change_reason'], 'record_reason_required'])
    assert.equal(msg, 'Enter a reason for the change.')
    ok(await put((await capa.open()).id))
    assert.equal((await put((await capa.inState('in_progress')).id)).statusCode, 422)
  })
})

describe('a CAPA that is changed (proves: CAPA-01)', () => {
  it('counts a revision, keeps what was not said, and the trail says what became what and why', async () => {
    const before = await capa.open()
    const after = ok(await capa.put('alan', before.id, { priority: 'critical', root_cause: 'Known by now' }))
    const { priority, root_cause, revision, updated_at, updated_by, you, ...rest } = after
    assert.deepEqual([priority, root_cause, revision], ['critical', 'Known by now', before.revision + 1])
    for (const [field, value] of Object.entries(rest)) assert.deepEqual(value, before[field], field)
    const { changes, reason } = await lastEntry(before.id, 'capa.updated')
    assert.deepEqual(Object.keys(changes).sort(), ['priority', 'revision', 'root_cause'])
    assert.equal(reason, 'As agreed in the weekly meeting')
  })

  it('refuses a change that was made on an older revision, by the body and by If-Match', async () => {
    const { id, revision } = await capa.open()
    ok(await capa.put('alan', id, { title: 'First', revision }))
    const stale = await capa.put('anna', id, { title: 'Second', revision })
    assert.equal(stale.statusCode, 409)
    assert.match(stale.json().detail, /alan at .*: capa.updated \(title\)/)
    const tagged = await world.as('anna').put(capa.url(id), { title: 'Third' }, { 'if-match': `"${revision}"` })
    assert.equal(tagged.statusCode, 409)
  })

  it('moves its due date by an extension alone, which is counted', async () => {
    const { id, due_date } = await capa.open()
    const reply = await capa.put('petra', id, { due_date: daysLater(due_date, 7) })
    assert.deepEqual([reply.statusCode, reply.json().detail[0].loc], [422, ['body', 'due_date']])
    assert.match(reply.json().detail[0].msg, /extend/)
    ok(await capa.put('petra', id, { due_date }))
    ok(
      await world
        .as('petra')
        .post(`${capa.url(id)}/extend`, { due_date: daysLater(due_date, 7), reason: 'The pump is late' }),
    )
    const moved = await capa.get('petra', id)
    assert.deepEqual(
      [moved.due_date, moved.original_due_date, moved.extension_count],
      [daysLater(due_date, 7), due_date, 1],
    )
  })

  it('stays as it was verified while it awaits its effectiveness review', async () => {
    const { id, number } = await capa.inState('pending_effectiveness')
    for (const change of [{ title: 'Other' }, { assigned_to: capa.idOf('petra') }, { document_ids: [] }, {}]) {
      const reply = await capa.put('quinn', id, change)
      assert.deepEqual(
        [reply.statusCode, reply.json().code, reply.json().params],
        [409, 'capa_awaits_effectiveness_review', { number }],
      )
    }
  })

  it('does all of one request or nothing: fields that came with a refused move are not stored', async () => {
    const { id, revision, title } = await capa.open({ assigned_to: null })
    assert.equal((await capa.put('alan', id, { title: 'Other', status: 'in_progress' })).statusCode, 409)
    const after = await capa.get('alan', id)
    assert.deepEqual([after.revision, after.title], [revision, title])
  })

  it('has an action of which the assignee does not move the due date alone', async () => {
    const [sooner, later] = [daysLater(today(), 5), daysLater(today(), 20)]
    const { id } = await capa.open({
      actions: [{ description: 'Order the pump', assigned_to: capa.idOf('alan'), due_date: sooner }],
    })
    const [action] = (await capa.get('alan', id)).actions
    const moved = (by: string, change: object) => capa.put(by, id, { actions: [{ id: action.id, ...change }] })
    for (const change of [{}, { assigned_to: capa.idOf('anna') }]) {
      const reply = await moved('alan', { due_date: later, ...change })
      assert.deepEqual([reply.statusCode, reply.json().code], [403, 'capa_action_own_due_date'])
    }
    ok(await moved('petra', { due_date: later }))
    ok(await moved('alan', { due_date: sooner }))
  })
})

describe('the list of CAPAs (proves: CAPA-01)', () => {
  it('is narrowed by each filter, and counts open and done actions', async () => {
    const document = await capa.documentId()
    const made = await capa.inState('in_progress', {
      title: 'Needle in 100%_stacks',
      priority: 'critical',
      type: 'preventive',
      source: 'supplier',
      assigned_to: capa.idOf('quinn'),
      actions: [
        { description: 'One', assigned_to: capa.idOf('anna') },
        { description: 'Two', assigned_to: capa.idOf('anna') },
      ],
    })

    const [done, other] = made.actions
    ok(
      await capa.put('petra', made.id, {
        actions: [{ id: done.id, status: 'done', evidence: 'Here' }, { id: other.id }],
      }),
    )
    for (const query of [
      'q=100%25_stack',
      `q=${made.number}`,
      'priority=critical&source=supplier',
      'type=preventive',
      'status=in_progress&source=supplier',
      `assigned_to=${capa.idOf('quinn')}`,
      `document_id=${document}&source=supplier`,
      `date_from=${today()}&date_to=${today()}&source=supplier`,
      `due_before=${daysLater(made.due_date, 1)}&source=supplier`,
      'overdue=false&source=supplier',
    ])
      assert.ok((await idsOf(query)).includes(made.id), query)
    for (const query of [
      'q=zzz',
      'status=closed&source=supplier',
      'overdue=true',
      `due_before=${made.due_date}&source=supplier`,
    ])
      assert.ok(!(await idsOf(query)).includes(made.id), query)
    const [line] = (await list(`q=${made.number}`)).items
    assert.deepEqual(line.action_counts, { open: 1, done: 1, cancelled: 0 })
  })

  it('is sorted by what a person would sort by, priorities by how urgent they are', async () => {
    const { items } = await list('sort=priority:desc')
    const ranks = items.map(({ priority }: Json) => Object.keys(dueDays).indexOf(priority))
    assert.deepEqual(
      ranks,
      [...ranks].sort((a: number, b: number) => a - b),
    )
    assert.equal((await world.as('petra').get('/api/capa/?sort=root_cause')).statusCode, 422)
  })
})
