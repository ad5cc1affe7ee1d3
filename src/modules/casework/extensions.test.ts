// Extensions of due dates: requested, decided by another person, and counted.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cases, dayFromNow } from '#test/builders/cases.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let make: ReturnType<typeof cases>
before(async () => {
  world = await openWorld()
  make = cases(world)
})
after(() => world.close())

const later = (days: number) => dayFromNow(world, days)
const extend = (by: string, path: string, due_date: string, more: object = {}) =>
  world.as(by).post(`${path}/extend`, { due_date, reason: 'The laboratory is late', ...more })
const decide = (by: string, path: string, id: number, body: object = { decision: 'approve' }) =>
  world.as(by).post(`${path}/extensions/${id}/decide`, body)
const read = async (path: string): Promise<Json> => ok(await world.as('petra').get(path))
async function deviation(fields: object = {}) {
  const made = await make.deviation({ ...fields })
  return { ...made, path: `/api/deviations/${made.id}` }
}
/** Compares the code of the refusal, or of the first issue of a 422. */
function refused(reply: Awaited<ReturnType<typeof extend>>, status: number, code: string) {
  const { detail, code: given } = reply.json()
  assert.deepEqual([reply.statusCode, status === 422 ? detail[0].type : given], [status, code], reply.body)
}

describe('a later due date (proves: DEV-01, CAPA-01)', () => {
  it('is decided at once by who may decide it, is counted, and the first one stays known', async () => {
    const { path, due_date, revision, number } = await deviation()
    const made = ok(await extend('petra', path, later(60)))
    assert.deepEqual(
      [made.status, made.from_date, made.to_date, made.requested_by.username, made.decided_by.username],
      ['approved', due_date, later(60), 'petra', 'petra'],
    )
    const now = await read(path)
    assert.deepEqual(
      [now.due_date, now.original_due_date, now.extension_count, now.revision],
      [later(60), due_date, 1, revision + 1],
    )
    ok(await extend('petra', path, later(70)))
    assert.equal((await read(path)).extension_count, 2)
    const { items } = ok(await world.as('uma').get('/api/notifications/?type=deviation_extension_decided&sort=id:asc'))
    assert.equal(items[0].title, `${number} was given the due date ${later(60)} by Petra Example`)
    const [entry] = await world.rows<{ changes: Json; reason: string; resource_revision: number }>(
      `select changes, reason, resource_revision from audit_entries where action = 'deviation.extension_decided' order by id limit 1`,
    )
    assert.deepEqual(entry!.changes.due_date, { from: due_date, to: later(60) })
    assert.deepEqual([entry!.reason, entry!.resource_revision], ['The laboratory is late', revision + 1])
  })

  it('that its people ask for waits for somebody else who may decide, and both sides are told', async () => {
    const { path, due_date, number, revision } = await deviation()
    const made = ok(await extend('uma', path, later(60)))
    assert.deepEqual([made.status, made.decided_by], ['requested', null])
    assert.deepEqual([(await read(path)).due_date, (await read(path)).revision], [due_date, revision])
    const asked = ok(await world.as('petra').get('/api/notifications/?type=deviation_extension_requested')).items
    assert.deepEqual(
      [asked[0].title, asked[0].priority, asked[0].message],
      [
        `${number} awaits your decision about a later due date`,
        'high',
        `${number}, "Filter left in place", open. It is due on ${due_date}; Uma Example asks for ${later(60)}. "The laboratory is late"`,
      ],
    )
    for (const name of ['alan', 'otto'])
      assert.equal(ok(await world.as(name).get('/api/notifications/?type=deviation_extension_requested')).total, 0)
    const decided = ok(await decide('petra', path, made.id, { decision: 'approve', comment: 'It is not urgent' }))
    assert.deepEqual(
      [decided.status, decided.decided_by.username, decided.comment],
      ['approved', 'petra', 'It is not urgent'],
    )
    const now = await read(path)
    assert.deepEqual([now.due_date, now.extension_count, now.revision], [later(60), 1, revision + 1])
    const told = ok(await world.as('uma').get('/api/notifications/?type=deviation_extension_decided')).items
    assert.equal(told[0].title, `${number} was given the due date ${later(60)} by Petra Example`)
    assert.deepEqual(ok(await world.as('petra').get(`${path}/extensions`)), [decided])
  })

  it('that is refused leaves the day as it is, says why, and another may be asked for', async () => {
    const { path, due_date, number } = await deviation()
    const { id } = ok(await extend('uma', path, later(60)))
    const again = await extend('uma', path, later(50))
    refused(again, 409, 'extension_already_requested')
    assert.match(again.json().detail, /^uma has already requested an extension to \S+\. That request must be decided/)
    refused(await extend('petra', path, later(50)), 409, 'extension_already_requested')
    refused(await decide('petra', path, id, { decision: 'reject' }), 422, 'extension_comment_required')
    ok(await decide('petra', path, id, { decision: 'reject', comment: 'It is urgent' }))
    const now = await read(path)
    assert.deepEqual([now.due_date, now.extension_count], [due_date, 0])
    const late = await decide('quinn', path, id)
    refused(late, 409, 'extension_already_decided')
    assert.deepEqual(late.json().params, { status: 'rejected', username: 'petra' })
    const told = ok(await world.as('uma').get('/api/notifications/?type=deviation_extension_decided')).items
    assert.deepEqual(
      [told[0].title, told[0].message],
      [
        `${number} keeps its due date: another was refused by Petra Example`,
        `${number}, "Filter left in place", open. "It is urgent"`,
      ],
    )
    assert.equal(ok(await extend('uma', path, later(50))).status, 'requested')
  })

  it('is decided by nobody who asked for it, and asked for by nobody else’s people', async () => {
    const { path } = await deviation()
    refused(await extend('alan', path, later(60)), 403, 'extension_not_yours')
    assert.equal((await extend('otto', path, later(60))).statusCode, 403)
    const { id } = ok(await extend('uma', path, later(60)))
    const permissions = `/api/users/${world.people.uma!.id}/permissions`
    ok(await world.as('ada').put(permissions, { granted: ['extensions.approve'], denied: [] }))
    refused(await decide('uma', path, id), 403, 'extension_own_request')
    ok(await world.as('ada').put(permissions, { granted: [], denied: [] }))
    assert.equal((await decide('alan', path, id)).statusCode, 403)
    const denied = await world.rows(`select from audit_entries where action = 'access.denied' and reason like $1`, [
      '%You cannot decide your own extension request.%',
    ])
    assert.equal(denied.length, 1)
    const unreadable = await extend('uma', `/api/capa/${(await make.capa()).id}`, later(90))
    refused(unreadable, 403, 'permission_required')
  })

  it('is not given by its assignee, who may decide about those of others: it waits for another person', async () => {
    const { path } = await deviation()
    const assigning = { assigned_to: world.people.petra!.id, change_reason: 'She knows the line' }
    ok(await world.as('quinn').put(path, assigning))
    const own = ok(await extend('petra', path, later(60)))
    assert.deepEqual([own.status, own.decided_by], ['requested', null])
    refused(await decide('petra', path, own.id), 403, 'extension_own_request')
    ok(await decide('quinn', path, own.id))
    const asked = ok(await extend('uma', path, later(70)))
    refused(await decide('petra', path, asked.id), 403, 'extension_own_work')
    ok(await decide('quentin', path, asked.id))
    assert.equal((await read(path)).due_date, later(70))
  })

  it('is later than the present one, and not in the past', async () => {
    const { path, due_date } = await deviation()
    for (const day of [due_date, later(1), later(-1)])
      refused(await extend('petra', path, day), 422, 'record_due_date_not_later')
    world.clock.moved_ms = 100 * 86_400_000
    try {
      refused(await extend('petra', path, later(-20)), 422, 'record_due_date_past')
    } finally {
      world.clock.moved_ms = 0
    }
    assert.equal((await read(path)).due_date, due_date)
  })

  it('that has passed before it was decided can be rejected only', async () => {
    const { path, due_date } = await deviation()
    const { id } = ok(await extend('uma', path, later(40)))
    world.clock.moved_ms = 50 * 86_400_000
    try {
      refused(await decide('petra', path, id), 409, 'extension_day_not_later')
      ok(await decide('petra', path, id, { decision: 'reject', comment: 'Too late' }))
    } finally {
      world.clock.moved_ms = 0
    }
    assert.equal((await read(path)).due_date, due_date)
  })

  it('is taken by no record that is over, and a request that waits for one can be rejected only', async () => {
    const { path, id: deviationId, due_date } = await deviation()
    const { id } = ok(await extend('uma', path, later(60)))
    await make.cancel(deviationId)
    refused(await extend('petra', path, later(60)), 409, 'record_final')
    refused(await decide('petra', path, id), 409, 'record_final')
    ok(await decide('petra', path, id, { decision: 'reject', comment: 'It is over' }))
    assert.equal((await read(path)).due_date, due_date)
  })

  it('is refused where the record was changed since it was read', async () => {
    const { path, revision } = await deviation()
    ok(await extend('petra', path, later(60), { revision }))
    assert.equal((await extend('petra', path, later(70), { revision })).statusCode, 409)
  })

  it('is decided by one of two who decide at once, and asked for by one of two who ask', async () => {
    const { path } = await deviation()
    const asked = await Promise.all(Array.from({ length: 4 }, (_, each) => extend('uma', path, later(60 + each))))
    const codes = asked.map(({ statusCode }) => statusCode).sort((a, b) => a - b)
    assert.deepEqual(codes, [200, 409, 409, 409])
    const { id } = asked.find(({ statusCode }) => statusCode === 200)!.json()
    const decided = await Promise.all([
      decide('petra', path, id),
      decide('quentin', path, id, { decision: 'reject', comment: 'No' }),
      decide('quinn', path, id),
    ])
    assert.deepEqual(
      decided.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409, 409],
    )
    const { extension_count, due_date } = await read(path)
    const [only] = ok(await world.as('petra').get(`${path}/extensions`))
    assert.equal(extension_count, only.status === 'approved' ? 1 : 0)
    assert.equal(due_date === only.to_date, only.status === 'approved')
  })

  it('of a CAPA goes the same way', async () => {
    const capa = await make.capa()
    const path = `/api/capa/${capa.id}`
    const { id, status } = ok(await extend('alan', path, later(90)))
    assert.equal(status, 'requested')
    assert.equal(ok(await world.as('petra').get('/api/notifications/?type=capa_extension_requested')).total, 1)
    assert.equal(ok(await decide('petra', path, id)).status, 'approved')
    const { due_date, original_due_date, extension_count } = await read(path)
    assert.deepEqual([due_date, original_due_date, extension_count], [later(90), capa.due_date, 1])
    const other = await make.capa()
    assert.equal((await decide('petra', `/api/capa/${other.id}`, id)).statusCode, 404, 'under its own record only')
  })
})
