// A month of a company of 40 people, through the API as they use it: a company from nothing, and each situation in the order of its days.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { readXlsx } from 'hucre/xlsx'
import { Secret, TOTP } from 'otpauth'
import { dayFromNow } from '#test/builders/cases.ts'
import { rootCause } from '#test/builders/deviations.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { readDossier } from '#test/builders/dossiers.ts'
import { pagesOf } from '#test/builders/pdf.ts'
import { peopleOfWorld } from '#test/world/people.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'

let world: World
before(async () => {
  world = await openWorld()
})
after(() => world.close())

/** Whoever is not named is a User of the production. */
const staff = {
  mara: 'QA Manager',
  ...{ jonas: 'QA', lea: 'QA', leo: 'QA', tara: 'QA' },
  ...{ emil: 'Author', nils: 'Author', tess: 'Author' },
  ines: 'Auditor',
  ...{ kim: 'User', bo: 'User', eva: 'User' },
}
const production = Array.from({ length: 27 }, (_, index) => `operator${index + 1}`)
const firstPassword = 'First day at Northwind'

const idOf = (name: string) => world.people[name]!.id
const get = async (by: string, url: string): Promise<Json> => ok(await world.as(by).get(url))
const post = async (by: string, url: string, body: object = {}): Promise<Json> => ok(await world.as(by).post(url, body))
const put = async (by: string, url: string, body: object): Promise<Json> => ok(await world.as(by).put(url, body))
const approve = (by: string, id: number, body: object = {}) =>
  world.as(by).post(`/api/documents/${id}/approve`, { password, comment: 'As read', ...body })

type Reply = Awaited<ReturnType<typeof approve>>
/** A refusal says what is wrong by a code, and in a sentence for people. */
function refused(reply: Reply, status: number, code: string, sentence?: RegExp) {
  const { detail, code: given } = reply.json()
  const [found, words] = Array.isArray(detail) ? [detail[0].type, detail[0].msg] : [given, detail]
  assert.deepEqual([reply.statusCode, found], [status, code], reply.body)
  if (sentence) assert.match(words, sentence)
}

/** Users who were added, and those whose tokens have ended since. */
const knowPeople = async () => Object.assign(world.people, await peopleOfWorld(world.superuser))

const morningOf = (day: number) => {
  world.clock.moved_ms = (day - 1) * 86_400_000
}
const notified = async (name: string, type: string, id: number): Promise<Json[]> =>
  (await get(name, `/api/notifications/?type=${type}&page_size=100`)).items.filter(
    (each: Json) => each.resource_id === id,
  )
const listed = async (by: string, list: string, kind: string): Promise<Json[]> =>
  (await get(by, `/api/dashboard/${list}?limit=100`))[kind]

/** The JSON of the page that shows a company how to set itself up: what stands there is what this company has. */
const page = readFileSync(join(import.meta.dirname, '../docs/getting-started.md'), 'utf8')
const printed = [...page.matchAll(/<<'END'[^\n]*\n(\{\n.*?\n\})\nEND/gs)].map(([, json]) => JSON.parse(json!) as Json)
const procedureWorkflow = printed.find(({ definition }) => definition)!
const form = printed.find(({ sections }) => sections)!

/** What the days leave for later ones. */
const company: Record<string, number> = {}

const upload = async (by: string, type: string, title: string, file?: { bytes: Buffer; name: string }) =>
  world.as(by).upload('/api/documents/upload', { title, document_type: company[type]! }, file)
const draft = async (by: string, title: string, file?: { bytes: Buffer; name: string }): Promise<number> =>
  ok(await upload(by, 'procedure', title, file)).id
const submit = (by: string, id: number, comment?: string) =>
  world.as(by).post(`/api/documents/${id}/transition`, { transition: 'submit', ...(comment && { comment }) })
