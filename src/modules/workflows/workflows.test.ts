// Document types and workflow templates through the API.
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

const standard = async () => ok(await world.as('quinn').get('/api/workflow-templates/1')).definition
const approvalOf = (definition: Json) => definition.transitions.find(({ name }: Json) => name === 'approve').approval

describe('document types (proves: TYPE-01)', () => {
  it('eight are there from the first day, each with its workflow', async () => {
    const { items, total } = ok(await world.as('uma').get('/api/document-types/?sort=id'))
    assert.equal(total, 8)
    const [general, sop] = items
    assert.deepEqual([general.prefix, general.workflow_template.name], ['DOC', 'Standard approval'])
    assert.deepEqual(
      [sop.prefix, sop.workflow_template.name, sop.review_period_months],
      ['SOP', 'GMP two-step approval', 24],
    )
  })

  it('are created and changed by a QA Manager, with an entry for each', async () => {
    const reply = await world.as('quinn').post('/api/document-types/', {
      name: 'Batch record',
      prefix: 'BR',
      workflow_template_id: 2,
      review_period_months: 12,
    })
    assert.equal(reply.statusCode, 201)
    const type = ok(reply)
    assert.equal(reply.headers.location, `/api/document-types/${type.id}`)
    const changed = ok(
      await world.as('quinn').put(`/api/document-types/${type.id}`, {
        review_period_months: null,
        workflow_template_id: 1,
        minimum_approval: { signature: false, people: 1, author_excluded: false },
        change_reason: 'Simpler',
      }),
    )
    assert.deepEqual(
      [changed.review_period_months, changed.workflow_template.name, changed.revision, changed.prefix],
      [null, 'Standard approval', 2, 'BR'],
    )
    const { items } = ok(
      await world.as('otto').get(`/api/audit/?resource_type=document_type&resource_id=${type.id}&sort=id`),
    )
    assert.deepEqual(
      items.map(({ action, reason }: Json) => [action, reason]),
      [
        ['document_type.created', null],
        ['document_type.updated', 'Simpler'],
      ],
    )
    assert.deepEqual(items[1].changes.review_period_months, { from: 12, to: null })
  })

  it('say what training keeps back; that people are trained to sign names by what (proves: TYPE-01, TRN-04)', async () => {
    const made = { name: 'Gated', prefix: 'GAT', workflow_template_id: 2, training_gate: 'before_effective' }
    const type = ok(await world.as('quinn').post('/api/document-types/', { ...made, training_threshold: 90 }))
    assert.deepEqual(
      [type.training_gate, type.training_threshold, type.signing_program_ids],
      ['before_effective', 90, []],
    )
    const put = (body: object) => world.as('quinn').put(`/api/document-types/${type.id}`, body)
    for (const body of [{}, { signing_program_ids: [] }]) {
      const nameless = await put({ training_gate: 'before_sign', ...body })
      assert.deepEqual([nameless.statusCode, nameless.json().detail[0].loc], [422, ['body', 'signing_program_ids']])
    }
    assert.equal((await put({ training_gate: 'before_sign', signing_program_ids: [999_999] })).statusCode, 404)
    assert.equal((await put({ training_gate: 'sometimes' })).statusCode, 422)
    assert.equal((await put({ training_threshold: 0 })).statusCode, 422)
  })

  it('a name is there once, a template must be there and active, a revision must be the newest', async () => {
    const create = (body: object) =>
      world.as('quinn').post('/api/document-types/', { name: 'New', prefix: 'NEW', workflow_template_id: 1, ...body })
    assert.equal((await create({ name: 'SOP' })).statusCode, 409)
    assert.equal((await create({ workflow_template_id: 999_999 })).statusCode, 404)
    assert.equal((await create({ prefix: 'new' })).statusCode, 422)
    assert.equal((await create({ colour: 'red' })).statusCode, 422)
    assert.equal((await world.as('alan').post('/api/document-types/', {})).statusCode, 403)
    const { id } = ok(await create({}))
    const rename = await world.as('quinn').put(`/api/document-types/${id}`, { name: 'SOP' })
    assert.equal(rename.statusCode, 409)
    assert.deepEqual([rename.json().code, rename.json().params], ['document_type_name_taken', { name: 'SOP' }])
    ok(await world.as('quinn').put(`/api/document-types/${id}`, { description: 'A' }))
    const taken = await create({ name: 'Newer' })
    assert.deepEqual(
      [taken.statusCode, taken.json().code, taken.json().params],
      [409, 'document_type_prefix_taken', { prefix: 'NEW', name: 'New' }],
    )
    const atOnce = await Promise.all(['One', 'Two'].map(name => create({ name, prefix: 'ONCE' })))
    assert.deepEqual(new Set(atOnce.map(({ statusCode }) => statusCode)), new Set([201, 409]))
    const stale = await world.as('quinn').put(`/api/document-types/${id}`, { description: 'B', revision: 1 })
    assert.equal(stale.statusCode, 409)
    assert.match(stale.json().detail, /quinn at .*document_type\.updated \(description\)/)
    assert.equal((await world.as('quinn').put('/api/document-types/999999', { name: 'X' })).statusCode, 404)
    const [foreign] = await world.rows<Json>(
      `select t.id from document_types t join tenants n on n.id = t.tenant_id where n.slug = 'rival' limit 1`,
    )
    assert.equal((await world.as('quinn').get(`/api/document-types/${foreign.id}`)).statusCode, 404)
    assert.equal((await world.as('quinn').put(`/api/document-types/${foreign.id}`, { name: 'X' })).statusCode, 404)
  })

  it('another workflow is for the documents to come: those under way keep theirs', async () => {
    const type = ok(
      await world.as('quinn').post('/api/document-types/', { name: 'Switch', prefix: 'SW', workflow_template_id: 2 }),
    )
    const { id } = await paper.upload({ type: 'Switch' })
    const minimum_approval = { signature: false, people: 1, author_excluded: false }
    ok(await world.as('quinn').put(`/api/document-types/${type.id}`, { workflow_template_id: 1, minimum_approval }))
    assert.equal((await paper.get('alan', id)).workflow.template.name, 'GMP two-step approval')
    const later = await paper.upload({ type: 'Switch' })
    assert.equal(later.workflow.template.name, 'Standard approval')
  })
})

