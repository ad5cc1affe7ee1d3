import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assignments, daysGoBy } from '#test/builders/assignments.ts'
import { capas } from '#test/builders/capas.ts'
import { dayFromNow } from '#test/builders/cases.ts'
import { deviations } from '#test/builders/deviations.ts'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { gatedDocuments } from '#test/builders/gates.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
before(async () => {
  world = await openWorld()
})
after(() => world.close())

const get = async (by: string, path: string): Promise<Json> => ok(await world.as(by).get(`/api/dashboard/${path}`))
const ids = (items: Json[], kind?: string) => items.filter(each => !kind || each.kind === kind).map(({ id }) => id)
const due = (table: string, id: number, day: string) =>
  behindTheApi(world, table, `update ${table} set due_date = $2 where id = $1`, [id, day])

describe('what is assigned to a person (proves: DASH-01)', () => {
  it('is their training, deviations and CAPAs, with what is to be done, by which request', async () => {
    const { program, assign } = assignments(world)
    const training = await program()
    await assign({ training_id: training.id, user_ids: [world.people.petra!.id] })
    const deviation = await deviations(world).inState('under_investigation')
    const capa = await capas(world).open({
      assigned_to: world.people.petra!.id,
      actions: [{ description: 'Fit a pump', assigned_to: world.people.petra!.id }],
    })
    const mine = await get('petra', 'assigned-items')
    const task = mine.training.find((each: Json) => each.number === training.number)
    assert.deepEqual(
      { kind: task.kind, title: task.title, reason: task.reason, task: task.task, overdue: task.is_overdue },
      {
        kind: 'training_assignment',
        title: training.title,
        reason: 'assigned_to_you',
        task: { method: 'POST', path: `/api/training/${training.id}/complete` },
        overdue: false,
      },
    )
    ok(await world.as('petra').get(task.link))
    assert.deepEqual(ids(mine.deviations), [deviation.id])
    assert.deepEqual(mine.deviations[0].task, { method: 'PUT', path: `/api/deviations/${deviation.id}` })
    assert.equal(mine.deviations[0].person.username, 'petra')
    assert.deepEqual(new Set(mine.capas.map((each: Json) => each.kind)), new Set(['capa', 'capa_action']))
    assert.ok(ids(mine.capas, 'capa').includes(capa.id))
    assert.deepEqual(mine.counts, { training: 1, deviations: 1, capas: 2, controlled_copies: 0, overdue: 0 })
    for (const { link } of [...mine.deviations, ...mine.capas]) ok(await world.as('petra').get(link))
  })

  it('is what an assignment to their group made theirs, until they have done it by the request that it names', async () => {
    const { program, group, assign } = assignments(world)
    const [training, { id }] = [await program(), await group('uma')]
    await assign({ training_id: training.id, group_ids: [id] })
    await world.work()
    const { training: before } = await get('uma', 'assigned-items')
    const { task } = before.find((each: Json) => each.number === training.number)
    ok(await world.as('uma').post(task.path, {}))
    const { training: then } = await get('uma', 'assigned-items')
    assert.ok(!then.some((each: Json) => each.number === training.number))
  })

  it('is nothing of another person, and nothing of a kind that they may not read', async () => {
    const { id } = await capas(world).open()
    assert.ok(ids((await get('alan', 'assigned-items')).capas, 'capa').includes(id))
    assert.deepEqual((await get('uma', 'assigned-items')).capas, [])
    assert.deepEqual((await get('quentin', 'assigned-items')).deviations, [])
  })

  it('counts all of it, however few are shown, the soonest due first', async () => {
    const { report, put } = deviations(world)
    for (const severity of ['minor', 'critical', 'major']) {
      const { id } = await report({ severity })
      ok(await put('petra', id, { assigned_to: world.people.anna!.id }))
    }
    const { deviations: some, counts } = await get('anna', 'assigned-items?limit=2')
    assert.equal(counts.deviations, 3)
    assert.deepEqual(
      some.map((each: Json) => each.urgency),
      ['critical', 'major'],
    )
  })
})