/** Only these people may review it. */
const reviewedBy = (by: string, id: number, names: string[], change_reason = 'They know the line') =>
  world.as(by).post(`/api/documents/${id}/configure-approval`, {
    ...{ transition: 'review', change_reason },
    approvers: [{ kind: 'user', who: names.map(idOf), count: names.length }],
  })

describe('day 1: the company is set up from nothing', () => {
  it('by the platform, with its Admin, who adds 39 people and their groups (proves: AUTH-07, GRP-01)', async () => {
    const { secret } = await post('pat', '/api/auth/totp/enroll', { password })
    const otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now().getTime() })
    const { access_token } = await post('pat', '/api/auth/totp/confirm', { otp })
    const admin = {
      ...{ username: 'iris', email: 'iris@northwind.example', full_name: 'Iris Falk', password: firstPassword },
    }
    const made = await world.server.inject({
      method: 'POST',
      url: '/api/platform/tenants/',
      headers: { authorization: `Bearer ${access_token}` },
      payload: { name: 'Northwind Pharma', admin },
    })
    assert.equal(made.statusCode, 201, made.body)
    await knowPeople()
    const firstLogIn = (name: string) =>
      post(name, '/api/auth/change-password', { current_password: firstPassword, new_password: password })
    refused(await world.as('iris').get('/api/users/'), 403, 'temporary_password')
    await firstLogIn('iris')
    await knowPeople()
    const roles = new Map<string, number>()
    for (const { name, id } of (await get('iris', '/api/roles/')).items) roles.set(name, id)
    const everybody = { ...staff, ...Object.fromEntries(production.map(name => [name, 'User'])) }
    for (const [username, role] of Object.entries(everybody))
      await post('iris', '/api/users/', {
        ...{ username, email: `${username}@northwind.example`, password: firstPassword, role_id: roles.get(role) },
        full_name: `${username[0]!.toUpperCase()}${username.slice(1)} Lund`,
      })
    assert.equal((await get('iris', '/api/users/')).total, 40)
    await knowPeople()
    for (const name of Object.keys(staff)) await firstLogIn(name)
    await knowPeople()
    for (const [name, members] of [
      ['Warehouse', ['kim', 'bo', 'eva']],
      ['Production', production],
    ] as const) {
      const { id } = await post('iris', '/api/groups/', { name, group_type: 'department' })
      const { member_count } = await post('iris', `/api/groups/${id}/add-member`, { user_ids: members.map(idOf) })
      assert.equal(member_count, members.length)
      company[name] = id
    }
    await put('iris', '/api/settings/', { admin_may_approve: false, change_reason: 'Quality decides' })
  })

  it('with the workflow and the form of the page, and document types with numbers of their own (proves: FLOW-01, TYPE-01)', async () => {
    const workflow = await post('mara', '/api/workflow-templates/', procedureWorkflow)
    // The page warns of it: the only person with the role cannot approve what they write.
    assert.match(workflow.warnings[0], /cannot be approved for documents by Mara Lund/)
    const type = async (name: string, prefix: string, more: object = {}) =>
      (company[name] = (
        await post('mara', '/api/document-types/', { name, prefix, workflow_template_id: workflow.id, ...more })
      ).id)
    await type('procedure', 'PRO')
    await type('gated', 'GAT', { training_gate: 'before_effective' })
    const taken = { name: 'Process', prefix: 'PRO', workflow_template_id: workflow.id }
    refused(await world.as('mara').post('/api/document-types/', taken), 409, 'document_type_prefix_taken', /PRO/)
    const leoReviews = structuredClone(procedureWorkflow)
    const review = leoReviews.definition.transitions.find(({ name }: Json) => name === 'review')
    review.approval.rules = [{ kind: 'user', who: idOf('leo'), count: 1 }]
    const byLeo = await post('mara', '/api/workflow-templates/', { ...leoReviews, name: 'Method' })
    await type('method', 'MET', { workflow_template_id: byLeo.id })
    company.workflow = workflow.id
    company.form = (await post('mara', '/api/deviations/form-templates/', form)).id
  })
})

