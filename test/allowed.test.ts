// What the service says that a person may do with a record, tried: each act that it names succeeds or is refused for its input alone, and
// each other one is refused with the code that it names. Attempts leave no trace, so that all of them meet the same record.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Allowed } from '#action/allowed.ts'
import { AppError } from '#kernel/errors.ts'
import { actorOf } from '#modules/accounts'
import { capas } from '#test/builders/capas.ts'
import { deviations, rootCause } from '#test/builders/deviations.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { trainings } from '#test/builders/training.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'
import { capaMachine, capaStates } from '../src/modules/capas/rules.ts'
import { deviationMachine, states } from '../src/modules/deviations/rules.ts'

const people = ['ada', 'quinn', 'petra', 'quentin', 'alan', 'anna', 'uma', 'otto']
const reason = 'As agreed in the weekly meeting'

let world: World
let document: number
before(async () => {
  world = await openWorld()
  document = (await papers(world).effective()).id
})
after(() => world.close())

interface Attempt {
  route: string
  input: { params: object; body?: object; form?: object; file?: object }
}
const sent = (route: string, params: object, body: object): Attempt => ({ route, input: { params, body } })

/** The code of the refusal, `input` for a 422, and undefined for a success. */
async function outcome(name: string, { route, input }: Attempt) {
  const { action } = world.app.routes.find(({ method, url }) => `${method} ${url}` === route)!
  const { id: userId, tenant_id: tenantId } = world.people[name]!
  const actor = (await actorOf(world.services, { tenantId, userId }))!
  try {
    await world.services.runner.run(action as never, actor, input as never, {
      origin: { requestId: 'allowed', clientAddr: '127.0.0.1' },
      leavesNoTrace: true,
    })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.status === 422 ? 'input' : error.code
  }
  return undefined
}

/** Tries each act for everybody who may read the record, and answers how many were allowed and refused. */
async function sweep(path: string, attempts: Record<string, Attempt>) {
  const counts = { allowed: 0, refused: 0 }
  for (const name of people) {
    const reply = await world.as(name).get(path)
    if (reply.statusCode === 403 || reply.statusCode === 404) continue
    // A list of extensions has one.
    const you: Allowed = [ok(reply)].flat()[0].you
    for (const act of [...you.may, ...Object.keys(you.why_not)])
      assert.ok(attempts[act], `${path}: this test does not know ${act}`)
    for (const [act, attempt] of Object.entries(attempts)) {
      const refusals = you.why_not[act]
      if (!refusals && !you.may.includes(act)) continue
      const found = await outcome(name, attempt)
      const what = `${name} ${act} ${path}: ${JSON.stringify(refusals ?? 'allowed')}, and was ${found ?? 'done'}`
      if (refusals) assert.equal(found, refusals[0]!.code, what)
      else assert.ok(found === undefined || found === 'input', what)
      counts[refusals ? 'refused' : 'allowed'] += 1
    }
  }
  return counts
}

const partsOf = (url: string, params: { id: number }): Record<string, Attempt> => ({
  comment: sent(`POST ${url}/comments`, params, { text: 'Seen' }),
  attach: {
    route: `POST ${url}/attachments`,
    input: {
      params,
      form: {},
      file: {
        ...{ name: 'a.pdf', content_type: 'application/pdf', size_bytes: 9, sha256: '0'.repeat(64), path: '' },
        keep: async () => undefined,
      },
    },
  },
  link: sent(`POST ${url}/links`, params, { resource_type: 'document', resource_id: document, reason }),
  extend: sent(`POST ${url}/extend`, params, { due_date: '2199-01-31', reason }),
})

