// The transitions of CAPAs and their guards, one by one, through the API.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { transitionsFrom } from '#kernel/machine.ts'
import { capas } from '#test/builders/capas.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { type CapaGuard, type CapaState, capaMachine, capaStates, isOver } from './rules.ts'

let world: World
let capa: ReturnType<typeof capas>
before(async () => {
  world = await openWorld()
  capa = capas(world)
})
after(() => world.close())

type Reply = Awaited<ReturnType<ReturnType<World['as']>['get']>>
/** The refusal has at least these parameters. */
const assertRefused = (reply: Reply, status: number, code: string, params: object = {}) => {
  const given = reply.json()
  assert.deepEqual([reply.statusCode, given.code], [status, code], reply.body)
  assert.deepEqual({ ...given.params, ...params }, given.params, reply.body)
}

describe('a CAPA goes no other way than that of its table (proves: CAPA-01)', () => {
  for (const from of capaStates)
    it(`from ${from}: what is not in the table is a 409 that names the ways out`, async () => {
      const { id, number, status } = await capa.inState(from)
      assert.equal(status, from)
      const ways = transitionsFrom(capaMachine, from).map(({ to }) => to)
      for (const to of capaStates.filter(each => each !== from && !ways.includes(each)))
        assertRefused(await capa.put('quinn', id, { status: to, password }), 409, 'transition_not_allowed', {
          ...{ number, from, to },
          allowed: ways,
        })
      assert.equal((await capa.get('quinn', id)).status, from)
    })

  it('is over where the table has no way on, and stays as it is there', async () => {
    assert.deepEqual(capaStates.filter(isOver), ['rejected', 'closed', 'cancelled'])
    for (const state of capaStates.filter(isOver)) {
      const { id, number } = await capa.inState(state)
      const isFinal = { number, status: state }
      assertRefused(await capa.put('quinn', id, { title: 'Another' }), 409, 'record_final', isFinal)
      assertRefused(await capa.put('quinn', id, {}), 409, 'record_final', isFinal)
      // To close a closed CAPA is refused before the password is asked for.
      const code = state === 'closed' ? 'transition_not_allowed' : 'record_final'
      assertRefused(await capa.put('quinn', id, { status: state, password }), 409, code, { number })
      assertRefused(await capa.plan('quinn', id), 409, 'record_final', isFinal)
    }
  })

  it('asks for the permission of each move, and remembers who tried without', async () => {
    // Anna may change CAPAs and has none of the other permissions.
    for (const { from, to, permission } of capaMachine.transitions) {
      if (['capa.update', 'effectiveness.update'].includes(permission)) continue
      const { id, number } = await capa.inState(from[0]!)
      const reply = await capa.put('anna', id, { status: to, password })
      assertRefused(reply, 403, 'record_transition_permission_required', { number, to, permission })
      const [entry] = ok(await world.as('otto').get('/api/audit/?action=access.denied&sort=id:desc&page_size=1')).items
      assert.ok(entry.reason.includes(number), entry.reason)
    }
  })

  it('asks for a reason where the table does', async () => {
    for (const { from, to, needs_reason } of capaMachine.transitions.filter(({ name }) => name !== 'not_effective')) {
      const { id } = await capa.inState(from[0]!)
      const reply = await world.as('quinn').put(capa.url(id), { status: to, password })
      if (needs_reason)
        assert.deepEqual([reply.statusCode, reply.json().detail[0].loc], [422, ['body', 'change_reason']])
      else assert.ok(reply.statusCode < 300, reply.body)
    }
  })
})