describe('day 2: the first documents', () => {
  before(() => morningOf(2))

  it('are submitted by somebody else than their author with a reason alone (proves: DOC-05)', async () => {
    const text = Buffer.from(
      '# Returns\n\nReturned goods are put into the cage of returns, and QA decides within two days.',
    )
    company.returns = await draft('emil', 'Handling of returned goods', { bytes: text, name: 'returns.md' })
    await world.work()
    refused(await submit('jonas', company.returns), 422, 'document_submission_reason_required')
    ok(await submit('jonas', company.returns, 'Emil is at a course'))
  })

  it('are approved by two people, of whom one takes the review back and gives it again (proves: DOC-05, SIG-02)', async () => {
    const id = company.returns!
    ok(await approve('lea', id))
    const back = await post('lea', `/api/documents/${id}/withdraw-approval`, {
      password,
      reason: 'I read the old annex',
    })
    assert.equal(back.status, 'in_review')
    const [first] = (await get('ines', `/api/signatures/?document_id=${id}&sort=id:asc`)).items
    assert.deepEqual([first.void.reason, first.void.voided_by.username], ['I read the old annex', 'lea'])
    ok(await approve('lea', id))
    refused(await approve('lea', id), 403, 'approver_approved_excluded_step', /You approved the review step/)
    refused(await approve('emil', id), 403, 'permission_required', /documents\.approve/)
    const { status, effective_version } = ok(await approve('mara', id))
    assert.deepEqual([status, effective_version], ['effective', '1.0'])
  })

  it('say before they are submitted that their training gate waits for nobody (proves: TRN-04)', async () => {
    const id = ok(await upload('emil', 'gated', 'Line clearance')).id
    const preview = await post('mara', `/api/workflow-templates/${company.workflow}/preview`, { document_id: id })
    assert.ok(preview.warnings.some((each: string) => /waits for nobody/.test(each)))
    const { warnings } = ok(await submit('emil', id))
    assert.deepEqual(
      warnings.map(({ code }: Json) => code),
      ['document_training_assigned_to_nobody'],
    )
  })
})

describe('day 3: training', () => {
  before(() => morningOf(3))

  it('is read and understood once the document was opened, which the record says (proves: TRN-03, DOC-03)', async () => {
    const program = await post('lea', '/api/training/', {
      ...{ title: 'Returned goods', type: 'read_and_understand', document_id: company.returns, requires_opening: true },
    })
    company.program = program.id
    const { assigned } = await post('lea', '/api/training/assign', {
      ...{ training_id: program.id, group_ids: [company.Warehouse] },
    })
    assert.equal(assigned.length, 3)
    const [mine] = (await get('kim', '/api/training/my-training')).items
    assert.deepEqual([mine.title, mine.document_version], ['Returned goods', '1.0'])
    const url = `/api/training/${program.id}`
    refused(await world.as('kim').post(`${url}/complete`, { password }), 409, 'training_document_not_opened')
    const view = () => world.as('kim').get(`/api/documents/${company.returns}/download?purpose=view`)
    for (const reply of [await view(), await view()]) assert.equal(reply.statusCode, 200)
    const seen = await get('ines', `/api/audit/?action=document.viewed&resource_id=${company.returns}`)
    assert.equal(seen.total, 1)
    assert.equal((await get('kim', url)).my_assignment.status, 'assigned', 'reading changes no record')
    assert.equal((await post('kim', `${url}/start`)).opened.version, '1.0')
    const done = await post('kim', `${url}/complete`, { password, intent: 'Read and understood' })
    assert.deepEqual([done.status, done.is_valid], ['completed', true])
    company.trained = done.assignment_id
  })

  it('is assigned to many, but to nobody who is validly trained (proves: TRN-01)', async () => {
    const user_ids = ['kim', ...production].map(idOf)
    const { assigned, skipped } = await post('lea', '/api/training/bulk-assign', {
      ...{ training_id: company.program, user_ids },
    })
    assert.equal(assigned.length, production.length)
    assert.deepEqual(
      skipped.map(({ user, reason }: Json) => [user.username, reason.code]),
      [['kim', 'training_assignee_trained']],
    )
  })
})

