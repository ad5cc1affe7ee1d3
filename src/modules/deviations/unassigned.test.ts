// Reports without an assignee: they are told of, listed, and taken by whom the tenant names. proves: DEV-01, DASH-01, NOTE-01
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
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
beforeEach(() => setTakers([]))

const idOf = (name: string) => world.people[name]!.id
const setTakers = async (report_takers: object[]) => ok(await world.as('ada').put('/api/settings/', { report_takers }))
const group = async (name: string, ...members: string[]): Promise<number> => {
  const { id } = ok(await world.as('ada').post('/api/groups/', { name, group_type: 'department' }))
  for (const each of members) ok(await world.as('ada').post(`/api/groups/${id}/add-member`, { user_id: idOf(each) }))
  return id
}
/** The people who were told, once for each notification of this type. */
const told = async (id: number, type: string) =>
  (
    await world.rows<{ username: string }>(
      `select u.username from notifications n join users u on u.id = n.user_id
       where n.resource_type = 'deviation' and n.resource_id = $1 and n.type = $2 order by u.username`,
      [id, type],
    )
  ).map(({ username }) => username)
const unassigned = async (by: string): Promise<Json> =>
  ok(await world.as(by).get('/api/dashboard/unassigned-items?limit=100'))
const ids = (items: Json[]) => items.map(({ id }) => id)
const assigners = ['ada', 'petra', 'quentin', 'quinn']

describe('a deviation without an assignee', () => {
  for (const severity of ['minor', 'major'])
    it(`that is ${severity} is told at once to those who may assign it, and stands on their list until it is`, async () => {
      const { id, number } = await cases.report({ severity })
      assert.deepEqual(await told(id, 'deviation_unassigned'), assigners)
      const items = (await unassigned('quinn')).deviations
      const item = items.find((each: Json) => each.id === id)
      assert.deepEqual(
        [item.number, item.reason, item.task, item.person],
        [number, 'yours_to_assign', { method: 'PUT', path: `/api/deviations/${id}` }, null],
      )
      for (const other of ['uma', 'alan', 'otto']) assert.deepEqual((await unassigned(other)).deviations, [], other)
      ok(await cases.put('quinn', id, { assigned_to: idOf('uma') }))
      assert.ok(!ids((await unassigned('quinn')).deviations).includes(id))
      assert.deepEqual(await told(id, 'deviation_assigned'), ['uma'])
    })

  it('is told again when its assignee is taken away', async () => {
    const { id } = await cases.report({ by: 'quinn', assigned_to: idOf('alan') })
    assert.deepEqual(await told(id, 'deviation_unassigned'), [])
    ok(await cases.put('quinn', id, { assigned_to: null }))
    assert.deepEqual(await told(id, 'deviation_unassigned'), ['ada', 'petra', 'quentin'])
  })

  it('is asked of people by their permissions, and not by the name of their role', async () => {
    const change = (granted: string[]) =>
      world.as('ada').put(`/api/users/${idOf('anna')}/permissions`, { granted, denied: [] })
    ok(await change(['deviations.assess']))
    const { id } = await cases.report()
    assert.deepEqual(await told(id, 'deviation_unassigned'), ['ada', 'anna', 'petra', 'quentin', 'quinn'])
    assert.ok(ids((await unassigned('anna')).deviations).includes(id))
    ok(await change([]))
  })

  it('is found by `assigned_to=none`, and so is a CAPA', async () => {
    const [open, taken] = [await cases.report(), await cases.report({ by: 'petra', assigned_to: idOf('petra') })]
    const found = async (path: string) =>
      ids(ok(await world.as('quinn').get(`${path}?page_size=100&assigned_to=none`)).items)
    const there = await found('/api/deviations/')
    assert.deepEqual([there.includes(open.id), there.includes(taken.id)], [true, false])
    const build = capas(world)
    const [free, owned] = [await build.open({ assigned_to: null }), await build.open()]
    const capasThere = await found('/api/capa/')
    assert.deepEqual([capasThere.includes(free.id), capasThere.includes(owned.id)], [true, false])
    const listed = (await unassigned('quinn')).capas
    assert.deepEqual([ids(listed).includes(free.id), ids(listed).includes(owned.id)], [true, false])
    const wrong = await world.as('quinn').get('/api/deviations/?assigned_to=nobody')
    assert.equal(wrong.statusCode, 422, wrong.body)
    ok(await world.as('quinn').get(`/api/deviations/?assigned_to=${idOf('petra')}`))
  })
})

