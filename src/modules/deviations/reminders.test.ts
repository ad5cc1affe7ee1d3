// Notifications of deviations, by actions of people and by due dates.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { daysLater } from '#kernel/day.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let cases: ReturnType<typeof deviations>
before(async () => {
  world = await openWorld()
  cases = deviations(world)
})
after(() => world.close())

const idOf = (name: string) => world.people[name]!.id

/** The recipients of the notifications of this type, by name, once for each notification. */
const told = async (id: number, type: string) =>
  (
    await world.rows<{ username: string }>(
      `select u.username from notifications n join users u on u.id = n.user_id
       where n.resource_type = 'deviation' and n.resource_id = $1 and n.type = $2 order by u.username`,
      [id, type],
    )
  ).map(({ username }) => username)

// proves: NOTE-01
describe('people', () => {
  it('who assess are told of a critical deviation at once, and of no other', async () => {
    const critical = await cases.report({ severity: 'critical' })
    assert.deepEqual(await told(critical.id, 'deviation_reported'), ['ada', 'petra', 'quentin', 'quinn'])
    const [{ priority }] = (await world.rows<{ priority: string }>(
      'select priority from notifications where resource_id = $1 limit 1',
      [critical.id],
    )) as [{ priority: string }]
    assert.equal(priority, 'urgent')
    const major = await cases.report({ severity: 'major' })
    assert.deepEqual(await told(major.id, 'deviation_reported'), [])
  })

  it('are told once that it is assigned to them, unless they took it themselves', async () => {
    const assigned = await cases.report({ by: 'petra', assigned_to: idOf('alan') })
    assert.deepEqual(await told(assigned.id, 'deviation_assigned'), ['alan'])
    const body = { status: 'under_investigation', assigned_to: idOf('quentin') }
    ok(await cases.put('petra', assigned.id, body))
    assert.deepEqual(await told(assigned.id, 'deviation_assigned'), ['alan', 'quentin'])
    assert.deepEqual(await told(assigned.id, 'deviation_moved'), [])
    const own = await cases.inState('under_investigation')
    assert.deepEqual(await told(own.id, 'deviation_assigned'), [])
  })

  it('who can close it are asked to, and who reported it sees where it goes', async () => {
    const { id } = await cases.inState('pending_approval')
    assert.deepEqual(await told(id, 'deviation_approval_requested'), ['ada', 'quentin', 'quinn'])
    assert.deepEqual(await told(id, 'deviation_moved'), ['uma', 'uma'])
    ok(await cases.put('quentin', id, { status: 'closed', change_reason: 'Complete' }))
    assert.deepEqual(await told(id, 'deviation_moved'), ['petra', 'uma', 'uma', 'uma'])
  })

  it('who may not read deviations any more are told nothing of them', async () => {
    const { id } = await cases.inState('under_investigation', { by: 'anna' })
    ok(
      await world.as('ada').put(`/api/users/${idOf('anna')}/permissions`, { granted: [], denied: ['deviations.read'] }),
    )
    const before = await told(id, 'deviation_moved')
    ok(await cases.put('petra', id, { status: 'cancelled', change_reason: 'None' }))
    assert.deepEqual(await told(id, 'deviation_moved'), before)
  })
})

describe('a deviation that is due', () => {
  async function at<T>(day: string, work: () => Promise<T>): Promise<T> {
    world.clock.moved_ms = Date.parse(`${day}T12:00:00Z`) - Date.now()
    try {
      return await work()
    } finally {
      world.clock.moved_ms = 0
    }
  }
  const events = async (id: number) =>
    (
      await world.rows<{ action: string }>(
        `select action from audit_entries where resource_type = 'deviation' and resource_id = $1
         and action in ('deviation.due_soon', 'deviation.overdue') order by id`,
        [id],
      )
    ).map(({ action }) => action)

  it('is told of once three days before, and once when it is overdue', async () => {
    const { id, due_date, revision } = await cases.inState('under_investigation', { severity: 'major' })
    await at(daysLater(due_date, -4), world.tick)
    assert.deepEqual(await events(id), [])
    for (const day of [-3, -2, 0]) await at(daysLater(due_date, day), world.tick)
    assert.deepEqual(await events(id), ['deviation.due_soon'])
    assert.deepEqual(await told(id, 'deviation_due_soon'), ['petra'])
    for (const day of [1, 2, 60]) await at(daysLater(due_date, day), world.tick)
    assert.deepEqual(await events(id), ['deviation.due_soon', 'deviation.overdue'])
    assert.deepEqual(await told(id, 'deviation_overdue'), ['ada', 'petra', 'quentin', 'quinn'])
    assert.equal((await cases.get('uma', id)).revision, revision, 'a reminder is no change of the deviation')
  })

  it('is told of to who reported it and who assess, where nobody has taken it up', async () => {
    const { id, due_date } = await cases.report({ severity: 'major' })
    await at(daysLater(due_date, -3), world.tick)
    assert.deepEqual(await told(id, 'deviation_due_soon'), ['ada', 'petra', 'quentin', 'quinn', 'uma'])
  })

  it('is told of again for a later due date, and not again for the same one', async () => {
    const { id, due_date } = await cases.inState('under_investigation', { severity: 'major' })
    await at(daysLater(due_date, 1), world.tick)
    const later = daysLater(due_date, 20)
    ok(await world.as('quinn').post(`/api/deviations/${id}/extend`, { due_date: later, reason: 'Supplier' }))
    await at(daysLater(later, -4), world.tick)
    assert.deepEqual(await events(id), ['deviation.overdue'])
    await at(daysLater(later, -3), world.tick)
    await at(daysLater(later, 1), world.tick)
    assert.deepEqual(await events(id), ['deviation.overdue', 'deviation.due_soon', 'deviation.overdue'])
  })

  it('is told of once by several processes that look at the same moment', async () => {
    const { id, due_date } = await cases.inState('under_investigation', { severity: 'major' })
    await at(daysLater(due_date, -1), () => Promise.all([world.tick(), world.tick(), world.tick()]))
    assert.deepEqual(await events(id), ['deviation.due_soon'])
  })

  it('is told of no more once it is closed or cancelled, and again when it is reopened', async () => {
    const [closed, cancelled] = [await cases.inState('closed', { severity: 'major' }), await cases.inState('cancelled')]
    for (const { id, due_date } of [closed, cancelled] as Json[]) {
      await at(daysLater(due_date, 1), world.tick)
      assert.deepEqual(await events(id), [])
    }
    ok(await cases.put('quinn', closed.id, { status: 'under_investigation', change_reason: 'Again' }))
    await at(daysLater(closed.due_date, 1), world.tick)
    assert.deepEqual(await events(closed.id), ['deviation.overdue'])
  })

  it('is due by the day where the tenant is', async () => {
    const { id, due_date } = await cases.inState('under_investigation', { severity: 'major' })
    const look = async (moment: string) => {
      world.clock.moved_ms = Date.parse(moment) - Date.now()
      try {
        await world.tick()
      } finally {
        world.clock.moved_ms = 0
      }
    }
    ok(await world.as('ada').put('/api/settings/', { time_zone: 'Pacific/Honolulu' }))
    try {
      await look(`${daysLater(due_date, -3)}T09:59:00Z`)
      assert.deepEqual(await events(id), [])
      await look(`${daysLater(due_date, -3)}T10:01:00Z`)
      assert.deepEqual(await events(id), ['deviation.due_soon'])
    } finally {
      ok(await world.as('ada').put('/api/settings/', { time_zone: 'UTC' }))
    }
  })
})