describe('day 5: reports from the shop floor', () => {
  before(() => morningOf(5))

  it('without an assignee are told to those who may assign them, and stand on their list (proves: DEV-01, DASH-01, NOTE-01)', async () => {
    const made = await post('kim', '/api/deviations/', {
      ...{ title: 'Label of a pallet is missing', description: 'One pallet had no label', severity: 'minor' },
    })
    company.label = made.id
    for (const name of ['mara', 'jonas', 'lea', 'leo', 'tara'])
      assert.equal((await notified(name, 'deviation_unassigned', made.id)).length, 1, name)
    for (const name of ['kim', 'emil']) assert.deepEqual(await listed(name, 'unassigned-items', 'deviations'), [], name)
    const [item] = await listed('mara', 'unassigned-items', 'deviations')
    assert.deepEqual([item.number, item.task.path], [made.number, `/api/deviations/${made.id}`])
    const none = await get('mara', '/api/deviations/?assigned_to=none')
    assert.deepEqual([none.total, none.items[0].id], [1, made.id])
    await put('mara', item.task.path, { assigned_to: idOf('bo') })
    assert.deepEqual(await listed('mara', 'unassigned-items', 'deviations'), [])
    assert.equal((await notified('bo', 'deviation_assigned', made.id)).length, 1)
  })

  it('go to the person whom the settings name, with a severity that the rules suggest (proves: AI-04, DEV-02)', async () => {
    const report_takers = [{ reporter_group_id: company.Warehouse, user_id: idOf('leo') }]
    await put('iris', '/api/settings/', { report_takers, change_reason: 'Leo takes what the warehouse reports' })
    const suggest = (description: string) => post('kim', '/api/deviations/suggest-severity', { description })
    for (const each of [
      'Operator deleted chromatograms and re-ran samples until they passed',
      'A patient died after the infusion',
    ])
      assert.equal((await suggest(each)).severity, 'critical', each)
    const german = await suggest('Die Temperatur im Kühlhaus war drei Stunden lang zu hoch')
    assert.ok(german.confidence <= 0.2 && german.severity !== 'minor', JSON.stringify(german))
    const made = await post('kim', '/api/deviations/', {
      ...{ title: 'Cold store 2 above 8 °C', severity: 'major', category: 'storage_warehouse' },
      description: 'The cold store was above 8 °C for three hours',
      form_template_id: company.form,
      form_data: { place: 'Cold store 2', highest: '11.2 °C', alarm: 'yes', procedure: company.returns },
    })
    company.cold = made.id
    assert.equal(made.assigned_to.username, 'leo')
    assert.equal((await get('mara', '/api/deviations/?assigned_to=none')).total, 0)
  })

  it('are found again by other words for the same thing, and so are documents by mistyped ones (proves: DEV-03, SRCH-01)', async () => {
    const { items } = await get('mara', '/api/deviations/similar?q=fridge temperature')
    assert.equal(items[0]?.id, company.cold)
    const found = await get('kim', '/api/search/?q=retruns')
    assert.equal(found.items[0]?.document_id, company.returns)
    assert.ok(!JSON.stringify([found.mode, found.items[0].matched]).includes('semantic'), 'no model knows meaning here')
  })
})

