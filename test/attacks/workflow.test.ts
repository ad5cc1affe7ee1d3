// One person where there must be two: attempts to choose the approval of a document that one then gives, and to bring a version into effect
// without any.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
let made = 0
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

type Reply = { statusCode: number; json(): Json }
/** The status with the code, of the whole or of the first field. */
const refusal = (reply: Reply) => {
  const { code, detail } = reply.json()
  return `${reply.statusCode} ${code === 'invalid_input' ? `${detail[0].loc.at(-1)} ${detail[0].type}` : code}`
}
const idOf = (name: string) => world.people[name]!.id
const configure = (by: string, id: number, body: object) =>
  world.as(by).post(`/api/documents/${id}/configure-approval`, body)
const awaits = async (name: string, id: number) =>
  ok(await world.as(name).get('/api/dashboard/pending-approvals?limit=100')).documents.some(
    (each: Json) => each.id === id,
  )
const deciders = async (id: number): Promise<string[]> => {
  const { approvals } = await paper.get('ada', id, '/workflow')
  const pending = approvals.find(({ status }: Json) => status === 'pending')
  return pending.rules[0].may_decide_now.people.map(({ username }: Json) => username).sort()
}

const state = (name: string, kind: string) => ({ name, label: name, kind })
const states = [
  state('draft', 'initial'),
  state('in_review', 'review'),
  state('approved', 'review'),
  state('effective', 'effective'),
  state('superseded', 'final'),
]
const supersede = { name: 'supersede', from: 'effective', to: 'superseded', automatic: 'on_supersede' }
/** One approval; `more` adds transitions beside it. */
const oneApproval = (change: object = {}, more: object[] = []) => ({
  states,
  transitions: [
    { name: 'submit', from: 'draft', to: 'in_review' },
    {
      ...{ name: 'approve', from: 'in_review', to: 'approved' },
      approval: {
        ...{ mode: 'parallel', signature_required: true, author_may_approve: false },
        rules: [{ kind: 'role', who: 'QA', count: 2 }],
        ...change,
      },
    },
    { name: 'reject', from: 'in_review', to: 'draft', comment_required: true },
    { name: 'make_effective', from: 'approved', to: 'effective', automatic: 'on_effective_date' },
    supersede,
    ...more,
  ],
})
const publish = { name: 'publish', from: 'draft', to: 'effective' }
/** Effective at a word of the author, or when the day has come. */
const unapproved = {
  states: states.filter(({ name }) => name !== 'in_review'),
  transitions: [
    publish,
    { name: 'submit', from: 'draft', to: 'approved' },
    { name: 'make_effective', from: 'approved', to: 'effective', automatic: 'on_effective_date' },
    supersede,
  ],
}
const template = async (definition: object): Promise<number> =>
  ok(await world.as('quinn').post('/api/workflow-templates/', { name: `Workflow ${++made}`, definition })).id
const createType = (body: object) =>
  world.as('quinn').post('/api/document-types/', { name: `Type ${++made}`, prefix: `T${made}`, ...body })
const type = async (workflow_template_id: number, body: object = {}): Promise<Json> =>
  ok(await createType({ workflow_template_id, ...body }))
const changeType = (id: number, body: object) =>
  world.as('quinn').put(`/api/document-types/${id}`, { change_reason: 'Inspection', ...body })
const anyOne = { signature: false, people: 1, author_excluded: false }

