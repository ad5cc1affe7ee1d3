// One person where there must be two: attempts of somebody to decide about their own work on deviations, CAPAs and documents.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let cases: ReturnType<typeof deviations>
let capa: ReturnType<typeof capas>
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  cases = deviations(world)
  capa = capas(world)
  paper = papers(world)
})
after(() => world.close())

const refusal = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`
const closing = { status: 'closed', change_reason: 'Complete and plausible', password }
const reassigned = (name: string) => ({ assigned_to: world.people[name]!.id, change_reason: 'Holiday' })
const awaits = async (name: string, id: number) =>
  ok(await world.as(name).get('/api/dashboard/pending-approvals?limit=100')).deviations.some(
    (each: Json) => each.id === id,
  )

// proves: DEV-01, ROLE-05
describe('the closure of a deviation', () => {
  const refused = async (name: string, id: number, sentence: RegExp, more: object = {}) => {
    const reply = await cases.put(name, id, { ...closing, ...more })
    assert.equal(refusal(reply), '403 deviation_closer_is_involved')
    assert.match(reply.json().detail, sentence)
    const closers = reply.json().params.others as string[]
    assert.equal(closers.includes(name), false)
    if (Object.keys(more).length === 0) assert.equal(await awaits(name, id), false)
    return closers
  }

  it('is not for a former assignee, who is told until when, and by whom instead', async () => {
    const { id, number } = await cases.inState('under_investigation', { severity: 'major' })
    ok(await cases.put('petra', id, reassigned('quentin')))
    ok(await cases.put('quentin', id, reassigned('anna')))
    ok(
      await cases.put('petra', id, {
        ...{ status: 'pending_approval', impact_assessment: 'None', change_reason: 'Investigated' },
        root_cause: { method: 'other', category: 'equipment_failure', summary: 'The seal was worn' },
      }),
    )
    const today = new Date().toISOString().slice(0, 10)
    const closers = await refused(
      'quentin',
      id,
      new RegExp(`^You were the assignee of ${number} until ${today}, so another person`),
    )
    assert.deepEqual(closers, ['ada', 'quinn'])
    assert.ok(await awaits('quinn', id))
    ok(await cases.put('quinn', id, closing))
  })

  it('is not for the author of the investigation, nor for who submits it', async () => {
    const { id } = await cases.inState('under_investigation')
    ok(await cases.put('quentin', id, { investigation: 'Seen on site', change_reason: 'Found' }))
    ok(await cases.put('quinn', id, { status: 'pending_approval', change_reason: 'Investigated' }))
    for (const name of ['quentin', 'quinn']) await refused(name, id, /^You investigated /)
    ok(await cases.put('ada', id, closing))
  })

  it('is not for who reassigns or investigates in the same request', async () => {
    const { id } = await cases.inState('pending_approval')
    await refused('quentin', id, /^You reassigned /, reassigned('anna'))
    await refused('quentin', id, /^You investigated /, { investigation: 'I know better' })
    ok(await cases.put('quentin', id, closing))
  })

  it('is not for a former assignee after it was reopened', async () => {
    const { id } = await cases.inState('closed')
    ok(await cases.put('quinn', id, { status: 'under_investigation', ...reassigned('quinn') }))
    ok(await cases.put('quinn', id, reassigned('anna')))
    ok(await cases.put('petra', id, { status: 'pending_approval', change_reason: 'Investigated' }))
    await refused('quinn', id, /^You (were the assignee|reassigned)/)
    ok(await cases.put('quentin', id, closing))
  })

  it('says that nobody is left to close it', async () => {
    const { id } = await cases.inState('pending_approval')
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: false }))
    try {
      for (const name of ['quentin', 'quinn'])
        ok(await cases.put(name, id, { ...reassigned(name), change_reason: 'My turn' }))
      await refused('quinn', id, /an Admin has to give somebody else the permission deviations\.close\.$/)
    } finally {
      ok(await world.as('ada').put('/api/settings/', { admin_may_approve: true }))
    }
  })
})

// proves: DEV-01, SIG-01
describe('the cancellation of a major or critical deviation', () => {
  const cancelling = { status: 'cancelled', change_reason: 'Condensate, which is expected there' }

  it('is signed, and not by its reporter', async () => {
    for (const severity of ['major', 'critical']) {
      const { id } = await cases.report({ by: 'quinn', severity })
      assert.equal(
        refusal(await cases.put('quinn', id, { ...cancelling, password })),
        '403 deviation_reporter_cannot_cancel',
      )
      const wrong = await cases.put('quentin', id, { ...cancelling, password: 'wrong' })
      assert.equal(wrong.statusCode, 401)
      ok(await cases.put('quentin', id, { ...cancelling, password }))
      const { signature_id } = (await cases.get('uma', id, '/history')).at(-1)
      const { verification, signer } = ok(await world.as('otto').get(`/api/signatures/${signature_id}`))
      assert.deepEqual([signer.username, verification.status], ['quentin', 'valid'])
    }
  })

  it('does not become unsigned by a lower severity in the same request', async () => {
    const { id } = await cases.report({ severity: 'critical' })
    const reply = await cases.put('quentin', id, { ...cancelling, severity: 'minor' })
    assert.equal(refusal(reply), '409 deviation_severity_fixed_by_cancelling')
  })

  it('of a minor one is the reporter’s own', async () => {
    const { id } = await cases.report({ by: 'quinn' })
    ok(await cases.put('quinn', id, cancelling))
  })
})

const pending = async (name: string) => ok(await world.as(name).get('/api/dashboard/pending-approvals?limit=100'))
const awaitsCapa = async (name: string, id: number) => (await pending(name)).capas.some((each: Json) => each.id === id)
const notified = async (name: string, type: string, number: string) =>
  ok(await world.as(name).get('/api/notifications/?page_size=100')).items.some(
    (each: Json) => each.type === type && each.title.includes(number),
  )
const idOf = (name: string) => world.people[name]!.id

// proves: CAPA-01, CAPA-04, DASH-02
describe('the closure of a CAPA', () => {
  const close = { status: 'closed', password }
  const refused = async (name: string, id: number, sentence: RegExp) => {
    const reply = await capa.put(name, id, close)
    assert.equal(refusal(reply), '403 capa_closer_is_involved')
    assert.match(reply.json().detail, sentence)
    assert.equal(await awaitsCapa(name, id), false)
    return reply.json().params.others as string[]
  }
  const judged = async (id: number) => {
    const [review] = await capa.get('petra', id, '/effectiveness')
    ok(await capa.conclude('quentin', id, review.id))
  }

  it('is not for a former assignee, who is told until when, and by whom instead', async () => {
    const { id, number } = await capa.inState('in_progress', {
      adverse_effect_assessment: 'None',
      assigned_to: idOf('quinn'),
    })
    ok(await capa.put('quinn', id, { assigned_to: idOf('alan') }))
    ok(await capa.plan('petra', id))
    await capa.done(id)
    ok(await capa.put('petra', id, { status: 'pending_effectiveness' }))
    await judged(id)
    const today = new Date().toISOString().slice(0, 10)
    const others = await refused(
      'quinn',
      id,
      new RegExp(`^You were the assignee of ${number} until ${today}, so another person`),
    )
    assert.deepEqual(others, ['ada', 'petra', 'quentin'])
    assert.ok((await awaitsCapa('petra', id)) && (await notified('petra', 'capa_reviewed', number)))
    assert.equal(await notified('quinn', 'capa_reviewed', number), false)
    ok(await capa.put('petra', id, close))
  })

  it('is not for its creator, nor for who wrote its root cause, did an action or reassigned it', async () => {
    const document_ids = [await capa.documentId()]
    const actions = ['anna', 'quentin'].map(name => ({ description: 'Train', assigned_to: idOf(name) }))
    const { id } = await capa.draft({ document_ids, assigned_to: idOf('alan'), actions }, 'quinn')
    ok(await capa.put('petra', id, { root_cause: 'The pump was never ordered' }))
    ok(await capa.put('ada', id, { assigned_to: idOf('petra') }))
    ok(await capa.put('petra', id, { assigned_to: idOf('alan'), adverse_effect_assessment: 'None' }))
    ok(await capa.put('alan', id, { status: 'in_progress' }))
    ok(await capa.plan('petra', id))
    // Quentin hands his action to Anna, and does hers.
    const [hers, his] = (await capa.get('petra', id)).actions.map((each: Json) => each.id)
    const done = { status: 'done', evidence: 'List of participants' }
    ok(
      await capa.put('quentin', id, {
        actions: [
          { id: hers, ...done },
          { id: his, assigned_to: idOf('anna') },
        ],
      }),
    )
    ok(await capa.put('anna', id, { actions: [{ id: hers }, { id: his, ...done }] }))
    assert.equal(
      refusal(await capa.put('quentin', id, { status: 'pending_effectiveness' })),
      '403 capa_action_assignee_cannot_verify',
    )
    ok(await capa.put('petra', id, { status: 'pending_effectiveness' }))
    await judged(id)
    await refused('quinn', id, /^You created /)
    await refused('petra', id, /^You (investigated|were the assignee|reassigned) /)
    await refused('quentin', id, /^(An action of .* was assigned to you|You completed an action)/)
    await refused('ada', id, /^You reassigned .*an Admin has to give somebody else the permission capa\.close\.$/)
  })

  it('is not for the assignee of an action that was given to another', async () => {
    const actions = [{ description: 'Fit a pump', assigned_to: idOf('petra') }]
    const { id } = await capa.inState('in_progress', { actions, adverse_effect_assessment: 'None' })
    const [action] = (await capa.get('petra', id)).actions
    ok(await capa.put('quinn', id, { actions: [{ id: action.id, assigned_to: idOf('anna') }] }))
    ok(await capa.plan('petra', id))
    await capa.done(id)
    assert.equal(
      refusal(await capa.put('petra', id, { status: 'pending_effectiveness' })),
      '403 capa_action_assignee_cannot_verify',
    )
    ok(await capa.put('quinn', id, { status: 'pending_effectiveness' }))
    await judged(id)
    await refused('petra', id, /^An action of /)
    ok(await capa.put('quinn', id, close))
  })

  it('is not after an effectiveness review by a former assignee', async () => {
    const { id } = await capa.inState('in_progress', { assigned_to: idOf('quentin') })
    ok(await capa.put('quinn', id, { assigned_to: idOf('alan') }))
    assert.equal(refusal(await capa.plan('petra', id)), '409 capa_reviewer_is_owner')
    ok(await capa.plan('petra', id, { reviewer_id: idOf('quinn') }))
  })
})

// proves: CAPA-02, CAPA-03, DASH-02
describe('the plan of a CAPA that began open', () => {
  const approvePlan = (by: string, id: number) =>
    world.as(by).post(`${capa.url(id)}/approve-plan`, { comment: 'Sound' })
  const start = { status: 'in_progress' }

  it('of high or critical priority is approved by another person before an action begins', async () => {
    for (const priority of ['high', 'critical']) {
      const { id, number, status, actions } = await capa.open({ priority })
      assert.equal(status, 'open')
      assert.equal(refusal(await approvePlan('petra', id)), '409 conditions_not_met')
      assert.equal(await awaitsCapa('petra', id), false)
      ok(await capa.put('alan', id, { root_cause: 'Dosed by hand' }))
      assert.ok((await awaitsCapa('petra', id)) && (await notified('petra', 'capa_approval_requested', number)))
      assert.equal(refusal(await capa.put('alan', id, start)), '409 conditions_not_met')
      for (const each of [{ status: 'in_progress' }, { status: 'done', evidence: 'Report' }]) {
        const reply = await capa.put('anna', id, { actions: [{ id: actions[0].id, ...each }] })
        assert.equal(refusal(reply), '409 capa_plan_not_approved')
      }
      assert.equal((await approvePlan('alan', id)).statusCode, 403)
      const approved = ok(await approvePlan('petra', id))
      assert.deepEqual([approved.status, approved.approved_by.username], ['open', 'petra'])
      assert.equal(await awaitsCapa('petra', id), false)
      assert.equal(refusal(await approvePlan('quinn', id)), '409 capa_plan_awaits_no_approval')
      ok(await capa.put('alan', id, start))
      ok(await capa.put('anna', id, { actions: [{ id: actions[0].id, status: 'done', evidence: 'Report' }] }))
      const [entry] = ok(
        await world.as('otto').get(`/api/audit/?action=capa.plan_approved&resource_type=capa&resource_id=${id}`),
      ).items
      assert.deepEqual([entry.user.username, entry.reason], ['petra', 'Sound'])
      const then = ok(await world.as('otto').get(`${capa.url(id)}?as_of=${entry.occurred_at}`))
      assert.deepEqual(
        [Date.parse(then.approved_at), then.approved_by.username],
        [Date.parse(approved.approved_at), 'petra'],
      )
    }
  })

  it('is not approved by who created, owned or planned it, and is of nobody else’s priority to lower', async () => {
    const fields = { priority: 'critical', root_cause: 'Known', assigned_to: idOf('quentin') }
    const { id } = await capa.open(fields, 'quinn')
    ok(await capa.put('quentin', id, { assigned_to: idOf('alan') }))
    for (const name of ['quinn', 'quentin']) {
      assert.equal(refusal(await approvePlan(name, id)), '403 capa_plan_approver_is_involved')
      assert.equal(await awaitsCapa(name, id), false)
      const lowered = await capa.put(name, id, { priority: 'medium', ...start })
      assert.equal(refusal(lowered), '403 capa_plan_approver_is_involved')
    }
    assert.equal(refusal(await capa.put('alan', id, { priority: 'low', ...start })), '403 permission_required')
    ok(await capa.put('petra', id, { priority: 'medium' }))
    ok(await capa.put('alan', id, start))
  })

  it('is approved before the actions go on, where the priority rose after the start', async () => {
    const { id, actions } = await capa.inState('in_progress', { adverse_effect_assessment: 'None' })
    ok(await capa.put('alan', id, { priority: 'high' }))
    const done = { actions: [{ id: actions[0].id, status: 'done', evidence: 'Report' }] }
    assert.equal(refusal(await capa.put('anna', id, done)), '409 capa_plan_not_approved')
    ok(await approvePlan('quinn', id))
    ok(await capa.put('anna', id, done))
  })

  it('of lower priority needs no approval, nor that of an approved draft', async () => {
    const { id } = await capa.open({ priority: 'medium', root_cause: 'Known' })
    assert.equal(refusal(await approvePlan('petra', id)), '409 capa_plan_awaits_no_approval')
    ok(await capa.put('alan', id, start))
    const draft = await capa.draft({ priority: 'critical' })
    assert.equal(refusal(await approvePlan('petra', draft.id)), '409 capa_plan_awaits_no_approval')
    ok(await world.as('petra').post(`${capa.url(draft.id)}/approve-draft`, {}))
    assert.equal(refusal(await approvePlan('petra', draft.id)), '409 capa_plan_awaits_no_approval')
  })
})

// proves: SIG-01, FLOW-02
describe('the periodic review that a document stays effective', () => {
  const review = (by: string, id: number, outcome = 'keep_effective') =>
    world.as(by).post(`/api/documents/${id}/periodic-review`, { outcome, comment: 'It is as we work', password })

  it('is not signed by its owner, a former owner or its author', async () => {
    const { id, number } = await paper.effective()
    const own = (owner: string) =>
      world.as('quinn').put(`/api/documents/${id}`, { owner_id: idOf(owner), change_reason: 'Holiday' })
    ok(await own('petra'))
    const byOwner = await review('petra', id)
    assert.equal(refusal(byOwner), '403 document_review_by_owner')
    assert.match(byOwner.json().detail, new RegExp(`^You are the owner of ${number}, so another person must`))
    ok(await own('quentin'))
    const later = await review('petra', id)
    assert.equal(refusal(later), '403 document_review_by_owner')
    assert.match(later.json().detail, /^You are the former owner .*Quinn Example/)
    ok(await review('petra', id, 'needs_revision'))
    ok(await review('quinn', id))
  })
})