describe('day 6: assignees do their work', () => {
  before(() => morningOf(6))

  it('a User investigates the deviation that they are assigned, and no other (proves: DEV-01)', async () => {
    const url = `/api/deviations/${company.label}`
    refused(
      await world.as('bo').put(`/api/deviations/${company.cold}`, { investigation: 'Mine?', change_reason: 'Curious' }),
      403,
      'deviation_field_permission_required',
      /deviations\.investigate/,
    )
    await put('bo', url, { status: 'under_investigation' })
    ok(await world.as('bo').upload(`${url}/attachments`, { description: 'The pallet' }))
    await put('bo', url, {
      ...{ status: 'pending_approval', root_cause: rootCause, impact_assessment: 'None' },
      change_reason: 'Investigated',
    })
    refused(
      await world.as('bo').put(url, { status: 'closed', password, change_reason: 'Done' }),
      403,
      'record_transition_permission_required',
    )
    const closed = await put('lea', url, { status: 'closed', change_reason: 'Plausible', password })
    assert.deepEqual([closed.status, closed.closed_by.username], ['closed', 'lea'])
  })

  it('an action is given to those who can do it, who report it with its evidence (proves: CAPA-01)', async () => {
    const body = {
      ...{ title: 'Doors of cold stores', description: 'Doors stand open', type: 'corrective', source: 'deviation' },
      ...{ root_cause: 'No door closes by itself', deviation_ids: [company.cold], document_ids: [company.returns] },
      assigned_to: idOf('emil'),
    }
    const refusal = await world
      .as('leo')
      .post('/api/capa/', { ...body, actions: [{ description: 'Fit closers', assigned_to: idOf('kim') }] })
    refused(refusal, 409, 'record_assignee_lacks_permission', /capa\.read/)
    const capa = await post('leo', '/api/capa/', {
      ...body,
      actions: [{ description: 'Fit closers', assigned_to: idOf('nils') }],
    })
    company.capa = capa.id
    const [item] = (await listed('nils', 'assigned-items', 'capas')).filter(({ kind }) => kind === 'capa_action')
    await put('emil', `/api/capa/${capa.id}`, { status: 'in_progress' })
    const done = await put('nils', item.task.path, {
      actions: [{ id: item.id, status: 'done', evidence: 'Report 12' }],
      change_reason: 'Both closers are fitted',
    })
    assert.deepEqual([done.actions[0].status, done.actions[0].evidence], ['done', 'Report 12'])
    const review = await post('leo', `/api/capa/${capa.id}/effectiveness`, {
      ...{ criteria: 'No door stands open in ten rounds', method: 'sampling' },
      ...{ due_date: dayFromNow(world, 19), reviewer_id: idOf('leo') },
    })
    company.review = review.id
  })
})

describe('day 8: a person is away', () => {
  before(() => morningOf(8))

  it('and their deputy signs for them, by the right of both (proves: DOC-05, SIG-01)', async () => {
    const days = { starts_on: dayFromNow(world, 0), ends_on: dayFromNow(world, 3), reason: 'Holidays' }
    refused(
      await world.as('lea').post('/api/deputies/', { deputy_id: idOf('emil'), ...days }),
      409,
      'deputy_cannot_do',
      /documents\.approve/,
    )
    await post('lea', '/api/deputies/', { deputy_id: idOf('jonas'), ...days })
    const id = await draft('nils', 'Cold store')
    company.store = id
    ok(await reviewedBy('tara', id, ['lea']))
    ok(await submit('nils', id))
    const [item] = (await listed('jonas', 'pending-approvals', 'documents')).filter(each => each.id === id)
    assert.equal(item.for.username, 'lea')
    refused(await approve('jonas', id), 403, 'approver_not_named')
    ok(await approve('jonas', id, { on_behalf_of: idOf('lea') }))
    const [signature] = (await get('ines', `/api/signatures/?document_id=${id}`)).items
    assert.deepEqual([signature.signer.username, signature.on_behalf_of.name], ['jonas', 'Lea Lund'])
    assert.equal(ok(await approve('mara', id)).status, 'effective')
  })
})

