// Every item of every list is followed by every person: what it says can be read and done. proves: DASH-01, DASH-02, DASH-03, DASH-04
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assignments, daysGoBy } from '#test/builders/assignments.ts'
import { capas } from '#test/builders/capas.ts'
import { copies } from '#test/builders/copies.ts'
import { deviations, rootCause } from '#test/builders/deviations.ts'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const lists = [
  'assigned-items?limit=100',
  'unassigned-items?limit=100',
  'orphaned-items?limit=100',
  'pending-approvals?limit=100',
  'overdue-items?page_size=100',
  'approaching-deadlines?page_size=100',
]
const everybody = ['otto', 'uma', 'anna', 'alan', 'petra', 'quentin', 'quinn', 'ada']

let world: World
before(async () => {
  world = await openWorld()
})
after(() => world.close())

const idOf = (name: string) => world.people[name]!.id

/** The items of all lists, each once for each request that it names. */
async function itemsOf(name: string): Promise<Json[]> {
  const answers: Json[] = await Promise.all(
    lists.map(async list => ok(await world.as(name).get(`/api/dashboard/${list}`))),
  )
  const items = answers.flatMap(answer => Object.values<Json>(answer).filter(Array.isArray).flat())
  return [...new Map(items.map(each => [`${each.kind} ${each.id} ${each.reason}`, each])).values()]
}

/** The request that gives the item to Petra, or lets QA approve again. */
async function assignmentOf(name: string, id: number, kind: string, task: Json): Promise<object> {
  const petra = idOf('petra')
  switch (kind) {
    case 'document':
      return { owner_id: petra }
    case 'controlled_copy':
      return { holder_id: petra }
    case 'document_approval':
      return { approvers: [{ kind: 'role', who: 'QA', count: 1 }] }
    case 'effectiveness_review':
      return { reviewer_id: petra }
    case 'capa_action': {
      const { actions } = ok(await world.as(name).get(task.path))
      return { actions: actions.map((each: Json) => (each.id === id ? { id, assigned_to: petra } : { id: each.id })) }
    }
    default:
      return { assigned_to: petra }
  }
}

/** The request that does what the item says. */
async function bodyOf(name: string, { id, kind, reason, status, task }: Json): Promise<object> {
  const change_reason = 'As the dashboard says'
  if (reason === 'yours_to_assign') return { ...(await assignmentOf(name, id, kind, task)), change_reason }
  if (reason === 'yours_to_decide') {
    if (kind === 'controlled_copy') return { outcome: 'returned', change_reason }
    if (kind === 'file_removal' || kind === 'disposal') return { decision_reason: 'It is not the right file', password }
    if (task.method === 'POST') return kind === 'capa' ? {} : { password }
    return { status: kind === 'capa' ? 'closed' : 'under_investigation', change_reason, password }
  }
  switch (kind) {
    case 'deviation':
      return status === 'open'
        ? { status: 'under_investigation', change_reason }
        : { investigation: 'The seal was worn', root_cause: rootCause, impact_assessment: 'None', change_reason }
    case 'capa':
      return status === 'open'
        ? { root_cause: 'The pump was never ordered', change_reason }
        : { adverse_effect_assessment: 'None', change_reason }
    case 'capa_action': {
      const { actions } = ok(await world.as(name).get(task.path))
      const sent = actions.map(({ id, assigned_to }: Json) =>
        assigned_to.id === idOf(name) ? { id, status: 'done', evidence: 'Report 12' } : { id },
      )
      return { actions: sent, change_reason }
    }
    case 'effectiveness_review':
      return { result: 'effective', conclusion: 'None in 40 batches', change_reason, password }
    case 'controlled_copy':
      return { outcome: 'returned' }
    case 'document_review':
      return { outcome: 'needs_revision', comment: 'A new machine came', password }
    default:
      return { password }
  }
}

async function fill() {
  const [dev, capa, paper, training] = [deviations(world), capas(world), papers(world), assignments(world)]
  const able = everybody.filter(name => name !== 'otto')
  for (const name of able) {
    const assigned_to = idOf(name)
    for (const status of ['open', 'under_investigation'] as const) {
      const { id } = await dev.report({ by: 'uma', severity: 'major' })
      ok(await dev.put('petra', id, { assigned_to, ...(status !== 'open' && { status }) }))
    }
  }
  await dev.report()
  await dev.inState('pending_approval')
  for (const state of ['draft', 'open', 'in_progress', 'pending_effectiveness'] as const) await capa.inState(state)
  for (const name of able.filter(each => each !== 'uma'))
    await capa.open({ assigned_to: idOf(name), actions: [{ description: 'Fit it', assigned_to: idOf(name) }] })
  await capa.open({ priority: 'critical', root_cause: 'Unknown' })
  await capa.open({ assigned_to: null, actions: [] })
  const { id: program } = await training.program()
  await training.assign({ training_id: program, user_ids: everybody.map(idOf) })
  await paper.submitted()
  const copy = copies(world)
  const printed = await copy.document()
  for (const to of able) {
    const { id } = await copy.printed(printed.id, { to })
    ok(await copy.post('petra', id, 'recall', { change_reason: 'The room is closed' }))
  }
  const wrong = await paper.upload()
  const removal = { document_id: wrong.id, version: '1.0', reason: 'It names a patient', password }
  assert.equal((await world.as('petra').post('/api/file-removals/', removal)).statusCode, 201)
  await leaveWork()
  for (const owner of ['alan', 'petra']) {
    const { id } = await paper.effective()
    await behindTheApi(world, 'documents', 'update documents set owner_id = $2 where id = $1', [id, idOf(owner)])
    await behindTheApi(
      world,
      'document_versions',
      `update document_versions set review_due_date = current_date where document_id = $1`,
      [id],
    )
  }
}