// proves: DOC-05, DOC-06
describe('who chooses the workflow of a document', () => {
  it('cannot exchange the signed workflow of an SOP for an unsigned one', async () => {
    const { id } = await paper.upload()
    assert.equal(
      refusal(await configure('quentin', id, { workflow_template_id: 1, change_reason: 'Quicker' })),
      '409 document_workflow_not_admitted',
    )
    await paper.approve('quentin', id)
    const { status, workflow } = await paper.get('quentin', id)
    assert.notEqual(status, 'effective')
    assert.equal(workflow.template.name, 'GMP two-step approval')
  })

  it('chooses among those that the type admits, with a reason, and then approves nothing', async () => {
    const { name } = await type(2, { workflow_template_ids: [1], minimum_approval: anyOne })
    const { id } = await paper.upload({ type: name })
    const choice = { workflow_template_id: 1 }
    assert.equal(
      refusal(await configure('quentin', id, choice)),
      '422 change_reason document_configuration_reason_required',
    )
    ok(await configure('quentin', id, { ...choice, change_reason: 'A correction of spelling' }))
    assert.equal(refusal(await paper.approve('quentin', id)), '403 workflow_submission_refused')
    ok(await paper.move('quentin', id, 'submit', 'Alan is ill'))
    const reply = await paper.approve('quentin', id)
    assert.equal(refusal(reply), '403 approver_took_part')
    assert.match(
      reply.json().detail,
      /^You cannot decide on the approval step of this version, because you chose its approvals/,
    )
    assert.equal(refusal(await paper.move('quentin', id, 'reject', 'No')), '403 approver_took_part')
    // Nor by the part of somebody else.
    const handed = await world
      .as('petra')
      .post(`/api/documents/${id}/delegate`, { to: idOf('quentin'), reason: 'Leave' })
    assert.equal(refusal(handed), '409 delegation_person_took_part')
    // Lists and previews say the same.
    assert.deepEqual([await awaits('quentin', id), await awaits('petra', id)], [false, true])
    assert.deepEqual(await deciders(id), ['ada', 'petra', 'quinn'])
    assert.equal((await paper.get('quentin', id, '/workflow')).you.why_not.code, 'approver_took_part')
    const { steps } = ok(await world.as('quinn').post('/api/workflow-templates/1/preview', { document_id: id }))
    const excluded = steps.flatMap(({ excluded }: Json) => excluded)
    assert.deepEqual(
      excluded.map(({ person, why }: Json) => [person.username, why.code]),
      [['quentin', 'document_chooser_excluded']],
    )
    assert.equal(ok(await paper.approve('petra', id)).status, 'effective')
  })

  it('stays excluded when others choose as well, and until the choice is taken back', async () => {
    const { id } = await paper.upload({ type: 'Policy' })
    const approvers = (...names: string[]) => ({
      approvers: names.map(name => ({ kind: 'user', who: idOf(name) })),
      change_reason: 'They know the matter',
    })
    ok(await configure('quentin', id, approvers('petra')))
    ok(await configure('petra', id, approvers('quinn')))
    assert.equal(
      refusal(await configure('quinn', id, approvers('quentin'))),
      '422 approvers workflow_step_short_of_people',
    )
    ok(await configure('quinn', id, { due_date: '2055-01-01' }))
    ok(await paper.move('alan', id, 'submit'))
    assert.deepEqual(await deciders(id), ['quinn'])
    ok(await paper.move('alan', id, 'withdraw'))
    ok(await configure('quentin', id, { workflow_template_id: 1 }))
    ok(await paper.move('alan', id, 'submit'))
    assert.equal(ok(await paper.approve('quentin', id)).status, 'effective')
  })

  it('cannot name themselves, nor so few that nobody is left', async () => {
    const { id } = await paper.upload({ type: 'Policy' })
    const choice = { approvers: [{ kind: 'user', who: idOf('quentin') }], change_reason: 'I know the matter' }
    assert.equal(refusal(await configure('quentin', id, choice)), '422 approvers workflow_step_short_of_people')
    ok(await configure('petra', id, choice))
  })

  it('cannot lower the number of people below the least of the type', async () => {
    const { id: document_type, minimum_approval } = await type(await template(oneApproval()))
    assert.deepEqual(minimum_approval, { signature: true, people: 2, author_excluded: true })
    const { id } = ok(await world.as('alan').upload('/api/documents/upload', { title: 'Filling', document_type }))
    const choice = (count: number) => ({ approvers: [{ kind: 'role', who: 'QA', count }], change_reason: 'Holiday' })
    assert.equal(refusal(await configure('petra', id, choice(1))), '422 approvers workflow_minimum_people')
    ok(await configure('petra', id, choice(3)))
  })
})

