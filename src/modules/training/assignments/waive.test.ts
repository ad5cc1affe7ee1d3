import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assignments } from '#test/builders/assignments.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('a training that is not to be done', () => {
  let world: World
  let training: ReturnType<typeof assignments>
  const id = (name: string) => world.people[name]!.id
  before(async () => {
    world = await openWorld()
    training = assignments(world)
  })
  after(() => world.close())

  const given = async (name: string) => {
    const program = await training.program()
    const { assigned } = await training.assign({ training_id: program.id, user_ids: [id(name)] })
    return { program, url: `/api/training/assignments/${assigned[0].assignment_id}`, id: assigned[0].assignment_id }
  }
  const reason = 'Holds the certificate of the previous employer'

  it('is waived with a reason, and its person is told', async () => {
    const { url, ...assignment } = await given('uma')
    const shown = ok(await world.as('quinn').post(`${url}/waive`, { reason, revision: 1 }))
    assert.deepEqual([shown.status, shown.reason, shown.revision], ['waived', reason, 2])
    const [entry] = await world.rows<Json>(
      `select username, reason, changes -> 'status' as status from audit_entries
       where action = 'training_assignment.waived' and resource_id = $1`,
      [assignment.id],
    )
    assert.deepEqual(entry, { username: 'quinn', reason, status: { from: 'assigned', to: 'waived' } })
    const told = await world.rows(
      `select from notifications where user_id = $1 and type = 'training_waived' and resource_id = $2`,
      [id('uma'), assignment.id],
    )
    assert.equal(told.length, 1)
  })

  it('is cancelled with a reason, also when it was begun', async () => {
    const { url, program } = await given('uma')
    ok(await world.as('uma').post(`/api/training/${program.id}/start`, {}))
    const shown = ok(await world.as('petra').post(`${url}/cancel`, { reason }))
    assert.deepEqual([shown.status, shown.reason], ['cancelled', reason])
  })

  it('stays as it ended', async () => {
    const { url, program } = await given('uma')
    await training.complete('uma', program.id)
    for (const how of ['waive', 'cancel']) {
      const reply = await world.as('quinn').post(`${url}/${how}`, { reason })
      assert.equal(reply.statusCode, 409, reply.body)
      assert.match(reply.json().detail, /is completed and cannot become \w+: completed is final/)
    }
  })

  it('is waived by another person than its own, and the attempt is remembered', async () => {
    const { url } = await given('quinn')
    const reply = await world.as('quinn').post(`${url}/waive`, { reason })
    assert.equal(reply.statusCode, 403)
    assert.equal(reply.json().code, 'training_own_waiver')
    const [entry] = await world.rows<Json>(
      `select username, outcome from audit_entries where action = 'access.denied' order by id desc limit 1`,
    )
    assert.deepEqual(entry, { username: 'quinn', outcome: 'denied' })
    ok(await world.as('ada').post(`${url}/waive`, { reason }))
  })

  it('is not ended on an older revision, without a reason, without the permission, or by another tenant', async () => {
    const { url, program } = await given('uma')
    ok(await world.as('uma').post(`/api/training/${program.id}/start`, {}))
    assert.equal((await world.as('quinn').post(`${url}/cancel`, { reason, revision: 1 })).statusCode, 409)
    assert.equal((await world.as('quinn').post(`${url}/cancel`, {})).statusCode, 422)
    assert.equal((await world.as('petra').post(`${url}/waive`, { reason })).statusCode, 403)
    assert.equal((await world.as('uma').post(`${url}/cancel`, { reason })).statusCode, 403)
    assert.equal((await world.as('rex').post(`${url}/cancel`, { reason })).statusCode, 404)
    assert.equal((await training.of('uma', program.id))[0]!.status, 'in_progress')
  })
})
