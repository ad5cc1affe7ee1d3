// Comments on deviations and CAPAs.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cases } from '#test/builders/cases.ts'
import { ok } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let make: ReturnType<typeof cases>
before(async () => {
  world = await openWorld()
  make = cases(world)
})
after(() => world.close())

const comment = (by: string, path: string, text = 'Which batches?') => world.as(by).post(`${path}/comments`, { text })

describe('a comment on a deviation or a CAPA', () => {
  it('stays as it was said, changes nothing of the record, and is told to those whom it concerns', async () => {
    const { id, number, revision } = await make.deviation()
    const reply = await comment('petra', `/api/deviations/${id}`)
    const made = ok(reply)
    assert.equal(reply.headers.location, `/api/deviations/${id}/comments/${made.id}`)
    assert.deepEqual([made.text, made.created_by.username], ['Which batches?', 'petra'])
    assert.deepEqual(ok(await world.as('uma').get(String(reply.headers.location))), made)
    const answer = ok(await comment('uma', `/api/deviations/${id}`, 'B-17 and B-18'))
    const list = async (query: string) => ok(await world.as('uma').get(`/api/deviations/${id}/comments${query}`))
    assert.deepEqual((await list('')).items, [made, answer])
    const newest = await list('?sort=id:desc&page_size=1')
    assert.deepEqual([newest.items, newest.total, newest.pages], [[answer], 2, 2])
    assert.equal(ok(await world.as('uma').get(`/api/deviations/${id}`)).revision, revision)
    const { items } = ok(await world.as('uma').get('/api/notifications/?type=deviation_commented'))
    assert.deepEqual(
      items.map(({ title, message, resource_type, resource_id }: Record<string, unknown>) => [
        title,
        message,
        resource_type,
        resource_id,
      ]),
      [
        [
          `${number} has a comment by Petra Example`,
          `${number}, "Filter left in place", open. "Which batches?"`,
          'deviation',
          id,
        ],
      ],
    )
    await assert.rejects(world.rows(`update record_comments set text = 'Other' where id = $1`, [made.id]), {
      code: 'QA002',
    })
  })

  it('is taken in every state, and from who may both read and comment', async () => {
    const { id } = await make.deviation()
    await make.cancel(id)
    ok(await comment('alan', `/api/deviations/${id}`))
    assert.equal((await comment('otto', `/api/deviations/${id}`)).statusCode, 403)
    const capa = await make.capa()
    assert.equal((await comment('uma', `/api/capa/${capa.id}`)).statusCode, 403)
    const uma = `/api/users/${world.people.uma!.id}/permissions`
    ok(await world.as('ada').put(uma, { granted: ['capa.comment'], denied: [] }))
    const refused = await comment('uma', `/api/capa/${capa.id}`)
    assert.deepEqual(
      [refused.statusCode, refused.json().code, refused.json().params],
      [403, 'permission_required', { permission: 'capa.read' }],
    )
    ok(await world.as('ada').put(uma, { granted: ['capa.comment', 'capa.read'], denied: [] }))
    ok(await comment('uma', `/api/capa/${capa.id}`))
    ok(await world.as('ada').put(uma, { granted: [], denied: [] }))
  })

  it('is told to nobody who may not read the record any more', async () => {
    const { id } = await make.deviation()
    const uma = `/api/users/${world.people.uma!.id}/permissions`
    const told = () =>
      world.rows(`select from notifications where user_id = $1 and resource_type = 'deviation'`, [world.people.uma!.id])
    const before = (await told()).length
    ok(await world.as('ada').put(uma, { granted: [], denied: ['deviations.read'] }))
    ok(await comment('petra', `/api/deviations/${id}`))
    ok(await world.as('ada').put(uma, { granted: [], denied: [] }))
    assert.equal((await told()).length, before)
  })

  it('is found under its own record only', async () => {
    const [one, other, capa] = [await make.deviation(), await make.deviation(), await make.capa()]
    const { id } = ok(await comment('uma', `/api/deviations/${one.id}`))
    for (const path of [`/api/deviations/${other.id}`, `/api/capa/${capa.id}`])
      assert.equal((await world.as('petra').get(`${path}/comments/${id}`)).statusCode, 404)
  })
})