// proves: DOC-05
describe('who prepared a version', () => {
  it('cannot decide about it where its author cannot: people who changed its metadata', async () => {
    const { id } = await paper.upload()
    ok(await world.as('quentin').put(`/api/documents/${id}`, { title: 'Cleaning of line 2' }))
    ok(await paper.move('alan', id, 'submit'))
    assert.equal(refusal(await paper.approve('quentin', id, { password })), '403 approver_took_part')
    assert.deepEqual(await deciders(id), ['ada', 'petra', 'quinn'])
    assert.deepEqual([await awaits('quentin', id), await awaits('petra', id)], [false, true])
    ok(await paper.approve('petra', id))
    assert.deepEqual(await deciders(id), ['ada', 'quinn'])
    assert.equal(refusal(await paper.approve('quentin', id, { password })), '403 approver_took_part')
    assert.equal(ok(await paper.approve('quinn', id)).status, 'effective')
  })

  it('cannot decide about it where its author cannot: whoever submitted it, in this round', async () => {
    const { id } = await paper.upload()
    assert.equal(refusal(await paper.approve('quentin', id)), '409 workflow_submission_refused')
    ok(await paper.move('quentin', id, 'submit', 'Alan is ill'))
    assert.equal(refusal(await paper.approve('quentin', id)), '403 approver_took_part')
    assert.deepEqual([await awaits('quentin', id), await awaits('petra', id)], [false, true])
    ok(await paper.move('alan', id, 'withdraw'))
    ok(await paper.move('alan', id, 'submit'))
    assert.equal(ok(await paper.approve('quentin', id)).status, 'in_approval')
  })

  it('decides where the workflow says that its author may', async () => {
    const { id } = await paper.upload({ by: 'quentin', type: 'General document' })
    ok(await world.as('petra').put(`/api/documents/${id}`, { title: 'Plan of line 1' }))
    assert.equal(ok(await paper.approve('petra', id, { comment: 'Quentin is ill' })).status, 'effective')
    const own = await paper.upload({ by: 'quentin', type: 'General document' })
    assert.equal(ok(await paper.approve('quentin', own.id)).status, 'effective')
  })
})

// proves: TYPE-01, FLOW-01
describe('a document type', () => {
  it('admits no workflow that asks for less than its minimum, now or later', async () => {
    const [weak, strong] = [await template(oneApproval({ signature_required: false })), await template(oneApproval())]
    const minimum_approval = { signature: true, people: 2, author_excluded: true }
    assert.equal(
      refusal(await createType({ workflow_template_id: weak, minimum_approval })),
      '409 workflow_minimum_signature',
    )
    assert.equal(
      refusal(await createType({ workflow_template_id: strong, workflow_template_ids: [1] })),
      '409 workflow_minimum_people',
    )
    const { id, workflow_templates } = await type(strong)
    assert.deepEqual(
      workflow_templates.map((each: Json) => each.id),
      [strong],
    )
    for (const [body, code] of [
      [{ workflow_template_id: weak }, 'workflow_minimum_signature'],
      [{ workflow_template_ids: [strong, weak] }, 'workflow_minimum_signature'],
      [{ minimum_approval: { ...minimum_approval, people: 3 } }, 'workflow_minimum_people'],
    ] as const)
      assert.equal(refusal(await changeType(id, body)), `409 ${code}`)
    for (const [definition, code] of [
      [oneApproval({ signature_required: false }), 'workflow_minimum_signature'],
      [oneApproval({ author_may_approve: true }), 'workflow_minimum_author'],
      [oneApproval({ rules: [{ kind: 'role', who: 'QA' }] }), 'workflow_minimum_people'],
      [oneApproval({}, [publish]), 'workflow_way_without_approval'],
    ] as const) {
      const reply = await world.as('quinn').put(`/api/workflow-templates/${strong}`, { definition })
      assert.equal(refusal(reply), `409 ${code}`)
    }
    assert.equal(ok(await world.as('quinn').get(`/api/workflow-templates/${strong}`)).version, 1)
    ok(await world.as('quinn').put(`/api/workflow-templates/${weak}`, { definition: oneApproval({}, [publish]) }))
  })

  it('and a workflow are never changed past each other', async () => {
    const [flow, other] = [await template(oneApproval()), await template(oneApproval())]
    const { id } = await type(other)
    const replies = await Promise.all([
      changeType(id, { workflow_template_id: flow }),
      world.as('quinn').put(`/api/workflow-templates/${flow}`, { definition: unapproved }),
    ])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409],
    )
  })

  it('admits a workflow of another tenant no more than one that is not there', async () => {
    const foreign = ok(await world.as('rex').get('/api/workflow-templates/')).items[0].id
    for (const id of [foreign, 999_999])
      assert.equal(refusal(await createType({ workflow_template_id: 1, workflow_template_ids: [id] })), '404 not_found')
  })
})