/** One test for each guard, as the last test checks; each fails without its guard. */
const guardTests: Record<CapaGuard, () => Promise<void>> = {
  async approver_is_another() {
    const { id } = await capa.draft({}, 'petra')
    const own = () => world.as('petra').post(`${capa.url(id)}/approve-draft`, {})
    assertRefused(await own(), 403, 'capa_author_cannot_approve')
    assertRefused(await capa.put('petra', id, { status: 'open' }), 403, 'capa_author_cannot_approve')
    ok(await world.as('quentin').post(`${capa.url(id)}/approve-draft`, {}))
    // An Admin approves their own draft only while the tenant lets Admins approve.
    const { id: second } = await capa.draft({}, 'ada')
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: false }))
    const byAdmin = () => world.as('ada').post(`${capa.url(second)}/approve-draft`, {})
    assertRefused(await byAdmin(), 403, 'capa_author_cannot_approve')
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: true }))
    ok(await byAdmin())
  },
  async is_assigned() {
    const { id } = await capa.open({ assigned_to: null, root_cause: 'Known' })
    await refusedThenTaken(id, 'alan', 'in_progress', 'is_assigned', { assigned_to: capa.idOf('alan') })
  },
  async has_root_cause() {
    const { id } = await capa.open({ root_cause: '  ' })
    await refusedThenTaken(id, 'alan', 'in_progress', 'has_root_cause', { root_cause: 'Known' })
  },
  async has_action() {
    const { id } = await capa.open({ actions: [], root_cause: 'Known' })
    const actions = [{ description: 'Train the shift', assigned_to: capa.idOf('anna') }]
    await refusedThenTaken(id, 'alan', 'in_progress', 'has_action', { actions })
  },
  async plan_is_approved() {
    const { id } = await capa.open({ root_cause: 'Known', priority: 'high' })
    await refused(id, 'alan', 'in_progress', 'plan_is_approved')
    ok(await world.as('petra').post(`${capa.url(id)}/approve-plan`, {}))
    assert.equal(ok(await capa.put('alan', id, { status: 'in_progress' })).status, 'in_progress')
  },
  async actions_are_done() {
    const { id, actions } = await capa.inState('in_progress', { adverse_effect_assessment: 'None' })
    const [action] = actions
    await refused(id, 'petra', 'pending_effectiveness', 'actions_are_done')
    // Cancelled actions alone are no completed work.
    ok(await capa.put('petra', id, { actions: [{ id: action.id, status: 'cancelled' }] }))
    await refused(id, 'petra', 'pending_effectiveness', 'actions_are_done')
    const other = { description: 'Train the shift', assigned_to: capa.idOf('anna') }
    const now = ok(await capa.put('petra', id, { actions: [{ id: action.id }, other] }))
    const done = { id: now.actions[1].id, status: 'done', evidence: 'List of participants' }
    await refused(id, 'petra', 'pending_effectiveness', 'actions_are_done')
    ok(await capa.put('anna', id, { actions: [{ id: action.id }, done] }))
    assert.equal(ok(await capa.put('petra', id, { status: 'pending_effectiveness' })).status, 'pending_effectiveness')
  },
  async adverse_effects_are_assessed() {
    const { id } = await capa.inState('in_progress')
    await capa.done(id)
    await refusedThenTaken(id, 'petra', 'pending_effectiveness', 'adverse_effects_are_assessed', {
      adverse_effect_assessment: 'None',
    })
  },
  async verifier_owns_none() {
    const actions = [{ description: 'Fit a pump', assigned_to: capa.idOf('petra') }]
    const { id } = await capa.inState('in_progress', { actions, adverse_effect_assessment: 'None' })
    const [action] = (await capa.get('petra', id)).actions
    const done = { id: action.id, status: 'done', evidence: 'Report 12' }
    ok(await capa.put('petra', id, { actions: [done] }))
    const own = await capa.put('petra', id, { status: 'pending_effectiveness' })
    assertRefused(own, 403, 'capa_action_assignee_cannot_verify')
    const { actions: after } = ok(await capa.put('quinn', id, { status: 'pending_effectiveness' }))
    assert.equal(after[0].approved_by.username, 'quinn')
  },
  async was_found_effective() {
    const { id } = await capa.inState('pending_effectiveness')
    const closing = () => capa.put('quinn', id, { status: 'closed', password })
    assertLacking(await closing(), 'was_found_effective')
    const [planned] = await capa.get('petra', id, '/effectiveness')
    ok(await capa.conclude('quentin', id, planned.id))
    // The newest review decides, and a planned one has no result yet.
    const { id: next } = ok(await capa.plan('petra', id))
    assertLacking(await closing(), 'was_found_effective')
    ok(await capa.conclude('quentin', id, next))
    assert.equal(ok(await closing()).status, 'closed')
  },
  async was_found_not_effective() {
    const { id } = await capa.inState('pending_effectiveness')
    assertLacking(await capa.put('quinn', id, { status: 'in_progress' }), 'was_found_not_effective')
    const [planned] = await capa.get('petra', id, '/effectiveness')
    ok(await capa.conclude('quentin', id, planned.id))
    assertLacking(await capa.put('quinn', id, { status: 'in_progress' }), 'was_found_not_effective')
  },
  async independent() {
    const { id } = await capa.inState('pending_effectiveness', { assigned_to: capa.idOf('quinn') })
    const [planned] = await capa.get('petra', id, '/effectiveness')
    ok(await capa.conclude('quentin', id, planned.id))
    const closing = (by: string) => capa.put(by, id, { status: 'closed', password })
    assertRefused(await closing('quinn'), 403, 'capa_closer_is_involved')
    assert.equal(ok(await closing('petra')).closed_by.username, 'petra')
  },
  async quality_unit() {
    const { id } = await capa.draft()
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: false }))
    const byAdmin = () => world.as('ada').post(`${capa.url(id)}/approve-draft`, {})
    assertRefused(await byAdmin(), 403, 'admin_may_not_approve')
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: true }))
    ok(await byAdmin())
  },
}

/** The refusal names the guard among the missing ones, and says its condition. */
function assertLacking(reply: Reply, guard: CapaGuard) {
  const { code, detail, params } = reply.json()
  assert.deepEqual([reply.statusCode, code, params.missing.includes(guard)], [409, 'conditions_not_met', true])
  assert.ok(detail.includes(capaMachine.guards[guard].text), detail)
}
const refused = async (id: number, by: string, status: CapaState, guard: CapaGuard) =>
  assertLacking(await capa.put(by, id, { status }), guard)

/** The transition lacks this one condition: it succeeds once the same call supplies it. */
async function refusedThenTaken(id: number, by: string, status: CapaState, guard: CapaGuard, mended: Json) {
  await refused(id, by, status, guard)
  assert.equal(ok(await capa.put(by, id, { status, ...mended })).status, status)
}

describe('what must be so before a CAPA moves on (proves: CAPA-01, CAPA-03, CAPA-04)', () => {
  for (const [guard, test] of Object.entries(guardTests)) it(capaMachine.guards[guard as CapaGuard].text, test)

  it('has a test for each guard of the table, and each stands before a move', () => {
    assert.deepEqual(Object.keys(guardTests).sort(), Object.keys(capaMachine.guards).sort())
    assert.deepEqual(
      [...new Set(capaMachine.transitions.flatMap(({ guards }) => guards))].sort(),
      Object.keys(capaMachine.guards).sort(),
    )
  })
})