describe('day 12: a person leaves', () => {
  before(() => morningOf(12))

  it('whose open work is listed and goes to the successor, record by record (proves: DEV-01, CAPA-04, AUD-01)', async () => {
    const id = await draft('tess', 'Pest control')
    company.pests = id
    ok(await reviewedBy('jonas', id, ['leo']))
    ok(await submit('tess', id))
    const { counts } = await get('iris', `/api/users/${idOf('leo')}/open-work`)
    assert.deepEqual([counts.deviation, counts.effectiveness_review, counts.document_approval], [1, 1, 1])
    const { hand_over } = await post('iris', `/api/users/${idOf('leo')}/deactivate`, {
      ...{ successor_id: idOf('jonas'), change_reason: 'Left the company' },
    })
    await world.work()
    const job = await get('iris', hand_over.href)
    assert.deepEqual([job.status, job.done, job.skipped], ['completed', 2, 1])
    const [told] = (await get('iris', '/api/notifications/?type=job_completed')).items
    assert.match(told.message, /the hand-over of open work\. 2 of 3 done\. 1 skipped\.$/)
    assert.equal((await get('mara', `/api/deviations/${company.cold}`)).assigned_to.username, 'jonas')
    const trail = await get('ines', `/api/audit/?action=deviation.updated&resource_id=${company.cold}&sort=id:desc`)
    assert.match(trail.items[0].reason, /^Handed over from leo, who was deactivated, to jonas: Left the company/)
  })

  it('and what nobody may take over is on a list, told, and given to others (proves: DOC-06, NOTE-01)', async () => {
    const id = company.pests!
    await world.tick()
    assert.equal((await notified('mara', 'document_approval_orphaned', id)).length, 1)
    const [item] = await listed('lea', 'orphaned-items', 'approvals')
    assert.deepEqual([item.id, item.task.path], [id, `/api/documents/${id}/configure-approval`])
    ok(await reviewedBy('lea', id, ['tara'], 'Leo left'))
    assert.deepEqual(await listed('lea', 'orphaned-items', 'approvals'), [])
    ok(await approve('tara', id))
    assert.equal(ok(await approve('mara', id)).status, 'effective')
  })

  it('and a document that only they could review is refused before its file is stored (proves: DOC-07)', async () => {
    const reply = await upload('emil', 'method', 'Assay of water')
    refused(reply, 409, 'document_type_not_approvable', /review/)
    assert.match(reply.body, /leo/i)
  })
})

describe('day 15: work and its day', () => {
  before(() => morningOf(15))

  it('an assignee does not give themselves more time (proves: DEV-01, CAPA-01)', async () => {
    const url = `/api/deviations/${company.cold}`
    const due_date = dayFromNow(world, 20)
    const asked = await post('jonas', `${url}/extend`, { due_date, reason: 'The supplier answers next week' })
    assert.deepEqual([asked.status, asked.decided_by], ['requested', null])
    const decide = (by: string) =>
      world.as(by).post(`${url}/extensions/${asked.id}/decide`, { decision: 'approve', comment: 'Plausible' })
    assert.equal((await decide('jonas')).statusCode, 403)
    ok(await decide('tara'))
    const { due_date: now, extension_count } = await get('mara', url)
    assert.deepEqual([now, extension_count], [due_date, 1])
  })

  it('an effectiveness review before its planned day says why (proves: CAPA-04)', async () => {
    const url = `/api/capa/${company.capa}`
    await put('emil', url, { adverse_effect_assessment: 'None', change_reason: 'Looked at' })
    await put('lea', url, { status: 'pending_effectiveness', change_reason: 'Seen on site' })
    const conclude = (body: object = {}) =>
      world.as('jonas').put(`${url}/effectiveness/${company.review}`, {
        ...{ result: 'effective', conclusion: 'No door stood open in ten rounds', password, ...body },
      })
    refused(await conclude(), 422, 'capa_review_early_reason_required')
    morningOf(25)
    assert.equal(ok(await conclude()).result, 'effective')
    const closed = await put('mara', url, { status: 'closed', change_reason: 'Effective', password })
    assert.equal(closed.status, 'closed')
  })

  it('the investigation is submitted when its form is whole, and closed by another person (proves: DEV-02)', async () => {
    const url = `/api/deviations/${company.cold}`
    await put('jonas', url, { status: 'under_investigation' })
    const findings = {
      ...{ root_cause: rootCause, impact_assessment: 'None: stable for 24 hours', status: 'pending_approval' },
      change_reason: 'Investigated',
    }
    refused(await world.as('jonas').put(url, findings), 422, 'form_attachment_required', /Attach/)
    const chart = { bytes: pdf('chart'), name: 'chart.pdf' }
    const { id } = ok(await world.as('jonas').upload(`${url}/attachments`, {}, chart))
    const { form_data } = await get('jonas', url)
    await put('jonas', url, { ...findings, form_data: { ...form_data, chart: id } })
    refused(
      await world.as('jonas').put(url, { status: 'closed', change_reason: 'Done', password }),
      403,
      'deviation_closer_is_involved',
      /another person must close it: lea, mara or tara/,
    )
    await put('mara', url, { status: 'closed', change_reason: 'Complete', password })
  })
})