// proves: DEV-02, DEV-04, SVC-06
describe('what one may do with a deviation', () => {
  const attemptsOn = (id: number, from: (typeof states)[number]) => {
    const url = '/api/deviations/:id'
    const put = (body: object) => sent(`PUT ${url}`, { id }, { change_reason: reason, ...body })
    return {
      update: put({}),
      ...Object.fromEntries(
        deviationMachine.transitions
          .filter(each => each.from.includes(from))
          .map(({ name, to }) => [name, put({ status: to, password })]),
      ),
      close: put({ status: 'closed', password }),
      ...partsOf(url, { id }),
    }
  }
  for (const severity of ['minor', 'critical'])
    for (const state of states)
      it(`that is ${severity} and ${state}, is what succeeds`, async () => {
        const { id } = await deviations(world).inState(state, { severity })
        const { allowed, refused } = await sweep(`/api/deviations/${id}`, attemptsOn(id, state))
        assert.ok(allowed > 0 && refused > 0, `${allowed} allowed, ${refused} refused`)
      })

  it('names all that is missing, also to a person who could not take the step', async () => {
    const { id } = await deviations(world).report({ severity: 'critical', by: 'petra' })
    const put = async (body: object) =>
      ok(
        await deviations(world).put('petra', id, {
          change_reason: reason,
          assigned_to: world.people.petra!.id,
          ...body,
        }),
      )
    const { you } = await put({ status: 'under_investigation' })
    assert.deepEqual(you.why_not.submit[0].params.missing, ['root_cause', 'impact_assessed'])
    const submitted = await put({ root_cause: rootCause, impact_assessment: 'None', status: 'pending_approval' })
    assert.deepEqual(
      submitted.you.why_not.close.map(({ code }: { code: string }) => code),
      ['deviation_closer_is_involved', 'conditions_not_met'],
    )
    assert.deepEqual(submitted.you.why_not.close[1].params.missing, ['capa_decided'])
  })

  const requireVerified = async (signature_identity_verified_required: boolean) =>
    ok(await world.as('ada').put('/api/settings/', { signature_identity_verified_required, change_reason: reason }))

  it('says from the first day what is missing until it can be closed, each condition by its name and sentence', async () => {
    const form = ok(
      await world.as('ada').post('/api/deviations/form-templates/', {
        name: 'Leaks',
        sections: [
          { key: 'leak', title: 'Leak', fields: [{ key: 'photo', label: 'Photo', type: 'image', required: true }] },
        ],
      }),
    )
    const { id } = await deviations(world).report({ severity: 'critical', form_template_id: form.id, form_data: {} })
    const closing = async (name: string) => (await deviations(world).get(name, id)).you.why_not.close
    const [state, conditions] = await closing('quentin')
    assert.equal(state.code, 'transition_not_allowed')
    assert.equal(conditions.code, 'conditions_not_met')
    const { missing, conditions: sentences } = conditions.params
    assert.deepEqual(missing, ['assigned', 'root_cause', 'impact_assessed', 'form_complete', 'capa_decided'])
    assert.equal(sentences[1], 'Enter the root cause first, because it is major or critical')
    assert.equal(sentences.length, missing.length)
    const codes = async (name: string) => (await closing(name)).map(({ code }: { code: string }) => code)
    assert.deepEqual(await codes('uma'), [
      'transition_not_allowed',
      'record_transition_permission_required',
      'conditions_not_met',
    ])
    ok(
      await deviations(world).put('petra', id, {
        ...{ status: 'under_investigation', assigned_to: world.people.petra!.id },
        ...{ root_cause: rootCause, change_reason: reason },
      }),
    )
    assert.deepEqual((await closing('quentin'))[1].params.missing, ['impact_assessed', 'form_complete', 'capa_decided'])
    const closed = await outcome('quentin', attemptsOn(id, 'under_investigation').close)
    assert.equal(closed, 'transition_not_allowed')
  })

  it('is the same with an extension that waits, with an assignee, and for a person who may not sign', async () => {
    const { id } = await deviations(world).inState('pending_approval', { severity: 'major' })
    ok(await world.as('uma').post(`/api/deviations/${id}/extend`, { due_date: '2199-01-01', reason }))
    await requireVerified(true)
    try {
      await sweep(`/api/deviations/${id}`, attemptsOn(id, 'pending_approval'))
      const { why_not } = ok(await world.as('quentin').get(`/api/deviations/${id}`)).you
      assert.equal(why_not.close[0].code, 'signing_identity_not_verified')
      assert.equal(why_not.extend[0].code, 'extension_already_requested')
    } finally {
      await requireVerified(false)
    }
  })

  it('and with a request for more time, is what succeeds', async () => {
    const { id } = await deviations(world).inState('under_investigation')
    const asked = ok(await world.as('petra').post(`/api/deviations/${id}/extend`, { due_date: '2199-01-01', reason }))
    const decided = (decision: string) =>
      sent(
        'POST /api/deviations/:id/extensions/:extension_id/decide',
        { id, extension_id: asked.id },
        { decision, comment: reason },
      )
    const attempts = { approve: decided('approve'), reject: decided('reject') }
    const list = `/api/deviations/${id}/extensions`
    const counts = await sweep(list, attempts)
    assert.ok(counts.allowed > 0 && counts.refused > 0, JSON.stringify(counts))
    const youOf = async (name: string) => ok(await world.as(name).get(list))[0].you
    assert.equal((await youOf('petra')).why_not.approve[0].code, 'extension_own_request')
    assert.deepEqual((await youOf('quinn')).may, ['approve', 'reject'])
    ok(await world.as('quinn').post(`${list}/${asked.id}/decide`, { decision: 'approve' }))
    assert.equal((await sweep(list, attempts)).allowed, 0)
  })

  it('is decided by no Admin where they may not approve', async () => {
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: false, change_reason: reason }))
    try {
      for (const state of ['open', 'pending_approval'] as const) {
        const { id } = await deviations(world).inState(state, { severity: 'major' })
        await sweep(`/api/deviations/${id}`, attemptsOn(id, state))
        const { why_not } = ok(await world.as('ada').get(`/api/deviations/${id}`)).you
        assert.equal(why_not[state === 'open' ? 'cancel' : 'close'][0].code, 'admin_may_not_approve')
      }
    } finally {
      ok(await world.as('ada').put('/api/settings/', { admin_may_approve: true, change_reason: reason }))
    }
  })

  it('is nothing of a deviation as it was', async () => {
    const { id } = await deviations(world).report()
    const seen = ok(await world.as('otto').get(`/api/deviations/${id}?as_of=${new Date().toISOString()}`))
    assert.equal(seen.you, undefined)
  })
})

