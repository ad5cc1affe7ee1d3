// A request counts as read once it asks its reader for nothing any more.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { cases, dayFromNow } from '#test/builders/cases.ts'
import { copies } from '#test/builders/copies.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

describe('a request (proves: NOTE-01)', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())
  beforeEach(async () => {
    await world.superuser.query('delete from notifications')
  })
  const idOf = (name: string) => world.people[name]!.id
  const listOf = async (by: string, query = ''): Promise<Json[]> =>
    ok(await world.as(by).get(`/api/notifications/?page_size=100&sort=id:asc&${query}`)).items
  const unread = async (by: string): Promise<number> =>
    ok(await world.as(by).get('/api/notifications/unread-count')).unread
  /** Says of each request of this type whether it is open. */
  const open = async (by: string, type: string) =>
    (await listOf(by, `type=${type}`)).map(({ settled_at, is_read, read_at }) => {
      assert.deepEqual([is_read, read_at], [settled_at !== null, null])
      return settled_at === null
    })
  const asked = 'document_approval_requested'

  it('for an approval is settled by its withdrawal, by the decision of another, and by one’s own', async () => {
    const { id } = await papers(world).submitted()
    assert.deepEqual([await open('petra', asked), await unread('petra')], [[true], 1])
    ok(await world.as('petra').post(`/api/documents/${id}/comments`, { text: 'Which gloves?' }))
    assert.deepEqual(await open('petra', asked), [true], 'a comment decides nothing')
    ok(await papers(world).move('alan', id, 'withdraw', 'A page is missing'))
    assert.deepEqual(await open('petra', asked), [false])
    assert.equal((await listOf('petra', 'is_read=false')).filter(({ type }) => type === asked).length, 0)
    assert.equal((await listOf('petra', 'is_read=true')).filter(({ type }) => type === asked).length, 1)
    const earlier = await unread('petra')
    ok(await papers(world).move('alan', id, 'submit', 'With all pages'))
    assert.deepEqual([await open('petra', asked), await unread('petra')], [[false, true], earlier + 1])
    ok(await papers(world).approve('petra', id))
    assert.deepEqual(await open('petra', asked), [false, false], 'she gave the review')
    assert.deepEqual((await open('quentin', asked)).slice(0, 2), [false, false], 'somebody else gave the review')
    assert.equal((await open('quentin', asked)).at(-1), true, 'and he may give the approval')
    ok(await papers(world).approve('quentin', id))
    for (const by of ['petra', 'quentin', 'quinn'])
      assert.ok(
        (await open(by, asked)).every(each => !each),
        by,
      )
    const kept = ok(await world.as('petra').post(`/api/notifications/${(await listOf('petra'))[0].id}/mark-read`))
    assert.ok(kept.read_at !== null && kept.settled_at !== null, 'that it was read later is known too')
  })

  it('goes with its reader’s part to another person, and its copy for a deputy with it', async () => {
    const deputy = { deputy_id: idOf('quinn'), starts_on: dayFromNow(world, 0), ends_on: dayFromNow(world, 7) }
    const { id: standing } = ok(await world.as('alan').post('/api/deputies/', { ...deputy, deputy_id: idOf('anna') }))
    const { id } = await cases(world).deviation({ by: 'petra', assigned_to: idOf('alan') })
    assert.deepEqual(
      [await open('alan', 'deviation_assigned'), await open('anna', 'deviation_assigned')],
      [[true], [true]],
    )
    const other = { assigned_to: idOf('quentin'), change_reason: 'Alan is away' }
    ok(await world.as('petra').put(`/api/deviations/${id}`, other))
    for (const by of ['alan', 'anna']) assert.deepEqual(await open(by, 'deviation_assigned'), [false], by)
    assert.deepEqual(await open('quentin', 'deviation_assigned'), [true])
    await cases(world).cancel(id)
    assert.deepEqual(await open('quentin', 'deviation_assigned'), [false])
    ok(await world.as('alan').post(`/api/deputies/${standing}/end`, { end_reason: 'Back' }))
  })

  it('of a CAPA, its review and its later due date ends with what it asks for', async () => {
    const made = capas(world)
    const { id } = await made.inState('in_progress')
    const later = { due_date: '2199-01-31', reason: 'The pump is late' }
    ok(await world.as('alan').post(`/api/capa/${id}/extend`, later))
    assert.deepEqual(await open('petra', 'capa_extension_requested'), [true])
    const [extension] = await made.get('petra', id, '/extensions')
    ok(await world.as('petra').post(`/api/capa/${id}/extensions/${extension.id}/decide`, { decision: 'approve' }))
    for (const by of ['petra', 'quentin']) assert.deepEqual(await open(by, 'capa_extension_requested'), [false], by)
    const { id: review } = ok(await made.plan('petra', id))
    assert.deepEqual(await open('quentin', 'capa_review_planned'), [true])
    await made.done(id)
    ok(await made.put('alan', id, { adverse_effect_assessment: 'None' }))
    ok(await made.put('petra', id, { status: 'pending_effectiveness' }))
    assert.deepEqual(await open('quentin', 'capa_review_requested'), [true])
    ok(await made.conclude('quentin', id, review))
    assert.deepEqual(await open('quentin', 'capa_review_requested'), [false], 'by an event of the review')
    assert.deepEqual(await open('quentin', 'capa_review_planned'), [false])
    assert.deepEqual(await open('quinn', 'capa_reviewed'), [true])
    ok(await made.put('quinn', id, { status: 'closed', password }))
    assert.deepEqual(await open('quinn', 'capa_reviewed'), [false], 'by an event of the CAPA')
    for (const by of ['alan', 'anna'])
      assert.ok(
        (await open(by, 'capa_assigned')).every(each => !each),
        by,
      )
  })

  it('for a recalled copy ends with its return', async () => {
    const { id: document } = await copies(world).document()
    const { id } = await copies(world).printed(document)
    ok(await copies(world).post('petra', id, 'recall', { change_reason: 'A page is missing' }))
    assert.deepEqual(await open('uma', 'controlled_copy_recalled'), [true])
    ok(await copies(world).post('uma', id, 'confirm', { outcome: 'returned' }))
    assert.deepEqual(await open('uma', 'controlled_copy_recalled'), [false])
  })

  it('that is settled stands in no digest, is not escalated and is marked read by nobody else', async () => {
    const { id } = await papers(world).submitted()
    ok(await papers(world).move('alan', id, 'withdraw', 'A page is missing'))
    const { marked_read } = ok(await world.as('petra').post('/api/notifications/mark-all-read'))
    assert.equal(marked_read, (await listOf('petra')).filter(({ type }) => type !== asked).length)
    world.clock.moved_ms = 80 * 3_600_000
    await world.tick()
    assert.deepEqual(await listOf('quinn', 'type=escalation'), [])
    world.clock.moved_ms = 0
  })
})