describe('what awaits a decision (proves: DASH-02)', () => {
  const pending = (by: string) => get(by, 'pending-approvals')
  const documentsOf = async (by: string) => ids((await pending(by)).documents)

  it('is a document of whoever may approve it now: not its author, nor who has approved it', async () => {
    const { submitted, approve } = papers(world)
    const { id } = await submitted()
    for (const [name, may] of Object.entries({ petra: true, quentin: true, alan: false, uma: false, otto: false }))
      assert.equal((await documentsOf(name)).includes(id), may, name)
    const item = (await pending('petra')).documents.find((each: Json) => each.id === id)
    assert.equal(item.person.username, 'alan')
    assert.equal(item.reason, 'yours_to_decide')
    ok(await world.as('petra').get(item.link))
    ok(await world.as('petra').post(item.task.path, {}))
    assert.ok(!(await documentsOf('petra')).includes(id), 'who reviewed an SOP does not approve it')
    assert.ok((await documentsOf('quentin')).includes(id))
    ok(await approve('quentin', id))
    assert.ok(!(await documentsOf('quentin')).includes(id))
    assert.ok(!(await documentsOf('quinn')).includes(id))
  })

  it('says of each person and document what the workflow of the document says', async () => {
    const { submitted, approve } = papers(world)
    const names = ['ada', 'quinn', 'petra', 'quentin', 'alan', 'anna', 'uma']
    const made = [
      (await submitted()).id,
      (await submitted({ by: 'alan', type: 'General document' })).id,
      (await submitted({ type: 'Policy' })).id,
    ]
    ok(await approve('petra', made[0]!))
    await world.as('quentin').post(`/api/documents/${made[1]}/delegate`, { to: world.people.quinn!.id, reason: 'Away' })
    for (const name of names) {
      const listed = await documentsOf(name)
      for (const id of made) {
        const reply = await world.as(name).get(`/api/documents/${id}/workflow`)
        const may = reply.statusCode === 200 && reply.json().you.may.includes('approve')
        assert.equal(listed.includes(id), may, `${name} and document ${id}`)
      }
    }
  })

  it('is a part that was handed to them, and no more what they handed on', async () => {
    const { submitted } = papers(world)
    const { id } = await submitted()
    ok(await world.as('petra').post(`/api/documents/${id}/delegate`, { to: world.people.quinn!.id, reason: 'Away' }))
    assert.ok(!(await documentsOf('petra')).includes(id))
    assert.ok((await documentsOf('quinn')).includes(id))
  })

  it('is a document whose approval was configured for them alone', async () => {
    const { upload, move } = papers(world)
    const { id } = await upload()
    ok(
      await world.as('quinn').post(`/api/documents/${id}/configure-approval`, {
        ...{ transition: 'review', change_reason: 'A colleague is absent' },
        approvers: [{ kind: 'user', who: world.people.quentin!.id }],
      }),
    )
    ok(await move('alan', id, 'submit'))
    assert.ok((await documentsOf('quentin')).includes(id))
    assert.ok(!(await documentsOf('petra')).includes(id))
  })

  it('is no document about which nobody decides without a training that they lack', async () => {
    const { type, draft, complete } = gatedDocuments(world)
    const training = await assignments(world).program()
    const gated = await type({ training_gate: 'before_sign', signing_program_ids: [training.id] })
    const { id } = await draft(gated.id)
    ok(await papers(world).move('alan', id, 'submit'))
    assert.ok(!(await documentsOf('quentin')).includes(id))
    await assignments(world).assign({ training_id: training.id, user_ids: [world.people.quentin!.id] })
    await complete('quentin', training.id)
    assert.ok((await documentsOf('quentin')).includes(id))
  })

  it('is a deviation that awaits its closure, but not of who reported it or is assigned to it', async () => {
    const { id } = await deviations(world).inState('pending_approval', { by: 'quinn' })
    const listed = async (by: string) => ids((await pending(by)).deviations).includes(id)
    assert.ok(await listed('quentin'))
    assert.ok(!(await listed('quinn')), 'she reported it')
    assert.ok(!(await listed('petra')), 'she is assigned to it')
    assert.ok(!(await listed('uma')))
    const { task } = (await pending('quentin')).deviations.find((each: Json) => each.id === id)
    ok(await world.as('quentin').put(task.path, { status: 'closed', change_reason: 'Complete' }))
    assert.ok(!(await listed('quentin')))
  })

  it('is a draft CAPA, but not of its writer, and an Admin only where Admins approve', async () => {
    const { draft } = capas(world)
    const [one, own] = [await draft({}, 'quinn'), await draft({}, 'ada')]
    const listed = async (by: string) => ids((await pending(by)).draft_capas)
    assert.ok((await listed('petra')).includes(one.id))
    assert.ok(!(await listed('quinn')).includes(one.id))
    assert.ok((await listed('ada')).includes(own.id))
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: false }))
    assert.ok(!(await listed('ada')).includes(own.id))
    assert.deepEqual((await pending('ada')).documents, [])
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: true }))
    const { task } = (await pending('petra')).draft_capas.find((each: Json) => each.id === one.id)
    ok(await world.as('petra').post(task.path, {}))
    assert.ok(!(await listed('petra')).includes(one.id))
  })
})