// proves: CAPA-02, CAPA-03, SVC-06
describe('what one may do with a CAPA', () => {
  const attemptsOn = (id: number, from: (typeof capaStates)[number], action_ids: number[] = []) => {
    const url = '/api/capa/:id'
    const put = (body: object) => sent(`PUT ${url}`, { id }, { change_reason: reason, ...body })
    return {
      update: put({}),
      ...Object.fromEntries(
        capaMachine.transitions
          .filter(each => each.from.includes(from))
          .map(({ name, to }) => [name, put({ status: to, ...(to === 'closed' && { password }) })]),
      ),
      close: put({ status: 'closed', password }),
      approve_draft: sent(`POST ${url}/approve-draft`, { id }, {}),
      reject_draft: sent(`POST ${url}/reject-draft`, { id }, { comment: reason }),
      approve_plan: sent(`POST ${url}/approve-plan`, { id }, {}),
      plan_review: sent(
        `POST ${url}/effectiveness`,
        { id },
        {
          ...{ criteria: 'None in three months', method: 'trend', due_date: '2199-01-31' },
          reviewer_id: world.people.quentin!.id,
        },
      ),
      add_action: sent(
        `POST ${url}/actions`,
        { id },
        { description: 'Train the shift', assigned_to: world.people.anna!.id, change_reason: reason },
      ),
      order_actions: sent(`PUT ${url}/actions/order`, { id }, { action_ids, change_reason: reason }),
      ...partsOf(url, { id }),
    }
  }
  for (const priority of ['medium', 'critical'])
    for (const state of capaStates)
      it(`of ${priority} priority that is ${state}, is what succeeds`, async () => {
        const { id, actions } = await capas(world).inState(state, { priority })
        const ids = actions.map((each: { id: number }) => each.id)
        const { allowed, refused } = await sweep(`/api/capa/${id}`, attemptsOn(id, state, ids))
        assert.ok(allowed > 0 && refused > 0, `${allowed} allowed, ${refused} refused`)
      })

  it('says from the first day what is missing until it can be closed', async () => {
    const house = capas(world)
    const { id } = await house.draft({ priority: 'high' })
    const closing = async () => (await house.get('quinn', id)).you.why_not.close
    const [state, conditions] = await closing()
    assert.equal(state.code, 'transition_not_allowed')
    assert.deepEqual(conditions.params.missing, [
      ...['is_assigned', 'has_root_cause', 'has_action', 'plan_is_approved', 'actions_are_done'],
      ...['adverse_effects_are_assessed', 'was_found_effective'],
    ])
    ok(await world.as('petra').post(`/api/capa/${id}/approve-draft`, {}))
    ok(
      await house.put('petra', id, {
        ...{ assigned_to: house.idOf('alan'), root_cause: 'No pump', adverse_effect_assessment: 'None' },
        actions: [{ description: 'Fit a pump', assigned_to: house.idOf('anna') }],
      }),
    )
    assert.deepEqual((await closing())[1].params.missing, ['actions_are_done', 'was_found_effective'])
    await sweep(`/api/capa/${id}`, attemptsOn(id, 'open'))
  })

  it('is closed by others than those who took part, once it was found effective', async () => {
    const house = capas(world)
    const { id } = await house.inState('pending_effectiveness')
    const [{ id: review }] = await house.get('petra', id, '/effectiveness')
    const before = (await house.get('quinn', id)).you.why_not.close
    assert.deepEqual(before[0].params.missing, ['was_found_effective'])
    ok(await house.conclude('quentin', id, review))
    assert.ok((await house.get('quinn', id)).you.may.includes('close'))
    await sweep(`/api/capa/${id}`, attemptsOn(id, 'pending_effectiveness'))
  })

  it('and with its effectiveness review, is what succeeds', async () => {
    const house = capas(world)
    for (const state of ['in_progress', 'pending_effectiveness', 'closed'] as const) {
      const { id } = await house.inState(state)
      if (state === 'in_progress') ok(await house.plan('petra', id))
      const [{ id: review_id }] = await house.get('petra', id, '/effectiveness')
      const url = '/api/capa/:id/effectiveness/:review_id'
      const put = (body: object) => sent(`PUT ${url}`, { id, review_id }, { change_reason: reason, ...body })
      const { refused } = await sweep(`/api/capa/${id}/effectiveness/${review_id}`, {
        update: put({}),
        complete: put({ result: 'effective', conclusion: 'None in 40 batches', password }),
      })
      assert.ok(refused > 0)
      const { may } = await house.get('quentin', id, `/effectiveness/${review_id}`).then(({ you }) => you)
      assert.deepEqual(
        may,
        { in_progress: ['update'], pending_effectiveness: ['update', 'complete'], closed: [] }[state],
      )
    }
  })

  it('and with one of its actions, is what succeeds', async () => {
    const house = capas(world)
    for (const state of ['open', 'in_progress', 'pending_effectiveness', 'closed'] as const)
      for (const priority of ['medium', 'critical']) {
        const { id, actions } = await house.inState(state, { priority })
        const [{ id: action_id, status }] = actions
        const url = '/api/capa/:id/actions/:action_id'
        const put = (body: object) => sent(`PUT ${url}`, { id, action_id }, { change_reason: reason, ...body })
        const sweepIt = () =>
          sweep(`/api/capa/${id}/actions/${action_id}`, {
            update: put({ description: 'Fit two pumps' }),
            complete: put({ status: 'done', evidence: 'Report 13' }),
            remove: { route: `DELETE ${url}`, input: { params: { id, action_id }, body: { reason } } },
          })
        const { allowed, refused } = await sweepIt()
        assert.ok(refused > 0 && allowed > 0 === (status === 'open'), `${state} ${allowed} ${refused}`)
        if (state !== 'in_progress') continue
        const seen = (await house.get('anna', id)).actions[0]
        assert.deepEqual(seen.you.may, ['complete'])
        ok(await house.put('anna', id, { actions: [{ id: action_id, status: 'done', evidence: 'Report 12' }] }))
        await sweepIt()
        ok(await house.put('petra', id, { actions: [{ id: action_id, status: 'cancelled' }] }))
        await sweepIt()
      }
  })

  it('whose plan is incomplete or awaits its approval, is what succeeds', async () => {
    for (const fields of [{ priority: 'high' }, { priority: 'high', root_cause: 'No pump' }, { assigned_to: null }]) {
      const { id } = await capas(world).open(fields)
      await sweep(`/api/capa/${id}`, attemptsOn(id, 'open'))
    }
  })
})

