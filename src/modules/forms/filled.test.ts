// A deviation with its form, through HTTP, as people fill it in.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

const templates = '/api/deviations/form-templates/'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

const sections = [
  {
    key: 'event',
    title: 'Event',
    fields: [
      { key: 'line', label: 'Line', type: 'text', required: true, max: 20 },
      {
        key: 'affected',
        label: 'Product affected',
        type: 'select',
        options: [
          { value: 'yes', label: 'Yes' },
          { value: 'no', label: 'No' },
        ],
      },
      {
        key: 'batch',
        label: 'Batch',
        type: 'text',
        required: true,
        visible_when: { field: 'affected', equals: 'yes' },
      },
      { key: 'sop', label: 'SOP', type: 'document_picker' },
      { key: 'capa', label: 'CAPA', type: 'capa_picker' },
      { key: 'photo', label: 'Photo', type: 'image', required: true },
      { key: 'chart', label: 'Chart', type: 'file' },
    ],
  },
]

let world: World
let template: number
before(async () => {
  world = await openWorld()
  template = ok(await world.as('quinn').post(templates, { name: 'Filling line', sections })).id
})
after(() => world.close())

const report = (form_data: object, { by = 'uma', ...more }: { by?: string; [field: string]: unknown } = {}) =>
  world.as(by).post('/api/deviations/', {
    title: 'Leak at the filling line',
    description: 'A valve leaked during filling',
    severity: 'minor',
    form_template_id: template,
    form_data,
    ...more,
  })
const put = (by: string, id: number, body: object) => world.as(by).put(`/api/deviations/${id}`, body)
const deny = async (name: string, ...denied: string[]) => {
  const { id } = world.people[name]!
  await world.rows('begin')
  await world.rows('set local session_replication_role = replica')
  await world.rows('update users set denied = $1 where id = $2', [denied, id])
  await world.rows('commit')
  world.services.accounts.changed()
}
const faults = (reply: { statusCode: number; body: string; json(): Json }) => {
  assert.equal(reply.statusCode, 422, reply.body)
  return reply.json().detail.map(({ loc, type }: Json) => [loc.join('.'), type])
}
const attach = async (id: number, file: { bytes: Buffer; name: string }, by = 'uma') =>
  ok(await world.as(by).upload(`/api/deviations/${id}/attachments`, {}, file)).id as number

