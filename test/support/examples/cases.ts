import { demoPassword } from '../../../src/commands/demo/people.ts'
import { inDays, markdown, type Scene } from './scene.ts'

const swabs = markdown('swab-results.csv', 'place,microgram per 25 cm2\nhatch,2\nshaft seal,14\n')

/** What deviations and CAPAs have in common. */
async function parts(
  { ask }: Scene,
  kind: 'deviations' | 'capa',
  { id, by, approver, link, text }: { id: number; by: string; approver: string; link: object; text: string },
) {
  const params = { id }
  const url = `/api/${kind}/:id`
  const { id: comment_id } = await ask(`POST ${url}/comments`, by, { params, body: { text } })
  await ask(`GET ${url}/comments`, 'hana', { params })
  await ask(`GET ${url}/comments/:comment_id`, 'hana', { params: { id, comment_id } })
  const { id: attachment_id } = await ask(`POST ${url}/attachments`, by, {
    params,
    form: { description: 'Results of the laboratory' },
    file: swabs,
  })
  await ask(`GET ${url}/attachments`, 'hana', { params })
  await ask(`GET ${url}/attachments/:attachment_id`, 'hana', { params: { id, attachment_id } })
  const { id: link_id } = await ask(`POST ${url}/links`, approver, { params, body: { ...link } })
  await ask(`GET ${url}/links`, 'hana', { params })
  await ask(`GET ${url}/links/:link_id`, 'hana', { params: { id, link_id } })
  await ask(`DELETE ${url}/links/:link_id`, approver, {
    params: { id, link_id },
    body: { reason: 'Linked to the wrong record' },
  })
  await ask(`POST ${url}/extend`, by, {
    params,
    body: { due_date: inDays(90), reason: 'The new seal is delivered in four weeks' },
  })
  const extensions = await ask(`GET ${url}/extensions`, 'hana', { params })
  await ask(`POST ${url}/extensions/:extension_id/decide`, approver, {
    params: { id, extension_id: extensions.at(-1).id },
    body: { decision: 'approve', comment: 'The order was seen' },
  })
  await ask(`GET ${url}/history`, 'hana', { params })
  await ask(`GET ${url}/timeline`, 'hana', { params })
}

export async function deviations(scene: Scene) {
  const { ask, person, document, deviation } = scene
  await ask('POST /api/deviations/suggest-severity', 'tom', {
    body: { description: 'The cold store CS-2 was at 9 °C for two hours, with batches for patients in it.' },
  })
  const photo = await ask('POST /api/uploads/', 'tom', {
    form: { description: 'The record of the sensor' },
    file: markdown('sensor-cs-2.csv', 'time,°C\n06:00,7.8\n08:00,9.1\n'),
  })
  await ask('GET /api/uploads/:id', 'tom', { params: { id: photo.id } })
  const { id } = await ask('POST /api/deviations/', 'tom', {
    body: {
      attachment_ids: [photo.id],
      title: 'Cold store CS-2 above 8 °C for two hours',
      description: 'The cold store CS-2 was at 9 °C for two hours, with batches for patients in it.',
      severity: 'critical',
      category: 'storage_warehouse',
      department: 'Warehouse',
      affected_items: [
        { kind: 'equipment', identifier: 'CS-2' },
        { kind: 'batch', identifier: 'LP-310-0011' },
      ],
      immediate_action: 'Batches moved to CS-1 and blocked',
      document_ids: [document('SOP-0002')],
    },
  })
  const params = { id }
  await ask('PUT /api/deviations/:id', 'jonas', {
    params,
    body: {
      status: 'under_investigation',
      assigned_to: person('jonas'),
      change_reason: 'Investigated by quality assurance',
    },
  })
  await ask('GET /api/deviations/', 'hana', { query: { page_size: 1, severity: 'critical', facets: 'status' } })
  await ask('GET /api/deviations/values', 'hana', { query: { field: 'department', q: 'pack' } })
  await ask('GET /api/deviations/similar', 'jonas', { query: { deviation_id: id, limit: 1 } })
  await parts(scene, 'deviations', {
    ...{ id, by: 'jonas', approver: 'marta', text: 'The door was open while pallets were moved.' },
    link: {
      resource_type: 'deviation',
      resource_id: deviation('Swab of the blender PB-02 above its limit after cleaning'),
      relation: 'similar',
    },
  })
  await ask('GET /api/deviations/:id', 'hana', {
    params: { id: deviation('Cold store CS-1 above 8 °C for six hours') },
  })
}