// proves: DOC-05, SVC-06
describe('what one may do with a comment on a document', () => {
  const attemptsOn = (id: number, comment_id: number): Record<string, Attempt> => {
    const url = '/api/documents/:id/comments'
    const own = { id, comment_id }
    return {
      reply: sent(`POST ${url}`, { id }, { text: 'Five minutes', parent_id: comment_id }),
      resolve: sent(`POST ${url}/:comment_id/resolve`, own, {}),
      reopen: sent(`POST ${url}/:comment_id/reopen`, own, {}),
      update: sent(`PUT ${url}/:comment_id`, own, { text: 'How long, and how hot?' }),
    }
  }

  it('is what succeeds: of one that is new, answered, a reply, resolved, and too old, on each kind of version', async () => {
    const paper = papers(world)
    const { id } = await paper.submitted()
    const comment = async (by: string, body: object = {}): Promise<number> =>
      ok(await world.as(by).post(`/api/documents/${id}/comments`, { text: 'How long?', ...body })).id
    const fresh = await comment('petra')
    const answered = await comment('petra')
    const reply = await comment('alan', { parent_id: answered })
    const resolved = await comment('quinn')
    ok(await world.as('alan').post(`/api/documents/${id}/comments/${resolved}/resolve`, { reply: 'Five' }))
    const sweepAll = async () => {
      for (const each of [fresh, answered, reply, resolved]) {
        const { allowed, refused } = await sweep(`/api/documents/${id}/comments/${each}`, attemptsOn(id, each))
        assert.ok(refused > 0 && (allowed > 0 || each === reply), `${each}: ${allowed} allowed, ${refused} refused`)
      }
    }
    await sweepAll()
    const allowedOf = async (name: string, each: number) =>
      ok(await world.as(name).get(`/api/documents/${id}/comments/${each}`)).you.may
    assert.deepEqual(await allowedOf('petra', fresh), ['reply', 'resolve', 'update'])
    assert.deepEqual(await allowedOf('alan', resolved), ['reply', 'reopen'])
    world.clock.moved_ms = 16 * 60_000
    try {
      await sweep(`/api/documents/${id}/comments/${fresh}`, attemptsOn(id, fresh))
      assert.deepEqual(await allowedOf('petra', fresh), ['reply', 'resolve'])
    } finally {
      world.clock.moved_ms = 0
    }
    ok(await paper.approve('petra', id))
    ok(await paper.approve('quentin', id))
    await sweepAll()
    ok(await paper.addVersion(id))
    await paper.release(id)
    const { why_not } = ok(await world.as('ada').get(`/api/documents/${id}/comments/${fresh}`)).you
    assert.equal(why_not.reply[0].code, 'document_comments_closed')
    await sweep(`/api/documents/${id}/comments/${fresh}`, attemptsOn(id, fresh))
  })
})

