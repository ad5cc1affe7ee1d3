// An approver leaves, or nobody holds a role any more, while a version waits: others are told, and can name approvers anew.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const idOf = (name: string) => world.people[name]!.id
const configure = (by: string, id: number, body: object) =>
  world.as(by).post(`/api/documents/${id}/configure-approval`, { transition: 'review', ...body })
const by = (...names: string[]) => ({ kind: 'user', who: names.map(idOf), count: names.length })
const setActive = async (name: string, verb: 'deactivate' | 'reactivate') =>
  ok(await world.as('ada').post(`/api/users/${idOf(name)}/${verb}`))
const notified = async (name: string, id: number) =>
  ok(await world.as(name).get('/api/notifications/?page_size=100')).items.filter(
    (each: Json) => each.type === 'document_approval_orphaned' && each.resource_id === id,
  ).length
const refusal = (reply: Json) => {
  const body = reply.json()
  return [reply.statusCode, Array.isArray(body.detail) ? body.detail[0].type : body.code]
}
const change_reason = 'Quentin left'

/** In review: Petra has approved, and Quentin is to. */
async function halfReviewed() {
  const { id } = await paper.upload()
  ok(await configure('ada', id, { approvers: [by('petra'), by('quentin')], change_reason: 'They know the line' }))
  ok(await paper.move('alan', id, 'submit'))
  ok(await paper.approve('petra', id))
  return id
}

// proves: DOC-05, DOC-06, NOTE-01
describe('an approval that too few people are left to give', () => {
  it('is reported to those who may configure it, once, and again only after it was possible meanwhile', async () => {
    const id = await halfReviewed()
    await world.tick()
    assert.equal(await notified('quinn', id), 0, 'nothing is reported while the approvers are there')
    await setActive('quentin', 'deactivate')
    await world.tick()
    await world.tick()
    assert.deepEqual([await notified('quinn', id), await notified('ada', id)], [1, 1])
    assert.deepEqual([await notified('petra', id), await notified('uma', id)], [0, 0])
    const listed = ok(await world.as('quinn').get('/api/dashboard/orphaned-items')).approvals
    assert.deepEqual(
      listed.map((each: Json) => [each.kind, each.id, each.task.path]),
      [['document_approval', id, `/api/documents/${id}/configure-approval`]],
    )
    assert.equal(ok(await world.as('uma').get('/api/dashboard/orphaned-items')).counts.approvals, 0)
    await setActive('quentin', 'reactivate')
    await world.tick()
    await setActive('quentin', 'deactivate')
    await world.tick()
    assert.equal(await notified('quinn', id), 2)
    const events = await world.rows<Json>(
      `select action from audit_entries where resource_id = $1 and action like 'document.approval_%' and user_id is null order by id`,
      [id],
    )
    assert.deepEqual(
      events.map(({ action }) => action.slice('document.approval_'.length)),
      ['orphaned', 'resumed', 'orphaned'],
    )
    await setActive('quentin', 'reactivate')
  })

  it('is refused with the way out, and is named anew by another person with a reason, who then does not decide', async () => {
    const id = await halfReviewed()
    const approvers = [by('petra'), { kind: 'user', who: idOf('quinn'), count: 1 }]
    const begun = await configure('ada', id, { approvers, change_reason })
    assert.deepEqual(refusal(begun), [409, 'document_approval_begun'], 'nobody has left yet')
    assert.deepEqual(begun.json().params.transitions, ['withdraw'])
    await setActive('quentin', 'deactivate')

    const reject = await paper.move('quinn', id, 'reject', 'Wrong')
    assert.match(reject.json().detail, /Quentin Example \(deactivated\).*documents\.configure_approval/)
    assert.deepEqual(refusal(await configure('ada', id, { approvers })), [
      422,
      'document_configuration_reason_required',
    ])
    for (const [body, code] of [
      [{ approvers: [by('quinn')] }, 'document_approval_rule_given'],
      [{ approvers: [{ kind: 'user', who: idOf('quinn'), count: 1 }, by('petra')] }, 'document_approval_rule_given'],
      [{ approvers: [by('petra'), by('quentin')] }, 'workflow_person_cannot_approve'],
      // The author may not, nor may whoever names the approvers.
      [{ approvers: [by('petra'), by('ada')] }, 'document_approval_still_orphaned'],
      [{ approvers, mode: 'sequential' }, 'document_approval_mode_fixed'],
    ] as const)
      assert.deepEqual(
        refusal(await configure('ada', id, { ...body, change_reason })),
        [422, code],
        JSON.stringify(body),
      )
    const elsewhere = await configure('ada', id, { transition: 'approve', approvers: [by('quinn')], change_reason })
    assert.deepEqual(refusal(elsewhere), [409, 'document_approval_other_step_orphaned'])

    ok(
      await world
        .as('ada')
        .put(`/api/users/${idOf('petra')}/permissions`, { granted: ['documents.configure_approval'], denied: [] }),
    )
    const own = await configure('petra', id, { approvers, change_reason })
    assert.deepEqual(refusal(own), [403, 'document_approval_configured_by_approver'])
    ok(await world.as('ada').put(`/api/users/${idOf('petra')}/permissions`, { granted: [], denied: [] }))

    ok(await configure('ada', id, { approvers, change_reason }))
    const [entry] = await world.rows<Json>(
      `select reason from audit_entries where action = 'document.approval_configured' and resource_id = $1 order by id desc limit 1`,
      [id],
    )
    assert.equal(entry.reason, change_reason)
    assert.deepEqual(refusal(await paper.approve('ada', id)), [403, 'approver_took_part'])
    const after = ok(await paper.approve('quinn', id))
    assert.equal(after.status, 'in_approval', 'the approval that Petra gave counts')
    await setActive('quentin', 'reactivate')
  })

  it('is delegated for somebody who has left, by another person who may configure it, but not to themselves', async () => {
    const id = await halfReviewed()
    await setActive('quentin', 'deactivate')
    const hand = (to: string) =>
      world.as('ada').post(`/api/documents/${id}/delegate`, { from: idOf('quentin'), to: idOf(to), reason: 'He left' })
    assert.equal((await hand('ada')).statusCode, 403)
    ok(await hand('quinn'))
    await world.tick()
    assert.equal(await notified('quinn', id), 0)
    assert.equal(ok(await paper.approve('quinn', id)).status, 'in_approval')
    await setActive('quentin', 'reactivate')
  })

  it('by a role that nobody holds any more is given to other people', async () => {
    const roles = ok(await world.as('ada').get('/api/roles/?page_size=100')).items
    const qa = roles.find(({ name }: Json) => name === 'QA').id
    const leads = ok(await world.as('ada').post('/api/roles/', { name: 'Lead', inherits_role_id: qa })).id
    const setRole = async (role_id: number) =>
      ok(await world.as('ada').put(`/api/users/${idOf('quentin')}/role`, { role_id }))
    await setRole(leads)
    const { id } = await paper.upload()
    const lead = [{ kind: 'role', who: 'Lead', count: 1 }]
    ok(await configure('ada', id, { transition: 'approve', approvers: lead, change_reason: 'A lead decides' }))
    ok(await paper.move('alan', id, 'submit'))
    ok(await paper.approve('petra', id))
    await setRole(qa)
    await world.tick()
    assert.equal(await notified('quinn', id), 1)
    const anew = [{ kind: 'role', who: 'QA', count: 1 }]
    ok(await configure('ada', id, { transition: 'approve', approvers: anew, change_reason: 'There is no lead' }))
    assert.equal(ok(await paper.approve('quinn', id)).status, 'effective')
  })
})