describe('a change of a document type, before it is stored (proves: TYPE-01)', () => {
  it('says what it would do to the documents that exist, and the number of the next one', async () => {
    const type = ok(
      await world.as('quinn').post('/api/document-types/', { name: 'Recipe', prefix: 'REC', workflow_template_id: 2 }),
    )
    const url = `/api/document-types/${type.id}`
    const effects = async (change: object) => ok(await world.as('quinn').post(`${url}/effects`, change))
    assert.equal(ok(await world.as('uma').get(url)).next_number, 'REC-0001')
    assert.deepEqual((await effects({ review_period_months: 6, training_gate: 'before_access' })).effects, [])

    await paper.upload({ type: 'Recipe' })
    await paper.effective({ type: 'Recipe' })
    const gated = await paper.upload({ type: 'Recipe' })
    ok(await world.as('quinn').put(`/api/documents/${gated.id}`, { training_gate: 'before_access' }))
    assert.equal(ok(await world.as('uma').get(url)).next_number, 'REC-0004')
    const change = {
      ...{ workflow_template_id: 1, minimum_approval: { signature: false, people: 1, author_excluded: true } },
      ...{ training_gate: 'before_effective', review_period_months: 6, is_active: false, revision: type.revision },
    }
    assert.deepEqual(await effects(change), {
      documents: { total: 3, under_way: 2, effective: 1, own_gate: 1 },
      next_number: 'REC-0004',
      effects: [
        '2 versions that are under way keep the workflow that they began with. New documents and new versions follow Standard approval.',
        'The training gate applies at once to 2 documents. One document keeps a gate of its own.',
        'One effective document keeps its next review date. The new period counts from the next release or review.',
        '3 documents stay as they are, and nobody can upload a new document or a new version of this type.',
      ],
    })
    assert.deepEqual((await effects({ name: 'Recipe', training_gate: 'none' })).effects, [], 'nothing of it is another')
    assert.equal(ok(await world.as('quinn').get(url)).revision, type.revision, 'nothing is stored')
    assert.equal((await world.as('alan').post(`${url}/effects`, {})).statusCode, 403)
    assert.equal((await world.as('rex').post(`${url}/effects`, {})).statusCode, 404)
  })
})