// proves: DEV-04, SVC-06
describe('what one may do with the parts of a record', () => {
  it('is to remove a link while both ends are open', async () => {
    const house = deviations(world)
    const { id } = await house.report()
    const { id: other } = await house.report()
    const link = ok(
      await world
        .as('petra')
        .post(`/api/deviations/${other}/links`, { resource_type: 'deviation', resource_id: id, relation: 'similar' }),
    )
    assert.deepEqual(link.you.may, ['remove'])
    const removal = (at: number) => ({
      remove: {
        route: 'DELETE /api/deviations/:id/links/:link_id',
        input: { params: { id: at, link_id: link.id }, body: { reason } },
      },
    })
    const sweepBoth = async () => {
      const of = (at: number) => sweep(`/api/deviations/${at}/links/${link.id}`, removal(at))
      return [await of(id), await of(other)]
    }
    for (const { allowed, refused } of await sweepBoth()) assert.ok(allowed > 0 && refused > 0)
    ok(await house.put('petra', id, { status: 'cancelled', change_reason: reason }))
    for (const { allowed } of await sweepBoth()) assert.equal(allowed, 0)
    const [shown] = (await house.get('petra', other, '/links')).items
    assert.equal(shown.you.why_not.remove[0].code, 'record_final')
  })

  it('is to download an attachment', async () => {
    const { id } = await deviations(world).report()
    const { id: attachment_id } = ok(
      await world.as('uma').upload(`/api/deviations/${id}/attachments`, {}, { bytes: pdf('photo'), name: 'a.pdf' }),
    )
    const at = { params: { id, attachment_id } }
    const { allowed } = await sweep(`/api/deviations/${id}/attachments/${attachment_id}`, {
      download: { route: 'GET /api/deviations/:id/attachments/:attachment_id/download', input: at },
    })
    assert.ok(allowed > 0)
  })
})