describe('what is overdue, and what is due within 24 hours (proves: DASH-03, DASH-04)', () => {
  const listed = async (by: string, path: string, kind = 'deviation') => ids((await get(by, path)).items, kind)

  it('ends a day where the tenant is: due today is approaching, due yesterday is overdue, due tomorrow is neither', async () => {
    const { report } = deviations(world)
    const made = [await report(), await report(), await report()]
    const days = [-1, 0, 1]
    for (const [i, { id }] of made.entries()) await due('deviations', id, dayFromNow(world, days[i]!))
    const [overdue, approaching] = [await listed('uma', 'overdue-items'), await listed('uma', 'approaching-deadlines')]
    assert.deepEqual(
      made.map(({ id }) => [overdue.includes(id), approaching.includes(id)]),
      [
        [true, false],
        [false, true],
        [false, false],
      ],
    )
  })

  it('goes by the day of the tenant, which may be another than that of the service', async () => {
    const { id } = await deviations(world).report()
    const zone = (time_zone: string) => world.as('ada').put('/api/settings/', { time_zone }).then(ok)
    // The two zones are 24 hours apart, so the second is always one day behind.
    await zone('Pacific/Kiritimati')
    const { today } = await get('uma', 'overdue-items')
    await due('deviations', id, new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10))
    assert.ok((await listed('uma', 'overdue-items')).includes(id))
    await zone('Pacific/Honolulu')
    assert.ok(!(await listed('uma', 'overdue-items')).includes(id))
    assert.ok((await listed('uma', 'approaching-deadlines')).includes(id))
    await zone('UTC')
  })

  it('leaves out what is finished', async () => {
    const { report, put } = deviations(world)
    const { id } = await report()
    await due('deviations', id, dayFromNow(world, -2))
    assert.ok((await listed('petra', 'overdue-items')).includes(id))
    ok(await put('petra', id, { status: 'cancelled', change_reason: 'A mistake' }))
    assert.ok(!(await listed('petra', 'overdue-items')).includes(id))
  })

  it('has every kind that has a day, for those who may read it, and says which are theirs', async () => {
    const { program, assign } = assignments(world)
    const training = await program()
    await assign({ training_id: training.id, user_ids: [world.people.uma!.id] })
    const started = await capas(world).inState('in_progress')
    ok(await capas(world).plan('petra', started.id, { due_date: dayFromNow(world, 40) }))
    const reviewed = await papers(world).effective()
    await behindTheApi(
      world,
      'document_versions',
      'update document_versions set review_due_date = $2 where document_id = $1',
      [reviewed.id, dayFromNow(world, 40)],
    )
    const waiting = await papers(world).submitted()
    await behindTheApi(
      world,
      'document_versions',
      'update document_versions set approval_due_date = $2 where document_id = $1',
      [waiting.id, dayFromNow(world, 1)],
    )
    daysGoBy(world, 400)
    const all = await get('quinn', 'overdue-items?page_size=100')
    const kinds = new Set(all.items.map(({ kind }: Json) => kind))
    assert.deepEqual(
      kinds,
      new Set([
        ...['training_assignment', 'deviation', 'capa', 'capa_action', 'effectiveness_review'],
        ...['document_approval', 'document_review'],
      ]),
    )
    const days = all.items.map(({ due_date }: Json) => due_date)
    assert.deepEqual(days, days.toSorted())
    for (const item of all.items) {
      assert.equal((await world.as('quinn').get(item.link)).statusCode, 200, item.link)
      assert.equal(item.task === null || item.is_yours, true)
    }
    const ofUma = await get('uma', 'overdue-items?page_size=100')
    assert.ok(!ofUma.items.some(({ kind }: Json) => ['capa', 'capa_action', 'effectiveness_review'].includes(kind)))
    assert.ok(!ids(ofUma.items, 'document_approval').includes(waiting.id), 'she reads no drafts')
    const [own] = ofUma.items.filter(({ number }: Json) => number === training.number)
    assert.deepEqual([own.is_yours, own.is_overdue, own.reason], [true, true, 'assigned_to_you'])
    const others = ofUma.items.filter(
      ({ kind, person }: Json) => kind === 'training_assignment' && person.username !== 'uma',
    )
    assert.deepEqual(others, [])
    const yours = await get('quentin', 'overdue-items?yours=true&page_size=100')
    assert.ok(yours.items.every(({ is_yours }: Json) => is_yours))
    assert.ok(ids(yours.items, 'document_approval').includes(waiting.id), 'he may decide about it')
    assert.equal(yours.items.find(({ kind }: Json) => kind === 'document_approval').reason, 'yours_to_decide')
  })

  it('counts each kind on all pages, and has each item on one page', async () => {
    const all = await get('quinn', 'overdue-items?page_size=100')
    assert.equal(all.total, all.items.length)
    assert.equal(
      Object.values<number>(all.counts).reduce((sum, each) => sum + each, 0),
      all.total,
    )
    const pages: Json[] = []
    for (let page = 1; page <= Math.ceil(all.total / 3); page += 1)
      pages.push(...(await get('quinn', `overdue-items?page_size=3&page=${page}`)).items)
    assert.deepEqual(pages, all.items)
    const some = await get('quinn', 'overdue-items?kind=capa&page_size=100')
    assert.equal(some.total, all.counts.capa)
    assert.deepEqual(
      some.items,
      all.items.filter(({ kind }: Json) => kind === 'capa'),
    )
  })

  it('is of one tenant alone', async () => {
    assert.equal((await get('rita', 'overdue-items')).total, 0)
    assert.equal((await get('rita', 'approaching-deadlines')).total, 0)
  })
})