export async function capas(scene: Scene) {
  const { ask, send, person, document, deviation, capa } = scene
  const { id } = await ask('POST /api/capa/', 'emil', {
    body: {
      title: 'Doors of cold stores close by themselves',
      description: 'A door of a cold store stays open while pallets are moved.',
      type: 'corrective',
      source: 'deviation',
      priority: 'high',
      root_cause: 'The doors have no closer.',
      adverse_effect_assessment: 'None: the doors are as they were qualified.',
      assigned_to: person('emil'),
      deviation_ids: [deviation('Cold store CS-1 above 8 °C for six hours')],
      document_ids: [document('SOP-0002')],
      due_date: inDays(60),
      actions: [{ description: 'Fit a closer to each door', assigned_to: person('emil'), due_date: inDays(30) }],
    },
  })
  const params = { id }
  await ask('POST /api/capa/:id/approve-plan', 'priya', { params, body: { comment: 'The closers are qualified' } })
  await ask('PUT /api/capa/:id', 'emil', {
    params,
    body: { status: 'in_progress', change_reason: 'Cause and actions are agreed' },
  })
  const action = await ask('POST /api/capa/:id/actions', 'emil', {
    params,
    body: {
      ...{ description: 'Show the closers to all shifts', assigned_to: person('emil'), due_date: inDays(40) },
      change_reason: 'The closers are new to everybody',
    },
  })
  const { actions } = await send('GET', `/api/capa/${id}`, 'emil')
  const ids: number[] = actions.map((each: { id: number }) => each.id)
  await ask('PUT /api/capa/:id/actions/order', 'emil', {
    params,
    body: { action_ids: ids.toReversed(), change_reason: 'The shifts are shown first' },
  })
  await ask('GET /api/capa/:id/actions/:action_id', 'hana', { params: { id, action_id: action.id } })
  await ask('PUT /api/capa/:id/actions/:action_id', 'emil', {
    params: { id, action_id: ids[0]! },
    body: { status: 'in_progress', revision: 1, change_reason: 'The closers are ordered' },
  })
  await ask('DELETE /api/capa/:id/actions/:action_id', 'emil', {
    params: { id, action_id: action.id },
    body: { reason: 'The manual says how a closer works' },
  })
  await parts(scene, 'capa', {
    ...{ id, by: 'emil', approver: 'marta', text: 'The closers arrive on Monday.' },
    link: {
      ...{ resource_type: 'deviation', relation: 'root' },
      resource_id: deviation('Label roll of another product found at packaging line 3'),
    },
  })
  const draft = async (title: string, description: string) =>
    send('POST', '/api/capa/', 'lucia', {
      body: { title, description, type: 'preventive', source: 'internal', priority: 'low' },
    })
  const shelves = await draft('Shelves of cold stores are marked', 'The places for blocked batches are marked in red.')
  await ask('POST /api/capa/:id/approve-draft', 'priya', {
    params: { id: shelves.id },
    body: { comment: 'Blocked batches were searched for twice' },
  })
  const thermometers = await draft('Second thermometer in each cold store', 'A thermometer to compare with.')
  await ask('POST /api/capa/:id/reject-draft', 'jonas', {
    params: { id: thermometers.id },
    body: { comment: 'The stores have two sensors already' },
  })
  const review = await ask('POST /api/capa/:id/effectiveness', 'priya', {
    params,
    body: {
      ...{ criteria: 'No store above 8 °C in three months', method: 'trend', due_date: inDays(120) },
      reviewer_id: person('jonas'),
    },
  })
  await ask('GET /api/capa/', 'hana', { query: { page_size: 1, priority: 'critical' } })
  await ask('GET /api/capa/:id', 'hana', { params: { id: capa('Alarms of cold stores reach somebody who is awake') } })
  await ask('GET /api/capa/:id/effectiveness', 'hana', { params })
  await ask('GET /api/capa/:id/effectiveness/:review_id', 'hana', { params: { id, review_id: review.id } })
  const pending = capa('Alarms of cold stores reach somebody who is awake')
  const [planned] = await send('GET', `/api/capa/${pending}/effectiveness`, 'jonas')
  await ask('PUT /api/capa/:id/effectiveness/:review_id', 'jonas', {
    params: { id: pending, review_id: planned.id },
    body: {
      result: 'effective',
      conclusion: 'All of twelve test alarms were acknowledged within ten minutes',
      evidence: 'Alarm log of CS-1',
      change_reason: 'Twelve alarms were tested sooner than planned',
      password: demoPassword,
    },
  })
}