// proves: SIG-02, SVC-06
describe('what one may do with a signature', () => {
  it('is to declare void what belongs to no other act', async () => {
    const free = ok(
      await world
        .as('quinn')
        .post('/api/signatures/', { document_id: document, signature_type: 'witness', intent: 'Seen', password }),
    )
    const { items } = ok(await world.as('ada').get(`/api/signatures/?document_id=${document}`))
    const decided = items.find(({ occasion }: { occasion: { kind: string } }) => occasion.kind === 'approval')
    const sweepOf = (id: number) =>
      sweep(`/api/signatures/${id}`, { void: sent('POST /api/signatures/:id/void', { id }, { reason, password }) })
    const counts = await sweepOf(free.id)
    assert.ok(counts.allowed > 0 && counts.refused > 0, JSON.stringify(counts))
    assert.equal((await sweepOf(decided.id)).allowed, 0)
    ok(await world.as('ada').post(`/api/signatures/${free.id}/void`, { reason, password }))
    assert.equal((await sweepOf(free.id)).allowed, 0)
  })
})

// proves: TRN-03, TRN-04, SVC-06
describe('what one may do with a training assignment', () => {
  const attemptsOn = ({ assignment_id: id, training_id }: { assignment_id: number; training_id: number }) => ({
    start: sent('POST /api/training/:id/start', { id: training_id }, {}),
    complete: sent('POST /api/training/:id/complete', { id: training_id }, { password }),
    verify: sent('POST /api/training/assignments/:id/verify', { id }, { password }),
    waive: sent('POST /api/training/assignments/:id/waive', { id }, { reason }),
    cancel: sent('POST /api/training/assignments/:id/cancel', { id }, { reason }),
    remind: sent('POST /api/training/assignments/:id/remind', { id }, {}),
  })

  it('is what succeeds: of one that is new, begun, completed, verified, waived, and of a document to be opened', async () => {
    const house = trainings(world)
    const program = await house.create({ type: 'on_the_job', requires_verification: true })
    const reading = await house.reading({ document_id: document, requires_opening: true })
    const assignmentOf = async (training_id: number, name: string) => {
      const { items } = ok(
        await world
          .as('ada')
          .get(`/api/training/assignments/?training_id=${training_id}&user_id=${world.people[name]!.id}`),
      )
      return items[0]
    }
    for (const { id } of [program, reading]) await house.assign(id, ['anna', 'uma'])
    const own = await assignmentOf(program.id, 'anna')
    const path = `/api/training/assignments/${own.assignment_id}`
    const youOf = async (name: string) => ok(await world.as(name).get(path)).you
    const sweepIt = () => sweep(path, attemptsOn(own))
    const check = async () => {
      const { allowed, refused } = await sweepIt()
      assert.ok(allowed > 0 && refused > 0)
    }
    await check()
    assert.deepEqual((await youOf('anna')).may, ['start', 'complete'])
    ok(await world.as('anna').post(`/api/training/${program.id}/start`, {}))
    await check()
    ok(await world.as('anna').post(`/api/training/${program.id}/complete`, { password }))
    await check()
    assert.equal((await youOf('anna')).why_not.complete[0].code, 'transition_not_allowed')
    ok(await world.as('petra').post(`${path}/verify`, { password }))
    assert.equal((await sweepIt()).allowed, 0)

    const unread = await assignmentOf(reading.id, 'uma')
    const at = `/api/training/assignments/${unread.assignment_id}`
    const shown = ok(await world.as('uma').get(at))
    assert.equal(shown.you.why_not.complete[0].code, 'training_document_not_opened')
    await sweep(at, attemptsOn(unread))
    const waived = await assignmentOf(program.id, 'uma')
    ok(await world.as('quinn').post(`/api/training/assignments/${waived.assignment_id}/waive`, { reason }))
    const after = await sweep(`/api/training/assignments/${waived.assignment_id}`, attemptsOn(waived))
    assert.equal(after.allowed, 0)
  })
})