// proves: DEV-02
describe('a deviation with a form', () => {
  it('is reported with what was filled in, and keeps what belongs to the form alone', async () => {
    const made = ok(await report({ line: 'L1', affected: 'no', batch: 'left over' }))
    assert.deepEqual(
      [made.form_template_id, made.form_template_version, made.form_data],
      [template, 1, { line: 'L1', affected: 'no' }],
    )
    assert.deepEqual(ok(await world.as('uma').get(`/api/deviations/${made.id}`)).form_data, made.form_data)
  })

  it('is refused with every fault of the form at its field, and nothing of it is kept', async () => {
    const total = async () => ok(await world.as('uma').get('/api/deviations/')).total
    const before = await total()
    const reply = await report({ line: '  ', affected: 'yes', sop: '7', other: 1, chart: 5 })
    assert.deepEqual(faults(reply), [
      ['body.form_data.other', 'extra_forbidden'],
      ['body.form_data.line', 'missing'],
      ['body.form_data.batch', 'missing'],
      ['body.form_data.sop', 'form_id_required'],
      // There is nothing attached to what is not there yet.
      ['body.form_data.chart', 'form_attachment_not_found'],
    ])
    assert.equal(await total(), before)
  })

  it('with more fields than any form has is refused in a word', async () => {
    const endless = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, 'x']))
    assert.deepEqual(faults(await report(endless)), [['body.form_data', 'too_many_items']])
  })

  it('is begun with a template of the tenant that is in use, and filled in by one at all', async () => {
    for (const form_template_id of [
      999_999_999,
      ok(await world.as('rex').post(templates, { name: "Rival's", sections })).id,
    ])
      assert.deepEqual(
        [(await report({}, { form_template_id })).statusCode, (await report({}, { form_template_id })).json().detail],
        [404, 'Form template not found'],
      )
    const away = ok(await world.as('quinn').post(templates, { name: 'Out of use', sections }))
    ok(await world.as('quinn').put(templates + away.id, { is_active: false }))
    const refused = await report({ line: 'L1' }, { form_template_id: away.id })
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'form_template_inactive'])
    const body = { title: 'T', description: 'D', severity: 'minor', form_data: { line: 'L1' } }
    assert.equal((await world.as('uma').post('/api/deviations/', body)).statusCode, 422)
  })

  it('keeps the version that it was begun with, whatever the template becomes', async () => {
    const form = ok(await world.as('quinn').post(templates, { name: 'Changing', sections }))
    const { id } = ok(await report({ line: 'L1' }, { form_template_id: form.id }))
    const other = [{ key: 's', title: 'S', fields: [{ key: 'room', label: 'Room', type: 'text', required: true }] }]
    ok(await world.as('quinn').put(templates + form.id, { sections: other, is_active: false }))
    const changed = ok(await put('uma', id, { form_data: { line: 'L2' } }))
    assert.deepEqual([changed.form_template_version, changed.form_data], [1, { line: 'L2' }])
    assert.deepEqual(faults(await put('uma', id, { form_data: { room: 'R1' } })), [
      ['body.form_data.room', 'extra_forbidden'],
      ['body.form_data.line', 'missing'],
    ])
  })

  it('points at documents that its writer may read: a draft of others, and none at all, are the same to them', async () => {
    const paper = papers(world)
    const effective = (await paper.effective()).id
    const draft = (await paper.upload()).id
    const told = async (by: string, sop: number) => (await report({ line: 'L1', sop }, { by })).body
    assert.equal(await told('uma', draft), await told('uma', 999_999_999))
    assert.deepEqual(faults(await report({ line: 'L1', sop: draft })), [
      ['body.form_data.sop', 'form_document_not_found'],
    ])
    assert.equal(ok(await report({ line: 'L1', sop: effective })).form_data.sop, effective)
    assert.equal(ok(await report({ line: 'L1', sop: draft }, { by: 'alan' })).form_data.sop, draft)
    const [type] = await world.rows<{ id: string }>(
      'select id from document_types where tenant_id = $1 order by id limit 1',
      [world.people.rex!.tenant_id],
    )
    const theirs = ok(
      await world.as('rob').upload('/api/documents/upload', { title: 'T', document_type: Number(type!.id) }),
    ).id
    assert.equal(await told('alan', theirs), await told('alan', 999_999_999))
    await deny('alan', 'documents.read')
    assert.equal(await told('alan', effective), await told('alan', 999_999_999))
    await deny('alan')
  })

  it('keeps what it points at when somebody changes the rest who may not see that', async () => {
    const draft = (await papers(world).upload()).id
    const { id } = ok(await report({ line: 'L1', sop: draft }, { by: 'alan' }))
    // Petra of QA reads drafts; without that she finds hers refused, and what is there already left alone.
    await deny('petra', 'documents.read_drafts')
    const other = (await papers(world).upload()).id
    const kept = ok(await put('petra', id, { form_data: { line: 'L2', sop: draft } }))
    assert.deepEqual(kept.form_data, { line: 'L2', sop: draft })
    assert.deepEqual(faults(await put('petra', id, { form_data: { line: 'L2', sop: other } })), [
      ['body.form_data.sop', 'form_document_not_found'],
    ])
    await deny('petra')
  })

  it('points at CAPAs for those who may read CAPAs, and for others at none', async () => {
    const capaOf = async (by: string) =>
      ok(
        await world.as(by).post('/api/capa/', {
          title: 'Valves',
          description: 'Seals wear out',
          type: 'corrective',
          source: 'internal',
        }),
      ).id
    const [own, rivals] = [await capaOf('petra'), await capaOf('rex')]
    const told = async (by: string, capa: number) => (await report({ line: 'L1', capa }, { by })).body
    assert.equal(ok(await report({ line: 'L1', capa: own }, { by: 'petra' })).form_data.capa, own)
    assert.equal(await told('uma', own), await told('uma', 999_999_999))
    assert.equal(await told('petra', rivals), await told('petra', 999_999_999))
    assert.deepEqual(faults(await report({ line: 'L1', capa: own })), [['body.form_data.capa', 'form_capa_not_found']])
  })

  it('has files and images that are attached to itself, an image in the place of an image', async () => {
    const { id } = ok(await report({ line: 'L1' }))
    const photo = await attach(id, { bytes: png, name: 'valve.png' })
    const chart = await attach(id, { bytes: pdf(), name: 'chart.pdf' })
    const filled = ok(await put('uma', id, { form_data: { line: 'L1', photo, chart } }))
    assert.deepEqual(filled.form_data, { line: 'L1', photo, chart })
    const pictured = ok(await put('uma', id, { form_data: { line: 'L1', photo, chart: photo } }))
    assert.equal(pictured.form_data.chart, photo)
    assert.deepEqual(faults(await put('uma', id, { form_data: { line: 'L1', photo: chart } })), [
      ['body.form_data.photo', 'form_attachment_not_image'],
    ])
    const other = ok(await report({ line: 'L1' }))
    const told = async (key: string, attachment: number) =>
      (await put('uma', other.id, { form_data: { line: 'L1', [key]: attachment } })).body
    for (const key of ['photo', 'chart']) assert.equal(await told(key, photo), await told(key, 999_999_999))
    assert.deepEqual(faults(await put('uma', other.id, { form_data: { line: 'L1', chart } })), [
      ['body.form_data.chart', 'form_attachment_not_found'],
    ])
  })

  it('goes to its approval when the required files and images are there, and not before', async () => {
    const { id } = ok(await report({ line: 'L1' }))
    ok(await put('petra', id, { status: 'under_investigation', assigned_to: world.people.petra!.id }))
    const submit = {
      status: 'pending_approval',
      change_reason: 'Investigated',
      investigation: 'The seal was worn',
      impact_assessment: 'None: the batch was not filled yet',
      root_cause: { method: 'other', category: 'equipment_failure', summary: 'A worn seal' },
    }
    assert.deepEqual(faults(await put('petra', id, submit)), [['body.form_data.photo', 'form_attachment_required']])
    assert.equal(ok(await world.as('uma').get(`/api/deviations/${id}`)).status, 'under_investigation')
    const photo = await attach(id, { bytes: png, name: 'valve.png' }, 'petra')
    const moved = ok(await put('petra', id, { ...submit, form_data: { line: 'L1', photo } }))
    assert.deepEqual([moved.status, moved.form_data], ['pending_approval', { line: 'L1', photo }])
    assert.deepEqual(faults(await put('petra', id, { form_data: { line: 'L1' }, change_reason: 'Away with it' })), [
      ['body.form_data.photo', 'form_attachment_required'],
    ])
  })
})