/** Leo leaves with open work of each kind. */
async function leaveWork() {
  const [dev, capa, paper] = [deviations(world), capas(world), papers(world)]
  const role = ok(await world.as('ada').get('/api/roles/?page_size=100')).items.find(({ name }: Json) => name === 'QA')
  const leo = ok(
    await world.as('ada').post('/api/users/', {
      username: 'leo',
      email: 'leo@acme.example',
      full_name: 'Leo Example',
      role_id: role.id,
      password: 'Giraffe 4 umbrella',
    }),
  ).id
  ok(await dev.put('petra', (await dev.report()).id, { assigned_to: leo }))
  await capa.open({ assigned_to: leo, actions: [{ description: 'Fit it', assigned_to: leo }] })
  ok(await capa.plan('petra', (await capa.open()).id, { reviewer_id: leo }))
  const owned = await paper.effective()
  ok(await world.as('petra').put(`/api/documents/${owned.id}`, { owner_id: leo, change_reason: 'He writes it' }))
  ok(
    await world
      .as('petra')
      .post(`/api/documents/${owned.id}/controlled-copies`, { issued_to: leo, location: 'Line 1' }),
  )
  const waiting = await paper.upload()
  ok(
    await world.as('quinn').post(`/api/documents/${waiting.id}/configure-approval`, {
      transition: 'review',
      approvers: [{ kind: 'user', who: [leo], count: 1 }],
      change_reason: 'He knows the line',
    }),
  )
  ok(await paper.move('alan', waiting.id, 'submit'))
  ok(await world.as('ada').post(`/api/users/${leo}/deactivate`))
}

describe('the items of the dashboards', () => {
  it('lead each person to what they may read, and to what they may do', async () => {
    await fill()
    daysGoBy(world, 400)
    const kinds = new Set<string>()
    let done = 0
    for (const name of everybody)
      for (const item of await itemsOf(name)) {
        const { kind, link, task } = item
        kinds.add(kind)
        const told = `${name}: ${JSON.stringify(item)}`
        assert.equal((await world.as(name).get(link)).statusCode, 200, told)
        if (!task) continue
        const body = await bodyOf(name, item)
        const reply = await (task.method === 'PUT'
          ? world.as(name).put(task.path, body)
          : world.as(name).post(task.path, body))
        // Another item of this person may have led to the same step before.
        assert.ok([200, 409].includes(reply.statusCode), `${told}\n${JSON.stringify(body)}\n${reply.body}`)
        if (reply.statusCode === 200) done += 1
      }
    assert.ok(done > 40, `${done} tasks were done`)
    assert.deepEqual([...kinds].sort(), [
      ...['capa', 'capa_action', 'controlled_copy', 'deviation', 'document', 'document_approval', 'document_review'],
      ...['effectiveness_review', 'file_removal', 'training_assignment'],
    ])
  })
})

// proves: DEV-01
describe('a person who is assigned a deviation', () => {
  it('investigates it, attaches files and submits it, as a User too, on this record alone', async () => {
    const dev = deviations(world)
    const [{ id }, other] = [await dev.report({ by: 'anna', severity: 'major' }), await dev.report({ by: 'anna' })]
    assert.equal((await dev.put('uma', id, { investigation: 'Mine?' })).statusCode, 403)
    ok(await dev.put('petra', id, { assigned_to: idOf('uma') }))
    const shown = ok(await world.as('uma').get(`/api/deviations/${id}`))
    assert.deepEqual(shown.transitions, ['under_investigation'])
    ok(await dev.put('uma', id, { status: 'under_investigation' }))
    const file = await world.as('uma').upload(`/api/deviations/${id}/attachments`, {})
    assert.equal(file.statusCode, 201, file.body)
    const found = { investigation: 'The seal was worn', root_cause: rootCause, impact_assessment: 'None' }
    ok(await dev.put('uma', id, { ...found, change_reason: 'Investigated' }))
    for (const body of [{ severity: 'minor' }, { title: 'Less' }, { assigned_to: idOf('anna') }])
      assert.equal((await dev.put('uma', id, { ...body, change_reason: 'Why not' })).statusCode, 403)
    ok(await dev.put('uma', id, { status: 'pending_approval', change_reason: 'Complete' }))
    for (const body of [{ investigation: 'Later' }, { status: 'closed', password }, { status: 'under_investigation' }])
      assert.equal((await dev.put('uma', id, { ...body, change_reason: 'Why not' })).statusCode, 403)
    assert.equal((await dev.put('uma', other.id, { status: 'under_investigation' })).statusCode, 403)
  })

  it('is refused where they could not work on it, with the permission that they lack', async () => {
    const dev = deviations(world)
    const { id } = await dev.report()
    const refused = (await dev.put('petra', id, { assigned_to: idOf('otto') })).json()
    assert.deepEqual(
      [refused.code, refused.params.permission],
      ['record_assignee_lacks_permission', 'deviations.create'],
    )
    ok(await world.as('ada').put(`/api/users/${idOf('anna')}/permissions`, { granted: [], denied: ['capa.read'] }))
    const capa = await world.as('petra').post('/api/capa/', capas(world).body({ assigned_to: idOf('anna') }))
    assert.deepEqual([capa.statusCode, capa.json().params.permission], [409, 'capa.read'], capa.body)
    ok(await world.as('ada').put(`/api/users/${idOf('anna')}/permissions`, { granted: [], denied: [] }))
  })
})
