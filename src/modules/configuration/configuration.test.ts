// Changes of the configuration that another person puts into force.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
before(async () => {
  world = await openWorld()
})
after(() => world.close())

const url = '/api/configuration-changes/'
const refusal = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`
const accepted = (reply: { statusCode: number; body: string; headers: object; json(): Json }): Json => {
  assert.equal(reply.statusCode, 202, reply.body)
  const change = reply.json()
  assert.equal((reply.headers as Json).location, `${url}${change.id}`)
  return change
}
const approve = async (name: string, id: number, body: object = { password }) =>
  ok(await world.as(name).post(`${url}${id}/approve`, body))
const switchOn = async () => ok(await world.as('ada').put('/api/settings/', { configuration_needs_approval: true }))
const definition = async () => ok(await world.as('quinn').get('/api/workflow-templates/1')).definition
const pendingOf = async (name: string) =>
  ok(await world.as(name).get('/api/dashboard/pending-approvals')).configuration_changes.map(({ id }: Json) => id)

describe('without the setting', () => {
  it('a change takes effect at once', async () => {
    assert.equal(ok(await world.as('ada').get('/api/settings/')).configuration_needs_approval, false)
    const reply = await world
      .as('quinn')
      .post('/api/workflow-templates/', { name: 'Alone', definition: await definition() })
    assert.equal(reply.statusCode, 201)
  })
})

describe('with the setting configuration_needs_approval', () => {
  beforeEach(switchOn)

  // proves: FLOW-01, SIG-01, AUD-01
  it('a workflow template is in force when another person has signed what changes', async () => {
    const body = { name: 'Signed', definition: await definition(), description: 'By two' }
    const proposed = accepted(await world.as('quinn').post('/api/workflow-templates/', body))
    assert.deepEqual(
      [proposed.kind, proposed.operation, proposed.title, proposed.status, proposed.resource_id],
      ['workflow_template', 'create', 'Signed', 'pending', null],
    )
    assert.deepEqual(proposed.changes.description, { from: null, to: 'By two' })
    assert.equal(ok(await world.as('quinn').get('/api/workflow-templates/?q=Signed')).total, 0)
    assert.deepEqual(
      proposed.approvers.map(({ username }: Json) => username),
      ['ada'],
    )
    const seenBy = async (name: string) => ok(await world.as(name).get(`${url}${proposed.id}`)).you
    assert.deepEqual((await seenBy('quinn')).may, ['withdraw'])
    assert.deepEqual((await seenBy('ada')).may, ['approve', 'reject'])
    assert.deepEqual(
      Object.values((await seenBy('otto')).why_not).map(([{ code }]: Json) => code),
      ['permission_required', 'permission_required', 'permission_required'],
    )

    // The people who may approve it are notified, and see it among their pending approvals.
    assert.deepEqual(
      [await pendingOf('ada'), await pendingOf('quinn'), await pendingOf('petra')],
      [[proposed.id], [], []],
    )
    const { items } = ok(await world.as('ada').get('/api/notifications/?is_read=false'))
    const notice = items.find(({ type }: Json) => type === 'configuration_approval_requested')
    assert.equal(notice.link, `${url}${proposed.id}`)

    const change = await approve('ada', proposed.id, { password, intent: 'Checked against SOP-12' })
    assert.deepEqual([change.status, change.decided_by.username], ['approved', 'ada'])
    const template = ok(await world.as('quinn').get(`/api/workflow-templates/${change.resource_id}`))
    assert.deepEqual([template.name, template.version], ['Signed', 1])
    assert.deepEqual(await pendingOf('ada'), [])

    await world.seal()
    const signature = ok(await world.as('otto').get(`/api/signatures/${change.signature_id}`))
    assert.deepEqual(
      [signature.verification.status, signature.signer.username, signature.signature_type, signature.resource_type],
      ['valid', 'ada', 'approval', 'configuration_change'],
    )
    const signed = JSON.parse(signature.payload).content
    assert.deepEqual([signed.digest, signed.request.body], [change.digest, body])
    assert.equal(
      refusal(await world.as('ada').post(`/api/signatures/${signature.id}/void`, { reason: 'No', password })),
      '409 signature_of_configuration_change',
    )
    const trail = ok(
      await world.as('otto').get(`/api/audit/?resource_type=configuration_change&resource_id=${proposed.id}&sort=id`),
    )
    assert.deepEqual(
      trail.items.map(({ action, user }: Json) => [action, user.username]),
      [
        ['configuration_change.proposed', 'quinn'],
        ['configuration_change.approved', 'ada'],
      ],
    )
    const told = ok(await world.as('quinn').get('/api/notifications/')).items
    assert.ok(
      told.some(({ type, title }: Json) => type === 'configuration_change_decided' && title.includes('was approved')),
    )
  })

  it('the verification finds a change that was altered after it was signed (proves: SIG-01)', async () => {
    const proposed = accepted(
      await world.as('quinn').post('/api/document-types/', { name: 'Altered', prefix: 'ALT', workflow_template_id: 1 }),
    )
    const { signature_id } = await approve('ada', proposed.id)
    await world.superuser.query('begin; set local session_replication_role = replica')
    await world.superuser.query('alter table configuration_changes disable trigger guard')
    await world.superuser.query(`update configuration_changes set changes = '{}' where id = $1`, [proposed.id])
    await world.superuser.query('alter table configuration_changes enable always trigger guard')
    await world.superuser.query('commit')
    const { verification } = ok(await world.as('otto').get(`/api/signatures/${signature_id}`))
    assert.equal(verification.status, 'content_mismatch')
  })

  it('a document type and a form template change by two people, deactivation too (proves: TYPE-01, DEV-02)', async () => {
    const type = accepted(
      await world.as('quinn').post('/api/document-types/', { name: 'By two', prefix: 'TWO', workflow_template_id: 1 }),
    )
    const { resource_id } = await approve('ada', type.id)
    const path = `/api/document-types/${resource_id}`
    const off = accepted(await world.as('ada').put(path, { is_active: false, change_reason: 'Unused' }))
    assert.deepEqual(off.changes, { is_active: { from: true, to: false } })
    assert.equal(off.reason, 'Unused')
    assert.equal(ok(await world.as('uma').get(path)).is_active, true)
    await approve('quinn', off.id)
    assert.equal(ok(await world.as('uma').get(path)).is_active, false)

    const sections = [{ key: 's', title: 'S', fields: [{ key: 'f', label: 'F', type: 'text' }] }]
    const forms = '/api/deviations/form-templates/'
    const form = accepted(await world.as('quinn').post(forms, { name: 'By two', sections }))
    const created = await approve('ada', form.id)
    sections[0]!.fields.push({ key: 'g', label: 'G', type: 'text' })
    const next = accepted(await world.as('quinn').put(`${forms}${created.resource_id}`, { sections }))
    assert.deepEqual(next.changes.version, { from: 1, to: 2 })
    assert.equal(ok(await world.as('uma').get(`${forms}${created.resource_id}`)).version, 1)
    await approve('ada', next.id)
    assert.equal(ok(await world.as('uma').get(`${forms}${created.resource_id}`)).version, 2)
  })

  it('a proposal is checked like a change, and refused where nothing would change', async () => {
    const own = accepted(
      await world.as('quinn').post('/api/workflow-templates/', { name: 'Base', definition: await definition() }),
    )
    const { resource_id } = await approve('ada', own.id)
    const path = `/api/workflow-templates/${resource_id}`
    assert.equal(
      refusal(await world.as('quinn').put(path, { name: 'Base' })),
      '409 configuration_change_without_effect',
    )
    assert.equal(
      refusal(await world.as('quinn').put(path, { name: 'Standard approval' })),
      '409 workflow_template_name_taken',
    )
    assert.equal(refusal(await world.as('quinn').put(path, { name: 'New', revision: 7 })), '409 stale_revision')
    assert.equal((await world.as('quinn').put('/api/workflow-templates/999999', { name: 'New' })).statusCode, 404)
    assert.equal(refusal(await world.as('petra').put(path, { name: 'New' })), '403 permission_required')
  })

  it('a change of a record that was changed meanwhile is outdated, and said to be', async () => {
    const own = accepted(
      await world.as('quinn').post('/api/workflow-templates/', { name: 'Twice', definition: await definition() }),
    )
    const { resource_id } = await approve('ada', own.id)
    const path = `/api/workflow-templates/${resource_id}`
    const first = accepted(await world.as('quinn').put(path, { description: 'First' }))
    const second = accepted(await world.as('quinn').put(path, { description: 'Second' }))
    await approve('ada', second.id)
    const reply = await world.as('ada').post(`${url}${first.id}/approve`, { password })
    assert.equal(refusal(reply), '409 configuration_change_outdated')
    assert.equal(ok(await world.as('ada').get(`${url}${first.id}`)).status, 'outdated')
    assert.equal(ok(await world.as('ada').get(path)).description, 'Second')
    assert.equal(
      refusal(await world.as('ada').post(`${url}${first.id}/approve`, { password })),
      '409 configuration_change_decided',
    )
  })

  it('a change is rejected with a reason, or withdrawn by its author', async () => {
    const propose = async (name: string) =>
      accepted(await world.as('quinn').post('/api/workflow-templates/', { name, definition: await definition() }))
    const one = await propose('Rejected')
    assert.equal((await world.as('ada').post(`${url}${one.id}/reject`, {})).statusCode, 422)
    const rejected = ok(await world.as('ada').post(`${url}${one.id}/reject`, { decision_reason: 'Too weak' }))
    assert.deepEqual([rejected.status, rejected.decision_reason], ['rejected', 'Too weak'])
    const two = await propose('Withdrawn')
    assert.equal(ok(await world.as('quinn').post(`${url}${two.id}/withdraw`, {})).status, 'withdrawn')
    for (const { id } of [one, two])
      assert.equal(
        refusal(await world.as('ada').post(`${url}${id}/approve`, { password })),
        '409 configuration_change_decided',
      )
    const { items, total } = ok(await world.as('otto').get(`${url}?status=rejected&kind=workflow_template&page_size=1`))
    assert.deepEqual([items[0].id, total], [one.id, 1])
    assert.equal(items[0].changes, undefined)
  })

  // proves: ROLE-04
  it('a role changes by two people, and needs somebody else who may', async () => {
    const refused = await world
      .as('ada')
      .post('/api/roles/', { name: 'Archivist', granted: ['documents.read_obsolete'] })
    assert.equal(refusal(refused), '409 configuration_change_without_approver')
    assert.match(refused.json().detail, /^Nobody else can approve this change: it needs .* roles\.manage /)
    const granted = ['roles.manage', 'settings.manage']
    ok(await world.as('ada').put(`/api/users/${world.people.quinn!.id}/permissions`, { granted, denied: [] }))
    const role = accepted(
      await world.as('ada').post('/api/roles/', { name: 'Archivist', granted: ['documents.read_obsolete'] }),
    )
    const { resource_id } = await approve('quinn', role.id)
    const path = `/api/roles/${resource_id}`
    const wider = accepted(await world.as('ada').put(path, { granted: ['documents.read_obsolete', 'audit.read'] }))
    assert.deepEqual(wider.changes.granted.to, ['documents.read_obsolete', 'audit.read'])
    assert.deepEqual(ok(await world.as('ada').get(path)).granted, ['documents.read_obsolete'])
    await approve('quinn', wider.id)
    const removal = accepted(await world.as('quinn').delete(path))
    assert.equal(removal.operation, 'delete')
    ok(await world.as('ada').get(path))
    await approve('ada', removal.id)
    assert.equal((await world.as('ada').get(path)).statusCode, 404)
  })

  it('switching it off is a change that another person approves', async () => {
    const off = accepted(await world.as('ada').put('/api/settings/', { configuration_needs_approval: false }))
    assert.deepEqual(off.changes, { configuration_needs_approval: { from: true, to: false } })
    assert.equal((await switchOn()).configuration_needs_approval, true)
    // Switching it on again was a change of the settings, so the first proposal is outdated.
    assert.equal(
      refusal(await world.as('quinn').post(`${url}${off.id}/approve`, { password })),
      '409 configuration_change_outdated',
    )
    const again = accepted(await world.as('ada').put('/api/settings/', { configuration_needs_approval: false }))
    await approve('quinn', again.id)
    assert.equal(ok(await world.as('ada').get('/api/settings/')).configuration_needs_approval, false)
  })
})