describe('day 26: what was printed, and what should not be there', () => {
  before(() => morningOf(26))

  it('a controlled copy is called back by the version that replaces it, returned and reconciled (proves: DOC-03, DOC-04)', async () => {
    const copies = '/api/controlled-copies'
    const { id } = await post('lea', `/api/documents/${company.returns}/controlled-copies`, {
      ...{ issued_to: idOf('kim'), location: 'Cage of returns', purpose: 'No screen stands there' },
    })
    const paper = await world.as('lea').post(`${copies}/${id}/print`)
    assert.equal(paper.statusCode, 200, paper.body)
    for (const text of await pagesOf(paper.rawPayload)) assert.match(text, /Controlled copy 1\b/i)
    refused(await world.as('lea').post(`${copies}/${id}/print`), 422, 'controlled_copy_reprint_reason_required')

    const form = { change_type: 'minor', change_reason: 'Within one day', training_impact: 'none' }
    const text = Buffer.from(
      '# Returns\n\nReturned goods are put into the cage of returns, and QA decides within one day.',
    )
    ok(
      await world
        .as('emil')
        .upload(`/api/documents/${company.returns}/versions`, form, { bytes: text, name: 'returns.md' }),
    )
    await world.work()
    ok(await submit('emil', company.returns!))
    ok(await approve('lea', company.returns!))
    assert.equal(ok(await approve('mara', company.returns!)).effective_version, '1.1')

    const [task] = await listed('kim', 'assigned-items', 'controlled_copies')
    assert.equal(task.id, id)
    assert.equal((await notified('kim', 'controlled_copy_recalled', id)).length, 1)
    refused(
      await world.as('lea').post(`${copies}/${id}/print`, { reason: 'Torn' }),
      409,
      'controlled_copy_version_over',
    )
    await post('kim', `${copies}/${id}/confirm`, { outcome: 'returned' })
    const [waiting] = (await listed('tara', 'pending-approvals', 'controlled_copies')).filter(each => each.id === id)
    assert.equal(waiting.kind, 'controlled_copy')
    const copy = await post('tara', `${copies}/${id}/reconcile`, { outcome: 'returned', change_reason: 'Shredded' })
    assert.equal(copy.status, 'returned')
  })

  it('a file that nobody may keep is removed by two people, and the signature over it says so (proves: DOC-08, SIG-02)', async () => {
    const url = `/api/deviations/${company.cold}`
    const [file] = (await get('lea', `${url}/attachments`)).items
    const request = { attachment_id: file.id, reason: 'The chart names a patient', password }
    const { id } = await post('lea', '/api/file-removals/', request)
    const decision = { decision_reason: 'Nobody needs the name', password }
    refused(await world.as('lea').post(`/api/file-removals/${id}/approve`, decision), 403, 'permission_required')
    const [waiting] = await listed('mara', 'pending-approvals', 'file_removals')
    assert.equal(waiting.id, id)
    assert.equal((await post('mara', `/api/file-removals/${id}/approve`, decision)).status, 'approved')
    await world.work()
    assert.equal((await get('ines', `/api/file-removals/${id}`)).status, 'removed')
    refused(await world.as('ines').get(`${url}/attachments/${file.id}/download`), 410, 'file_removed', /Mara Lund/)
    const { items } = await get('ines', `/api/signatures/?resource_type=deviation&resource_id=${company.cold}`)
    const { verification } = await get('ines', `/api/signatures/${items[0].id}`)
    assert.equal(verification.status, 'content_removed')
  })
})

