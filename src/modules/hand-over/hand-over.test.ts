// The open work of a person who leaves: it is listed, handed over record by record, and shown where it stays with nobody.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { takersInOrder } from './rules.ts'

let world: World
before(async () => {
  world = await openWorld()
})
after(() => world.close())

const idOf = (name: string) => world.people[name]!.id
const openWork = async (name: string) => ok(await world.as('ada').get(`/api/users/${idOf(name)}/open-work`))
const orphaned = async (by = 'quinn') => ok(await world.as(by).get('/api/dashboard/orphaned-items?limit=100'))
const entriesOf = (action: string, id: number) =>
  world.rows<Json>(
    `select e.reason, e.changes, u.username from audit_entries e join users u on u.id = e.user_id
      where action = $1 and resource_id = $2 order by e.id desc`,
    [action, id],
  )

const work: Record<string, Json> = {}

/** Work of each kind for Petra, and some that she does not leave behind. */
async function petraWorks() {
  const [dev, capa, paper] = [deviations(world), capas(world), papers(world)]
  const petra = idOf('petra')
  work.deviation = await dev.report()
  ok(await dev.put('quinn', work.deviation.id, { assigned_to: petra }))
  work.closing = await dev.inState('pending_approval')
  work.capa = await capa.open({ assigned_to: petra, actions: [{ description: 'Fit a pump', assigned_to: petra }] })
  // Quentin owned this CAPA once, so he may not judge it.
  const judged = await capa.open({ assigned_to: idOf('quentin') })
  ok(await capa.put('quinn', judged.id, { assigned_to: idOf('alan') }))
  work.review = ok(await capa.plan('quinn', judged.id, { reviewer_id: petra }))
  work.judged = judged
  work.document = await paper.upload({ by: 'petra' })
  work.waiting = await paper.upload()
  ok(
    await world.as('quinn').post(`/api/documents/${work.waiting.id}/configure-approval`, {
      transition: 'review',
      approvers: [{ kind: 'user', who: [petra], count: 1 }],
      change_reason: 'She knows the line',
    }),
  )
  ok(await paper.move('alan', work.waiting.id, 'submit'))
}