describe('workflow templates (proves: FLOW-01)', () => {
  const create = (name: string, definition: object, by = 'quinn') =>
    world.as(by).post('/api/workflow-templates/', { name, definition })

  it('are made of one that is there, changed, and read again as they were written', async () => {
    const definition = await standard()
    approvalOf(definition).rules = [{ kind: 'role', who: 'QA', count: 2 }]
    const reply = await create('Two of QA', definition)
    assert.equal(reply.statusCode, 201)
    const { id, version } = ok(reply)
    assert.equal(version, 1)
    assert.deepEqual(ok(await world.as('petra').get(`/api/workflow-templates/${id}`)).definition, definition)
    assert.equal((await create('Two of QA', definition)).statusCode, 409)
    assert.equal((await create('Mine', definition, 'petra')).statusCode, 403)
  })

  it('that cannot work are a 422 that says where', async () => {
    const wrong: [string, (definition: Json) => void, (string | number)[], RegExp][] = [
      [
        'two first states',
        d => d.states.push({ name: 'idea', label: 'Idea', kind: 'initial' }),
        ['body', 'definition', 'states'],
        /exactly one initial state/,
      ],
      [
        'a state that nothing leads to',
        d => d.states.push({ name: 'limbo', label: 'Limbo', kind: 'final' }),
        ['body', 'definition', 'states', 7],
        /cannot be reached/,
      ],
      [
        'a rule that nobody can meet',
        d => {
          approvalOf(d).rules = [{ kind: 'role', who: 'Wizard', count: 1 }]
        },
        ['body', 'definition', 'transitions', 2, 'approval', 'rules', 0, 'who'],
        /The role Wizard has no active members who may approve/,
      ],
      [
        'more approvers than there are',
        d => {
          approvalOf(d).rules[0].count = 20
        },
        ['body', 'definition', 'transitions', 2, 'approval', 'rules', 0, 'count'],
        /people needed/,
      ],
      [
        'a way to a state that is not there',
        d => {
          d.transitions[0].to = 'nowhere'
        },
        ['body', 'definition', 'transitions', 0, 'to'],
        /There is no state nowhere/,
      ],
      [
        'a loop that runs by itself',
        d => {
          d.states.push({ name: 'waiting', label: 'Waiting', kind: 'review' })
          d.transitions.push(
            { name: 'wait', from: 'approved', to: 'waiting', automatic: 'on_training_complete' },
            { name: 'go_on', from: 'waiting', to: 'approved', automatic: 'on_effective_date' },
          )
        },
        ['body', 'definition', 'transitions', 8],
        /The transition wait is part of a loop in which no person takes a step/,
      ],
      [
        'a permission that does not exist',
        d => {
          d.transitions[0].permission = 'documents.fly'
        },
        ['body', 'definition', 'transitions', 0, 'permission'],
        /no permission documents\.fly/,
      ],
    ]
    for (const [what, spoil, loc, words] of wrong) {
      const definition = await standard()
      spoil(definition)
      const reply = await create(what, definition)
      assert.equal(reply.statusCode, 422, what)
      assert.deepEqual(reply.json().detail[0].loc, loc, what)
      assert.match(reply.json().detail[0].msg, words, what)
    }
  })

  it('that are built in are not changed', async () => {
    const reply = await world.as('quinn').put('/api/workflow-templates/1', { name: 'Mine' })
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'workflow_template_built_in'])
  })

  it('an edit is the next version, and never touches an approval under way (proves: FLOW-01, DOC-05)', async () => {
    const definition = await standard()
    const template = ok(await create('Edited', definition))
    ok(
      await world
        .as('quinn')
        .post('/api/document-types/', { name: 'Edited type', prefix: 'ED', workflow_template_id: template.id }),
    )
    const { id } = await paper.upload({ type: 'Edited type' })
    ok(await paper.move('alan', id, 'submit'))
    const before = (await paper.get('alan', id)).workflow

    approvalOf(definition).rules = [{ kind: 'role', who: 'QA', count: 2 }]
    const edited = ok(await world.as('quinn').put(`/api/workflow-templates/${template.id}`, { definition }))
    assert.deepEqual([edited.version, edited.revision], [2, 2])
    const same = ok(
      await world.as('quinn').put(`/api/workflow-templates/${template.id}`, { definition, description: 'Two of QA' }),
    )
    assert.deepEqual([same.version, same.revision], [2, 3], 'the same definition is no new version')

    assert.deepEqual((await paper.get('alan', id)).workflow, before)
    assert.equal(ok(await paper.approve('petra', id)).status, 'effective', 'one approval, as it began')
    const later = await paper.upload({ type: 'Edited type' })
    ok(await paper.move('alan', later.id, 'submit'))
    assert.equal(ok(await paper.approve('petra', later.id)).status, 'in_review')
    assert.equal(ok(await paper.approve('quentin', later.id)).status, 'effective')
  })

  it('of another tenant are not there', async () => {
    const [foreign] = await world.rows<Json>(
      `select w.id from workflow_templates w join tenants n on n.id = w.tenant_id where n.slug = 'rival' limit 1`,
    )
    assert.equal((await world.as('quinn').get(`/api/workflow-templates/${foreign.id}`)).statusCode, 404)
    assert.equal((await world.as('quinn').put(`/api/workflow-templates/${foreign.id}`, { name: 'X' })).statusCode, 404)
    assert.equal(
      (
        await world
          .as('quinn')
          .post('/api/document-types/', { name: 'Theirs', prefix: 'TH', workflow_template_id: Number(foreign.id) })
      ).statusCode,
      404,
    )
  })

  it('no version of a template is ever changed', async () => {
    await assert.rejects(world.rows(`update workflow_template_versions set definition = '{}'`), { code: 'QA002' })
    await assert.rejects(world.rows('delete from workflow_template_versions'), { code: 'QA002' })
  })
})