describe('day 28: an inspector asks', () => {
  before(() => morningOf(28))

  const records = {
    deviation: () => `/api/deviations/${company.cold}`,
    capa: () => `/api/capa/${company.capa}`,
    training: () => `/api/training/assignments/${company.trained}`,
  }
  for (const [kind, url] of Object.entries(records))
    it(`for a ${kind} on paper and as a whole (proves: SIG-02, AUD-03)`, async () => {
      const paper = await world.as('ines').get(`${url()}/record.pdf`)
      assert.equal(paper.statusCode, 200, paper.body)
      assert.match((await pagesOf(paper.rawPayload)).join('\n'), /Printed name/)
      const { manifest, entries, files } = await readDossier(world, `${url()}/dossier`, 'ines')
      assert.ok(entries.length > 2 && files.size > 4, JSON.stringify([...files.keys()]))
      assert.ok(manifest.files.every(({ sha256 }: Json) => /^[0-9a-f]{64}$/.test(sha256)))
    })

  it('for lists as files, by the filter and the sort of the page (proves: SVC-04)', async () => {
    for (const [url, rows] of [
      ['/api/documents/', 4],
      ['/api/deviations/', 2],
      ['/api/capa/', 1],
      ['/api/training/assignments/', 30],
      ['/api/users/', 40],
      ['/api/groups/', 2],
    ] as const) {
      const csv = await world.as('ines').get(`${url}?format=csv`)
      assert.equal(csv.body.trimEnd().split('\r\n').length, rows + 1, `${url}: ${csv.body}`)
      const xlsx = await world.as('ines').get(`${url}?format=xlsx`)
      assert.equal((await readXlsx(new Uint8Array(xlsx.rawPayload))).sheets[0]!.rows.length, rows + 1, url)
    }
    const { items } = await get('ines', '/api/documents/?status=effective&status=in_review&sort=document_type:asc')
    assert.equal(items.length, 4)
    refused(await world.as('ines').get('/api/documents/?status=effectiv'), 422, 'not_allowed_value', /effective/)
  })

  it('with programs of their own, which are told what an address takes (proves: ERR-05)', async () => {
    const send = async (method: 'HEAD' | 'DELETE') =>
      world.server.inject({
        method,
        url: `/api/documents/${company.returns}`,
        headers: { authorization: `Bearer ${await world.tokenOf('ines')}` },
      })
    const head = await send('HEAD')
    assert.deepEqual([head.statusCode, head.body], [200, ''])
    const wrong = await send('DELETE')
    assert.deepEqual([wrong.statusCode, String(wrong.headers.allow)], [405, 'GET, HEAD, PUT'])
  })

  it('and finds nothing that leads nowhere, lies with nobody, or was changed unseen (proves: DASH-01, AUD-04)', async () => {
    const lists = ['assigned-items', 'unassigned-items', 'orphaned-items', 'pending-approvals', 'overdue-items']
    for (const name of ['iris', 'mara', 'jonas', 'lea', 'emil', 'nils', 'kim', 'bo', 'ines'])
      for (const list of lists) {
        const answer = await get(name, `/api/dashboard/${list}`)
        for (const { link, kind } of Object.values<Json>(answer).filter(Array.isArray).flat())
          assert.equal((await world.as(name).get(link)).statusCode, 200, `${name}: ${list}, ${kind}`)
      }
    for (const kind of ['deviations', 'capas', 'documents'])
      assert.deepEqual(await listed('mara', 'orphaned-items', kind), [], kind)
    await world.seal()
    const { valid } = await get('ines', '/api/audit/verify')
    assert.equal(valid, true)
  })
})