// proves: DEV-01, CAPA-01, DOC-05, DASH-01, AUD-01
describe('the open work of a person who leaves', () => {
  before(petraWorks)

  it('is listed for the people who manage users, and for no other', async () => {
    const { user, is_active, items, counts } = await openWork('petra')
    assert.deepEqual([user.username, is_active], ['petra', true])
    assert.deepEqual(counts, {
      ...{ deviation: 1, capa: 1, capa_action: 1, effectiveness_review: 1, document: 1, document_approval: 1 },
      ...{ controlled_copy: 0, service_account: 0 },
    })
    for (const { link } of items) ok(await world.as('quinn').get(link))
    const { id } = world.people.petra!
    const takers = async (query: string) =>
      ok(await world.as('ada').get(`/api/users/${id}/open-work?${query}`)).takers.map((each: Json) => [
        each.kind,
        each.person?.username ?? null,
      ])
    const kinds = ['deviation', 'capa', 'capa_action', 'effectiveness_review', 'document', 'document_approval']
    assert.deepEqual(
      await takers(''),
      kinds.map(kind => [kind, null]),
      'no role takes over here',
    )
    assert.deepEqual(
      await takers(`successor_id=${idOf('quentin')}`),
      kinds.map(kind => [kind, 'quentin']),
    )
    const byAlan = Object.fromEntries(await takers(`successor_id=${idOf('alan')}`))
    assert.deepEqual([byAlan.document, byAlan.document_approval], ['alan', null])
    assert.equal((await world.as('ada').get(`/api/users/${id}/open-work?successor_id=${id}`)).statusCode, 409)
    assert.equal((await world.as('quinn').get(`/api/users/${id}/open-work`)).statusCode, 403)
    assert.equal((await world.as('rex').get(`/api/users/${id}/open-work`)).statusCode, 404)
  })

  it('stays with an active user, and goes to an active one of this company alone', async () => {
    const [petra, hand] = [
      idOf('petra'),
      (id: number, body: object) => world.as('ada').post(`/api/users/${id}/hand-over`, body),
    ]
    const reason = { change_reason: 'A long leave' }
    const codes = [
      await hand(petra, { ...reason, successor_id: idOf('quentin') }),
      await hand(petra, { ...reason, successor_id: petra }),
      await world.as('ada').post(`/api/users/${petra}/deactivate`, { successor_id: petra }),
    ].map(reply => [reply.statusCode, reply.json().code])
    assert.deepEqual(codes, [
      [409, 'hand_over_user_active'],
      [409, 'hand_over_to_leaver'],
      [409, 'hand_over_to_leaver'],
    ])
    const foreign = await world
      .as('ada')
      .post(`/api/users/${petra}/deactivate`, { successor_id: world.people.rita!.id })
    assert.equal(foreign.statusCode, 404)
    assert.equal((await openWork('petra')).is_active, true, 'a refused deactivation changes nothing')
  })

  it('goes to the successor record by record, each with its entry, and stays where they may not do it', async () => {
    const petra = idOf('petra')
    const reply = ok(
      await world.as('ada').post(`/api/users/${petra}/deactivate`, {
        successor_id: idOf('quentin'),
        change_reason: 'Left the company',
      }),
    )
    assert.equal(reply.hand_over.total, 6)
    await world.work()
    const job = ok(await world.as('ada').get(reply.hand_over.href))
    assert.deepEqual([job.status, job.done, job.skipped], ['completed', 5, 1])

    const said = 'Handed over from petra, who was deactivated, to quentin: Left the company'
    const [deviation] = await entriesOf('deviation.updated', work.deviation.id)
    assert.deepEqual(
      [deviation.username, deviation.reason, deviation.changes.assigned_to],
      ['ada', said, { from: 'petra', to: 'quentin' }],
    )
    const capa = ok(await world.as('quinn').get(`/api/capa/${work.capa.id}`))
    assert.deepEqual([capa.assigned_to.username, capa.actions[0].assigned_to.username], ['quentin', 'quentin'])
    assert.deepEqual(
      (await entriesOf('capa.updated', work.capa.id)).map(each => each.reason),
      [said, said],
    )
    const [document] = await entriesOf('document.updated', work.document.id)
    assert.deepEqual([document.reason, document.changes.owner], [said, { from: 'petra', to: 'quentin' }])
    const [delegated] = await entriesOf('document.delegated', work.waiting.id)
    assert.deepEqual([delegated.reason, delegated.changes.to.to], [said, 'quentin'])
    ok(await papers(world).approve('quentin', work.waiting.id))
    const [summary] = await entriesOf('user.work_handed_over', petra)
    assert.deepEqual([summary.changes.taken.to, summary.changes.left.to], ['quentin: 5', 1])
    const told = ok(await world.as('quentin').get('/api/notifications/?page_size=100')).items
    assert.ok(told.some(({ type }: Json) => type === 'work_handed_over'))

    const { counts } = await openWork('petra')
    assert.deepEqual([counts.effectiveness_review, counts.deviation, counts.capa_action], [1, 0, 0])
    const closing = ok(await world.as('quinn').get(`/api/deviations/${work.closing.id}`))
    assert.equal(closing.assigned_to.username, 'petra', 'a new assignee could no longer close it')
  })

  it('that stays is on the list of orphaned items, for the people who may give it to somebody', async () => {
    const { capas, deviations, counts } = await orphaned()
    assert.deepEqual([capas.length, deviations.length, counts.capas], [1, 0, 1])
    const [item] = capas
    assert.deepEqual(
      [item.kind, item.number, item.person.username, item.reason, item.task.method],
      ['effectiveness_review', work.judged.number, 'petra', 'yours_to_assign', 'PUT'],
    )
    for (const by of ['alan', 'uma', 'otto']) assert.equal((await orphaned(by)).counts.capas, 0, by)
    assert.equal((await orphaned('rex')).counts.capas, 0)
  })

  it('is offered to people with the role of the settings, those with the role itself before Admins', async () => {
    const hand = () =>
      world.as('ada').post(`/api/users/${idOf('petra')}/hand-over`, { change_reason: 'A reviewer is needed' })
    assert.equal((await hand()).json().code, 'hand_over_to_nobody')
    const unknown = await world.as('ada').put('/api/settings/', { hand_over_role: 'Nobody' })
    assert.equal(unknown.statusCode, 404)
    ok(await world.as('ada').put('/api/settings/', { hand_over_role: 'QA Manager' }))
    ok(await hand())
    await world.work()
    const review = ok(await world.as('quinn').get(`/api/capa/${work.judged.id}/effectiveness/${work.review.id}`))
    assert.equal(review.reviewer.username, 'quinn')
    assert.equal((await orphaned()).counts.capas, 0)
    assert.equal((await hand()).json().code, 'hand_over_nothing_open')
  })

  it('is kept by a user who comes back before the job begins', async () => {
    const dev = deviations(world)
    const { id } = await dev.report()
    ok(await dev.put('quinn', id, { assigned_to: idOf('anna') }))
    const { hand_over } = ok(await world.as('ada').post(`/api/users/${idOf('anna')}/deactivate`))
    assert.equal(hand_over.total, 2, 'an action of a CAPA is hers too')
    ok(await world.as('ada').post(`/api/users/${idOf('anna')}/reactivate`))
    await world.work()
    assert.equal(ok(await world.as('quinn').get(`/api/deviations/${id}`)).assigned_to.username, 'anna')
  })
})

describe('the people to whom work is offered', () => {
  const person = (userId: number, ...roles: string[]) => ({
    ...{ userId, role: roles[0]!, roles, isAdmin: false, permissions: new Set<never>() },
  })
  const people = [person(1, 'QA'), person(2, 'QA'), person(3, 'Admin', 'QA'), person(4, 'User'), person(5, 'QA')]
  const order = (change: Partial<Parameters<typeof takersInOrder>[1]>) =>
    takersInOrder(people, { leaver_id: 5, successor_id: null, role: 'QA', given: {}, ...change }).map(
      each => each.userId,
    )

  it('are the successor first, then those with the role who took the least, and never the leaver', () => {
    assert.deepEqual(order({}), [1, 2, 3])
    assert.deepEqual(order({ successor_id: 4, given: { 1: 2, 2: 1 } }), [4, 2, 1, 3])
    assert.deepEqual(order({ successor_id: 5 }), [1, 2, 3])
    assert.deepEqual(order({ role: null }), [])
  })
})
