// The actions of a CAPA: planned, assigned, due, and reported as done.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { nobodysId } from '#test/builders/samples.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let capa: ReturnType<typeof capas>
before(async () => {
  world = await openWorld()
  capa = capas(world)
})
after(() => world.close())

describe('the actions of a CAPA', () => {
  it('are listed whole: one with its id is changed, one without is new, and none vanishes', async () => {
    const { id, actions } = await capa.open()
    const [first] = actions
    const second = { description: 'Train the shift', assigned_to: capa.idOf('anna') }
    const { actions: two } = ok(
      await capa.put('petra', id, { actions: [{ id: first.id, description: 'Fit two pumps' }, second] }),
    )
    assert.deepEqual(
      two.map(({ description }: Json) => description),
      ['Fit two pumps', 'Train the shift'],
    )
    assert.equal(two[0].id, first.id)
    for (const [sent, status] of [
      [[{ id: two[0].id }], 422],
      [[], 422],
      [[{ id: two[0].id }, { id: two[1].id }, { id: two[0].id }], 422],
      [[{ id: two[0].id }, { id: two[1].id }, { description: 'Nobody has it' }], 422],
      [[{ id: two[0].id }, { id: two[1].id }, { id: nobodysId }], 404],
    ] as const)
      assert.equal((await capa.put('petra', id, { actions: sent })).statusCode, status, JSON.stringify(sent))
    assert.deepEqual((await capa.get('petra', id)).actions, two)
  })

  it('are done with evidence, by who owns them or manages actions; the service says when and by whom', async () => {
    const { id, actions } = await capa.inState('in_progress')
    const [{ id: action }] = actions
    const say = (by: string, fields: object) => capa.put(by, id, { actions: [{ id: action, ...fields }] })
    const bare = await say('anna', { status: 'done' })
    assert.deepEqual([bare.statusCode, bare.json().detail[0].loc], [422, ['body', 'actions', 0, 'evidence']])
    // Alan owns the CAPA, and still cannot report on the action of Anna.
    const other = await say('alan', { status: 'done', evidence: 'Report 12' })
    assert.deepEqual([other.statusCode, other.json().code], [403, 'capa_action_of_another'])
    const [done] = ok(await say('anna', { status: 'done', evidence: 'Report 12' })).actions
    assert.deepEqual([done.status, done.completed_by.username, done.evidence], ['done', 'anna', 'Report 12'])
    assert.ok(done.completed_at)
    // A completed action is read-only until it is reopened.
    assert.equal((await say('petra', { evidence: 'Report 13' })).statusCode, 409)
    const [again] = ok(await say('anna', { status: 'in_progress' })).actions
    assert.deepEqual([again.completed_at, again.completed_by], [null, null])
  })

  it('are planned by who has the CAPA or manages actions, and of a draft by who wrote it', async () => {
    const { id, actions } = await capa.open()
    const [{ id: action }] = actions
    const say = (by: string, fields: object) => capa.put(by, id, { actions: [{ id: action, ...fields }] })
    for (const fields of [{ description: 'Less' }, { status: 'cancelled' }, { assigned_to: capa.idOf('alan') }])
      assert.equal((await say('anna', fields)).statusCode, 403, JSON.stringify(fields))
    ok(await say('alan', { description: 'More' }))
    ok(await say('petra', { status: 'cancelled' }))
    const { id: draft } = await capa.draft({}, 'anna')
    const added = [{ description: 'Mine', assigned_to: capa.idOf('anna') }]
    assert.equal((await capa.put('alan', draft, { actions: added })).statusCode, 403)
    const { actions: own } = ok(await capa.put('anna', draft, { actions: added }))
    const begun = await capa.put('anna', draft, { actions: [{ id: own[0].id, status: 'in_progress' }] })
    assert.equal(begun.statusCode, 409)
  })

  it('are verified by who takes the CAPA on, and no more once one is opened again', async () => {
    const { id, actions } = await capa.inState('pending_effectiveness')
    assert.equal(actions[0].approved_by.username, 'petra')
    const [{ id: review }] = await capa.get('petra', id, '/effectiveness')
    ok(await capa.conclude('quentin', id, review, { result: 'not_effective', follow_up: 'Another pump' }))
    const [kept] = (await capa.get('petra', id)).actions
    assert.equal(kept.approved_by.username, 'petra')
    const [reopened] = ok(await capa.put('petra', id, { actions: [{ id: kept.id, status: 'open' }] })).actions
    assert.deepEqual([reopened.approved_by, reopened.approved_at, reopened.status], [null, null, 'open'])
  })
})