describe('the takers of reports', () => {
  it('are assigned the reports of their department, or of a group, the first entry that fits', async () => {
    const night = await group('Night shift', 'anna')
    await setTakers([
      { department: 'Packaging', user_id: idOf('alan') },
      { reporter_group_id: night, user_id: idOf('petra') },
      { user_id: idOf('quentin') },
    ])
    const takerOf = async (fields: { by?: string; department?: string }) => {
      const { id, assigned_to } = await cases.report(fields)
      assert.deepEqual(await told(id, 'deviation_assigned'), [assigned_to.username])
      assert.deepEqual(await told(id, 'deviation_unassigned'), [])
      return assigned_to.username
    }
    assert.equal(await takerOf({ department: ' packaging ' }), 'alan')
    assert.equal(await takerOf({ by: 'anna', department: 'Filling' }), 'petra')
    assert.equal(await takerOf({ department: 'Filling' }), 'quentin')
    const named = await cases.report({ by: 'petra', department: 'Packaging', assigned_to: idOf('uma') })
    assert.equal(named.assigned_to.username, 'uma')
    const [entry] = await world.rows<{ changes: Json }>(
      `select changes from audit_entries where action = 'deviation.created' order by id desc limit 1`,
    )
    assert.equal(entry!.changes.assigned_to.to, 'uma')
  })

  it('of a group are asked to assign, of those who may; nobody left means that all who may are asked', async () => {
    const takers = await group('Takers', 'petra', 'uma')
    await setTakers([{ department: 'Packaging', group_id: takers }])
    const first = await cases.report({ department: 'Packaging' })
    assert.deepEqual([first.assigned_to, await told(first.id, 'deviation_unassigned')], [null, ['petra']])
    const elsewhere = await cases.report({ department: 'Filling' })
    assert.deepEqual(await told(elsewhere.id, 'deviation_unassigned'), assigners)
    const removal = await world.as('ada').delete(`/api/groups/${takers}/remove-member/${idOf('petra')}`)
    assert.equal(removal.statusCode, 204, removal.body)
    const later = await cases.report({ department: 'Packaging' })
    assert.deepEqual(await told(later.id, 'deviation_unassigned'), assigners)
  })

  it('who left take nothing: the report is asked of those who may assign it', async () => {
    await setTakers([{ user_id: idOf('anna') }])
    ok(await world.as('ada').post(`/api/users/${idOf('anna')}/deactivate`, {}))
    const { id, assigned_to } = await cases.report()
    assert.deepEqual([assigned_to, await told(id, 'deviation_unassigned')], [null, assigners])
    ok(await world.as('ada').post(`/api/users/${idOf('anna')}/reactivate`, {}))
  })

  it('are people and groups of this tenant, one for each entry', async () => {
    const put = (report_takers: object[]) => world.as('ada').put('/api/settings/', { report_takers })
    for (const [entry, status] of [
      [{ user_id: idOf('rex') }, 404],
      [{ group_id: 999_999 }, 404],
      [{ reporter_group_id: 999_999, user_id: idOf('petra') }, 404],
      [{}, 422],
      [{ user_id: idOf('petra'), group_id: await group('Both') }, 422],
    ] as const) {
      const reply = await put([entry])
      assert.equal(reply.statusCode, status, reply.body)
    }
  })
})
