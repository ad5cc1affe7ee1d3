// The actions of a CAPA, one by one.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'

let world: World
let capa: ReturnType<typeof capas>
before(async () => {
  world = await openWorld()
  capa = capas(world)
})
after(() => world.close())

const reason = 'As agreed in the weekly meeting'
const at = (id: number, action: number | string = '') => `/api/capa/${id}/actions${action && `/${action}`}`
const put = (by: string, id: number, action: number, body: object) =>
  world.as(by).put(at(id, action), { change_reason: reason, ...body })
const actionsOf = async (id: number): Promise<Json[]> => (await capa.get('petra', id)).actions
const codeOf = (reply: { json(): Json }) => {
  const { code, detail } = reply.json()
  return code === 'invalid_input' ? detail[0].type : code
}
const twoActions = () =>
  capa.inState('in_progress', {
    actions: [
      { description: 'Fit a dosing pump', assigned_to: capa.idOf('anna') },
      { description: 'Train the shift', assigned_to: capa.idOf('petra') },
    ],
  })

// proves: CAPA-01, CAPA-02
describe('one action of a CAPA', () => {
  it('is ticked off by its assignee while another ticks off theirs, and both succeed', async () => {
    const { id, actions, revision } = await twoActions()
    const [first, second] = actions
    const done = { status: 'done', evidence: 'Report 12' }
    const replies = await Promise.all([
      put('anna', id, first.id, { ...done, revision: first.revision }),
      put('petra', id, second.id, { ...done, revision: second.revision }),
    ])
    for (const reply of replies) assert.equal(reply.statusCode, 200, reply.body)
    const after = await capa.get('petra', id)
    assert.deepEqual(
      after.actions.map((each: Json) => [each.status, each.completed_by.username, each.revision]),
      [
        ['done', 'anna', 2],
        ['done', 'petra', 2],
      ],
    )
    assert.equal(after.revision, revision + 2)
  })

  it('is changed by one of two who change it at once, and the other learns that it is stale, and by whom', async () => {
    const { id, actions } = await twoActions()
    const [{ id: action, revision }] = actions
    const change = (by: string, description: string) => put(by, id, action, { description, revision })
    const replies = await Promise.all([change('alan', 'Fit two pumps'), change('petra', 'Fit three pumps')])
    const [won, lost] = replies.toSorted((one, other) => one.statusCode - other.statusCode)
    assert.equal(won!.statusCode, 200, won!.body)
    assert.equal(won!.headers.etag, `"${revision + 1}"`)
    assert.deepEqual([lost!.statusCode, codeOf(lost!)], [409, 'stale_revision'])
    const { changed_by, current } = lost!.json().params
    assert.deepEqual([current, ['alan', 'petra'].includes(changed_by)], [revision + 1, true])
    const stale = await world
      .as('alan')
      .put(at(id, action), { description: 'None', change_reason: reason }, { 'if-match': `"${revision}"` })
    assert.deepEqual([stale.statusCode, codeOf(stale)], [409, 'stale_revision'])
    // The whole list counts it too.
    const listed = (await actionsOf(id)).map(each => ({
      id: each.id,
      ...(each.id === action && { status: 'in_progress' }),
    }))
    const [third] = ok(await capa.put('petra', id, { actions: listed })).actions
    assert.equal(third.revision, revision + 2)
  })

  it('is done with a text, with files of the CAPA, or both, which the closure signs', async () => {
    const { id, actions } = await twoActions()
    const [first, second] = actions
    const bare = await put('anna', id, first.id, { status: 'done' })
    assert.deepEqual([bare.statusCode, bare.json().detail[0].loc], [422, ['body', 'evidence']])
    const attach = async (to: number): Promise<number> =>
      ok(await world.as('alan').upload(`/api/capa/${to}/attachments`, {}, { bytes: pdf('report'), name: 'a.pdf' })).id
    const file = await attach(id)
    const { id: other } = await capa.open()
    const strange = await put('anna', id, first.id, { status: 'done', attachment_ids: [await attach(other)] })
    assert.equal(strange.statusCode, 404, strange.body)
    const done = ok(await put('anna', id, first.id, { status: 'done', attachment_ids: [file] }))
    assert.deepEqual([done.status, done.evidence, done.attachment_ids], ['done', null, [file]])
    assert.deepEqual(ok(await world.as('anna').get(at(id, first.id))), done)
    ok(await put('petra', id, second.id, { status: 'cancelled' }))
    await assert.rejects(
      world.superuser.query(`update capa_actions set attachment_ids = '{999999}' where id = ${first.id}`),
      { code: 'QA002' },
    )

    const { id: review } = ok(await capa.plan('petra', id))
    ok(await capa.put('alan', id, { adverse_effect_assessment: 'None' }))
    ok(await capa.put('quentin', id, { status: 'pending_effectiveness' }))
    ok(await capa.conclude('quentin', id, review))
    const { signature_id } = ok(await capa.put('quinn', id, { status: 'closed', password }))
    const { payload, verification } = ok(await world.as('quinn').get(`/api/signatures/${signature_id}`))
    assert.deepEqual(JSON.parse(payload).content.action_files, [{ attachment_ids: [file], id: first.id }])
    assert.ok(verification.valid, JSON.stringify(verification))
  })

  it('is added at the end, ordered, and removed with a reason while it is open', async () => {
    const { id, actions } = await twoActions()
    const ids = actions.map((each: Json) => each.id)
    const reply = await world
      .as('alan')
      .post(at(id), { description: 'Buy spare pumps', assigned_to: capa.idOf('anna'), change_reason: reason })
    const third = ok(reply)
    assert.equal(reply.headers.location, at(id, third.id))
    const order = (action_ids: number[], by = 'alan') =>
      world.as(by).put(at(id, 'order'), { action_ids, change_reason: reason })
    const idsOf = async () => (await actionsOf(id)).map(each => each.id)
    ok(await order([third.id, ...ids]))
    assert.deepEqual(await idsOf(), [third.id, ...ids])
    assert.equal(codeOf(await order(ids)), 'capa_actions_not_listed')
    assert.equal((await order([...ids, third.id, actions[0].id + 999_999])).statusCode, 404)
    assert.equal(codeOf(await order([third.id, ...ids], 'anna')), 'capa_actions_planned_by_owner')

    const remove = (by: string, action: number, body: object = { reason }) => world.as(by).delete(at(id, action), body)
    assert.equal((await remove('alan', third.id, {})).statusCode, 422)
    assert.equal(codeOf(await remove('anna', third.id)), 'capa_actions_planned_by_owner')
    ok(await put('petra', id, ids[1], { status: 'in_progress' }))
    assert.equal(codeOf(await remove('alan', ids[1])), 'capa_action_begun')
    assert.equal((await remove('alan', ids[0])).statusCode, 204)
    assert.deepEqual(await idsOf(), [third.id, ids[1]])
    assert.equal((await remove('alan', ids[0])).statusCode, 404)
    // The place that it left is given again.
    const fourth = ok(
      await world
        .as('alan')
        .post(at(id), { description: 'Last', assigned_to: capa.idOf('anna'), change_reason: reason }),
    )
    assert.deepEqual(await idsOf(), [third.id, ids[1], fourth.id])
    const [entry] = await world.rows<{ reason: string; changes: Record<string, { from: Json[]; to: Json[] }> }>(
      `select reason, changes from audit_entries where action = 'capa.updated' and resource_id = $1 order by id desc offset 1 limit 1`,
      [id],
    )
    const gone = entry!.changes.actions!.from.find(each => each.id === ids[0])
    assert.deepEqual(
      [entry!.reason, gone?.description, entry!.changes.actions!.to.some(each => each.id === ids[0])],
      [reason, 'Fit a dosing pump', false],
    )
  })

  it('is bound to the same states, people, reasons and approvals as the whole list', async () => {
    const { id, actions } = await capa.draft({
      actions: [{ description: 'Fit a pump', assigned_to: capa.idOf('anna') }],
    })
    const [{ id: action }] = actions
    assert.equal(codeOf(await put('petra', id, action, { status: 'in_progress' })), 'capa_draft_not_approved')
    const urgent = await capa.open({ priority: 'critical', root_cause: 'No pump' })
    const [{ id: waiting }] = urgent.actions
    assert.equal(
      codeOf(await put('anna', urgent.id, waiting, { status: 'done', evidence: 'x' })),
      'capa_plan_not_approved',
    )
    const begun = await twoActions()
    const [own] = begun.actions
    assert.equal(
      codeOf(await put('alan', begun.id, own.id, { status: 'done', evidence: 'x' })),
      'capa_action_of_another',
    )
    assert.equal(codeOf(await put('anna', begun.id, own.id, { description: 'Less' })), 'capa_actions_planned_by_owner')
    assert.equal(
      codeOf(await put('anna', begun.id, own.id, { status: 'in_progress', change_reason: undefined })),
      'record_reason_required',
    )
    assert.equal((await put('anna', begun.id, waiting, { status: 'in_progress' })).statusCode, 404)
    const over = await capa.inState('pending_effectiveness')
    assert.equal(
      codeOf(await put('petra', over.id, over.actions[0].id, { description: 'x' })),
      'capa_awaits_effectiveness_review',
    )
    await assert.rejects(world.superuser.query(`delete from capa_actions where id = ${over.actions[0].id}`), {
      code: 'QA002',
    })
  })
})