// proves: DOC-04, DOC-05, TYPE-01
describe('a version of a controlled document', () => {
  let app: pg.Client
  before(async () => {
    app = new pg.Client(world.postgres.app)
    await app.connect()
  })
  after(() => app.end())
  beforeEach(() => app.query('rollback'))

  const draftOf = async (name: string, fields: object = {}): Promise<number> =>
    (await paper.upload({ by: 'alan', type: name, ...fields })).id
  const becomeControlled = (id: number) =>
    changeType(id, { workflow_template_id: 1, controlled: true, minimum_approval: anyOne })

  it('becomes effective in no way without an approval', async () => {
    const free = await template(unapproved)
    const loose = async () => type(free, { controlled: false })
    /** A draft with the workflow without approval, of a type that was made controlled after its upload. */
    const stranded = async () => {
      const { id, name } = await loose()
      const document = await draftOf(name)
      ok(await becomeControlled(id))
      return document
    }
    const ways: Record<string, () => Promise<{ id?: number; reply?: Reply; code?: string }>> = {
      'a type with such a workflow': async () => ({
        reply: await createType({ workflow_template_id: free }),
        code: '409 workflow_way_without_approval',
      }),
      'a type that admits such a workflow': async () => ({
        reply: await createType({ workflow_template_id: 1, workflow_template_ids: [free], minimum_approval: anyOne }),
        code: '409 workflow_way_without_approval',
      }),
      'another workflow of a type': async () => ({
        reply: await changeType((await type(1)).id, { workflow_template_id: free }),
        code: '409 workflow_way_without_approval',
      }),
      'a type that becomes controlled with it': async () => ({
        reply: await changeType((await loose()).id, { controlled: true }),
        code: '409 workflow_way_without_approval',
      }),
      'a newer version of a workflow': async () => {
        const flow = await template(oneApproval())
        await type(flow)
        return {
          reply: await world.as('quinn').put(`/api/workflow-templates/${flow}`, { definition: unapproved }),
          code: '409 workflow_way_without_approval',
        }
      },
      'the choice for one document': async () => {
        const id = await draftOf('SOP')
        const reply = await configure('quinn', id, { workflow_template_id: free, change_reason: 'Urgent' })
        return { id, reply, code: '409 document_workflow_not_admitted' }
      },
      'an upload with its day': async () => ({
        id: await draftOf('SOP', { effective_date: new Date().toISOString().slice(0, 10) }),
      }),
      'a transition that is automatic': async () => {
        const id = await draftOf('SOP')
        ok(await paper.move('alan', id, 'submit'))
        return { id, reply: await paper.move('quinn', id, 'make_effective'), code: '409 workflow_transition_unknown' }
      },
      'a periodic review': async () => {
        const id = await draftOf('SOP')
        const review = { outcome: 'keep_effective', comment: 'Good', password }
        const reply = await world.as('quinn').post(`/api/documents/${id}/periodic-review`, review)
        return { id, reply, code: '409 document_not_effective' }
      },
      'a transition by hand, of a draft that is older than the type': async () => {
        const id = await stranded()
        return { id, reply: await paper.move('alan', id, 'publish'), code: '409 document_approval_missing' }
      },
      'a submission that waits for the day, of such a draft': async () => {
        const id = await stranded()
        return { id, reply: await paper.move('alan', id, 'submit'), code: '409 document_approval_missing' }
      },
      'the day itself, of a version that waited for it': async () => {
        const { id, name } = await loose()
        const document = await draftOf(name, { effective_date: '2055-01-01' })
        ok(await paper.move('alan', document, 'submit'))
        ok(await becomeControlled(id))
        world.clock.moved_ms = Date.parse('2055-01-02T00:00:00Z') - Date.now()
        try {
          await world.tick()
        } finally {
          world.clock.moved_ms = 0
        }
        return { id: document }
      },
      'the database login': async () => {
        const id = await draftOf('SOP')
        const { id: user, tenant_id } = world.people.alan!
        await app.query(`begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${user}'`)
        await assert.rejects(
          app.query(
            `update document_versions set status = 'effective', status_kind = 'effective', effective_at = now(),
              effective_date = now() where document_id = $1`,
            [id],
          ),
          /cannot become effective without an approval/,
        )
        return { id }
      },
    }
    for (const [way, attempt] of Object.entries(ways)) {
      const { id, reply, code } = await attempt()
      if (reply) assert.equal(refusal(reply), code, way)
      if (id) assert.notEqual((await paper.get('ada', id)).status, 'effective', way)
    }
  })

  it('goes on by its type’s workflow when it was left without a way', async () => {
    const { id, name } = await type(await template(unapproved), { controlled: false })
    const document = await draftOf(name)
    ok(await becomeControlled(id))
    ok(await configure('petra', document, { workflow_template_id: 1 }))
    ok(await paper.move('alan', document, 'submit'))
    assert.equal(ok(await paper.approve('petra', document)).status, 'effective')
  })

  it('of a type that is not controlled becomes effective without one', async () => {
    const { name } = await type(await template(unapproved), { controlled: false })
    const document = await draftOf(name)
    assert.equal(ok(await paper.move('alan', document, 'publish')).status, 'effective')
  })
})
