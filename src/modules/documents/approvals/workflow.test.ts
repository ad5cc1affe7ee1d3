// The workflow status of a document in words: who may decide now, who has decided, which approvals are missing.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { dayIn, daysLater } from '#kernel/day.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { digestOfTables } from '#test/builders/samples.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())
afterEach(() => {
  world.clock.moved_ms = 0
})

const idOf = (name: string) => world.people[name]!.id
const stand = (by: string, id: number) => paper.get(by, id, '/workflow')
const configure = async (id: number, body: object) =>
  ok(
    await world.as('ada').post(`/api/documents/${id}/configure-approval`, {
      ...{ transition: 'review', change_reason: 'A colleague is absent' },
      ...body,
    }),
  )
const namesOf = (people: Json[]) => people.map(({ username }) => username)
const day_ms = 24 * 60 * 60 * 1000

describe('the workflow of a document (proves: FLOW-01, FLOW-02)', () => {
  it('says of a draft what is before it, and what its reader may do', async () => {
    const { id, number } = await paper.upload()
    const seen = await stand('alan', id)
    assert.deepEqual(seen.document, { id, number, title: 'Cleaning of line 1' })
    assert.deepEqual([seen.state.label, seen.round, seen.due_date, seen.overdue], ['Draft', 0, null, false])
    assert.deepEqual(
      seen.approvals.map(({ transition, status, rules }: Json) => [
        transition,
        status,
        rules[0].in_words,
        rules[0].missing,
      ]),
      [
        ['review', 'ahead', '1 person with the permission documents.review', 1],
        ['approve', 'ahead', '1 person with the role QA', 1],
      ],
    )
    assert.deepEqual(seen.you, { may: ['submit', 'cancel'], why_not: null })
    assert.equal(
      seen.summary,
      `${number}, version 1.0, is in the state Draft: someone takes submit (permission documents.submit) or cancel (permission documents.update)`,
    )
  })

  it('says whom it waits for by name, who is excluded, and to each what they may do or why not', async () => {
    const { id } = await paper.upload()
    const who = ['petra', 'quentin', 'quinn'].map(idOf)
    await configure(id, { approvers: [{ kind: 'user', who, count: 2 }] })
    ok(await paper.move('alan', id, 'submit'))
    ok(await paper.approve('petra', id, { comment: 'Clear' }))
    const seen = await stand('quentin', id)
    assert.deepEqual(seen.waits_for, [
      'review awaits 1 more of Petra Example, Quentin Example and Quinn Example: Quinn Example or Quentin Example; the author is excluded',
    ])
    const [review] = seen.approvals
    assert.deepEqual([review.status, review.rules[0].needed, review.rules[0].missing], ['pending', 2, 1])
    assert.deepEqual(namesOf(review.rules[0].may_decide_now.people), ['quinn', 'quentin'])
    assert.equal(review.rules[0].may_decide_now.total, 2)
    const [given] = review.rules[0].given
    assert.deepEqual([given.user.username, given.for, typeof given.signature_id], ['petra', null, 'number'])
    assert.deepEqual(seen.you, { may: ['approve', 'withdraw', 'reject'], why_not: null })
    assert.equal((await stand('petra', id)).you.why_not.code, 'approver_already_approved')
    assert.equal((await stand('alan', id)).you.why_not.code, 'document_approval_permission_required')
    assert.match(
      (await stand('ada', id)).you.why_not.detail,
      /^You cannot decide on the review step of this version, because you chose its approvals\. It is decided by 2 of Petra Example, Quentin Example and Quinn Example\.$/,
    )
    assert.deepEqual(
      seen.decisions.map(({ in_words, comment, is_void }: Json) => [in_words, comment, is_void]),
      [['Petra Example approved the review step', 'Clear', false]],
    )
    assert.deepEqual(
      seen.ways.map(({ transition, you_may }: Json) => [transition, you_may]),
      [
        ['review', true],
        ['withdraw', true],
        ['reject', true],
      ],
    )
  })

  it('uses the words of the refusal', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id))
    const { you } = await stand('petra', id)
    const refusal = await paper.approve('petra', id)
    assert.deepEqual(refusal.json(), you.why_not)
    assert.deepEqual(you.may, ['withdraw'])
  })

  it('shows whose part it was, where one was handed on', async () => {
    const { id } = await paper.upload()
    await configure(id, { approvers: [{ kind: 'user', who: idOf('petra') }] })
    ok(await paper.move('alan', id, 'submit'))
    ok(await world.as('petra').post(`/api/documents/${id}/delegate`, { to: idOf('quentin'), reason: 'On leave' }))
    const before = await stand('petra', id)
    assert.deepEqual(namesOf(before.approvals[0].rules[0].may_decide_now.people), ['quentin'])
    assert.equal(before.you.why_not.code, 'approver_delegated')
    assert.deepEqual(
      before.delegations.map(({ from, to }: Json) => [from.username, to.username]),
      [['petra', 'quentin']],
    )
    ok(await paper.approve('quentin', id))
    const seen = await stand('alan', id)
    const [{ status, rules }] = seen.approvals
    assert.deepEqual(
      [status, rules[0].given[0].user.username, rules[0].given[0].for.username],
      ['given', 'quentin', 'petra'],
    )
    assert.equal(seen.decisions[0].in_words, 'Quentin Example approved the review step, with the part of Petra Example')
    assert.match(
      seen.waits_for[0],
      /^approve awaits 1 person with the role QA: .*; the author is excluded; approvers of review are excluded$/,
    )
    const who = namesOf(seen.approvals[1].rules[0].may_decide_now.people)
    assert.ok(who.includes('petra') && !who.includes('quentin'), who.join())
  })

  it('in a fixed order waits for one at a time', async () => {
    const { id } = await paper.upload()
    const approvers = ['quinn', 'petra'].map(name => ({ kind: 'user', who: idOf(name) }))
    await configure(id, { approvers, mode: 'sequential' })
    ok(await paper.move('alan', id, 'submit'))
    assert.deepEqual((await stand('petra', id)).waits_for, [
      'review awaits Quinn Example: Quinn Example; the author is excluded',
    ])
    assert.deepEqual((await stand('petra', id)).you.why_not.params, { step: 'review', awaited: ['Quinn Example'] })
    ok(await paper.approve('quinn', id))
    assert.deepEqual((await stand('petra', id)).waits_for, [
      'review awaits Petra Example: Petra Example; the author is excluded',
    ])
  })

  it('says when it is overdue', async () => {
    const { id, number } = await paper.upload()
    const due_date = daysLater(dayIn('UTC', world.clock.now()), 3)
    await configure(id, { due_date })
    ok(await paper.move('alan', id, 'submit'))
    assert.deepEqual([(await stand('alan', id)).due_date, (await stand('alan', id)).overdue], [due_date, false])
    world.clock.moved_ms = 4 * day_ms
    const late = await stand('alan', id)
    assert.equal(late.overdue, true)
    assert.ok(
      late.summary.startsWith(
        `${number}, version 1.0, is in the state In review, overdue since ${due_date}: review awaits`,
      ),
    )
  })

  it('shows of a draft that was sent back who sent it back and why, and of a percentage what it would be today', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id, { decision: 'reject', comment: 'Step 3 is wrong' }))
    await configure(id, { approvers: [{ kind: 'permission', who: 'documents.review', percent: 50 }] })
    const seen = await stand('alan', id)
    assert.deepEqual(
      seen.decisions.map(({ in_words, comment, is_void }: Json) => [in_words, comment, is_void]),
      [['Petra Example rejected the review step', 'Step 3 is wrong', true]],
    )
    const [{ needed, in_words }] = seen.approvals[0].rules
    assert.deepEqual([needed, in_words], [2, '50% of the people with the permission documents.review, which is 2'])
    assert.deepEqual(seen.you.may, ['submit'])
  })

  it('of an approved version names the day that it waits for, and of an effective one nothing', async () => {
    const effective_date = daysLater(dayIn('UTC', world.clock.now()), 9)
    const { id } = await paper.upload({ effective_date })
    await paper.release(id)
    assert.deepEqual((await stand('alan', id)).waits_for, [
      `make_effective happens automatically on the effective date, ${effective_date}`,
    ])
    const other = await paper.effective()
    const seen = await stand('uma', other.id)
    assert.deepEqual(seen.waits_for, [])
    assert.equal(seen.summary, `${other.number}, version 1.0, is in the state Effective: it waits for nothing`)
    assert.deepEqual(
      seen.approvals.map(({ transition, status }: Json) => [transition, status]),
      [
        ['review', 'given'],
        ['approve', 'given'],
      ],
    )
  })

  it('names each step, where it stands and what is signed by it', async () => {
    const { id, number } = await paper.submitted()
    const [review, approve] = (await stand('petra', id)).approvals
    assert.deepEqual(
      [review.label, review.from, review.signature_type],
      ['Review', [{ name: 'in_review', label: 'In review' }], 'review'],
    )
    assert.deepEqual(
      [approve.label, approve.from[0].label, approve.signature_type],
      ['Approve', 'In approval', 'approval'],
    )
    assert.deepEqual(
      (await stand('alan', id)).ways.map(({ transition, label }: Json) => [transition, label]),
      [
        ['review', 'Review'],
        ['withdraw', 'Withdraw'],
        ['reject', 'Reject'],
      ],
    )
    ok(await paper.approve('petra', id))
    const [{ signature_id }] = (await stand('petra', id)).decisions
    const signed = ok(await world.as('petra').get(`/api/signatures/${signature_id}`))
    assert.deepEqual([signed.signature_type, signed.intent], [review.signature_type, review.intent])
    assert.equal(review.intent, `review of ${number}, version 1.0`)
  })

  it('of an earlier version shows its approvals, and nothing that could be done about it', async () => {
    const { id } = await paper.effective()
    ok(await paper.addVersion(id))
    ok(await paper.move('alan', id, 'submit'))
    const seen = await paper.get('ada', id, '/workflow?version=1.0')
    assert.deepEqual([seen.version, seen.state.name, seen.you], ['1.0', 'effective', { may: [], why_not: null }])
    assert.deepEqual(
      seen.approvals.map(({ transition, status, rules }: Json) => [
        transition,
        status,
        namesOf(rules[0].given.map(({ user }: Json) => user)),
      ]),
      [
        ['review', 'given', ['petra']],
        ['approve', 'given', ['quentin']],
      ],
    )
    assert.ok(seen.ways.length > 0 && seen.ways.every(({ you_may }: Json) => !you_may))
    assert.deepEqual(await paper.get('petra', id, '/workflow?version=1.1'), await stand('petra', id))
    ok(await paper.approve('petra', id))
    ok(await paper.approve('quentin', id))
    const superseded = await paper.get('ada', id, '/workflow?version=1.0')
    assert.deepEqual([superseded.state.name, superseded.you.may, superseded.waits_for], ['superseded', [], []])
    assert.equal(superseded.approvals.length, 2)
    assert.equal((await world.as('uma').get(`/api/documents/${id}/workflow?version=1.0`)).statusCode, 404)
    assert.equal((await world.as('ada').get(`/api/documents/${id}/workflow?version=7.0`)).statusCode, 404)
  })

  it('is for who may read the document, and tells no other of a draft', async () => {
    const { id } = await paper.submitted()
    for (const name of ['uma', 'rita'])
      assert.equal((await world.as(name).get(`/api/documents/${id}/workflow`)).statusCode, 404)
  })
})

describe('a template is tried out (proves: FLOW-01)', () => {
  const tryOut = (template: number, body: object = {}, by = 'quinn') =>
    world.as(by).post(`/api/workflow-templates/${template}/preview`, body)

  it('says step by step who would have to approve a document, with its author excluded, and writes nothing', async () => {
    const { id, number } = await paper.upload({ by: 'petra' })
    const before = await digestOfTables(world)
    const seen = ok(await tryOut(2, { document_id: id }))
    assert.deepEqual(await digestOfTables(world), before)
    assert.deepEqual([seen.document, seen.author.username], [{ id, number, version: '1.0' }, 'petra'])
    assert.deepEqual(
      seen.steps.map(({ state, transition, to, issue }: Json) => [state, transition, to, issue]),
      [
        ['draft', 'submit', 'in_review', null],
        ['in_review', 'review', 'in_approval', null],
        ['in_approval', 'approve', 'approved', null],
        ['approved', 'make_effective', 'effective', null],
      ],
    )
    const [, review, approve, last] = seen.steps
    assert.deepEqual(namesOf(review.rules[0].people), ['ada', 'quinn', 'quentin'])
    assert.deepEqual(
      review.excluded.map(({ person, why }: Json) => [person.username, why.code]),
      [['petra', 'document_author_excluded']],
    )
    assert.ok(!namesOf(approve.rules[0].people).includes('petra'))
    assert.match(
      approve.in_words,
      /approval by 1 person with the role QA; the author excluded; not those who approved review/,
    )
    assert.equal(last.in_words, 'automatically on the effective date')
    assert.deepEqual([seen.issues, seen.warnings, seen.may_become_effective], [[], [], true])
  })

  it('with what was configured for the document, and of another template without it', async () => {
    const { id } = await paper.upload()
    await configure(id, { approvers: [{ kind: 'user', who: idOf('quentin') }] })
    const own = ok(await tryOut(2, { document_id: id }))
    assert.deepEqual(
      own.steps[1].rules.map(({ in_words }: Json) => in_words),
      ['Quentin Example'],
    )
    const other = ok(await tryOut(1, { document_id: id }))
    assert.deepEqual(
      other.steps[1].rules.map(({ in_words }: Json) => in_words),
      ['1 person with the permission documents.approve'],
    )
  })

  it('of a definition that is not stored yet says what is wrong, and what would leave a document stuck', async () => {
    const { definition } = ok(await world.as('quinn').get('/api/workflow-templates/2'))
    const gate = (name: string) => definition.transitions.find((each: Json) => each.name === name).approval
    gate('review').rules = [{ kind: 'user', who: [idOf('petra'), idOf('quentin')], count: 2 }]
    gate('approve').rules = [{ kind: 'user', who: idOf('ada') }]
    const fine = ok(await tryOut(2, { definition, author_id: idOf('alan') }))
    assert.deepEqual([fine.may_become_effective, fine.issues], [true, []])
    assert.match(
      fine.warnings[0],
      /^The review step cannot be approved for documents by (Petra|Quentin) Example or (Petra|Quentin) Example/,
    )
    const stuck = ok(await tryOut(2, { definition, author_id: idOf('petra') }))
    assert.equal(stuck.may_become_effective, false)
    assert.match(
      stuck.steps[1].issue,
      /not enough people for the review step: it needs Petra Example and Quentin Example/,
    )
    gate('approve').rules = [{ kind: 'user', who: idOf('petra') }]
    const wrong = ok(await tryOut(2, { definition }))
    const [issue] = wrong.issues
    assert.match(issue.path, /^\/transitions\/\d+\/approval\/excludes_approvers_of\/0$/)
    assert.equal(issue.detail, 'There are not enough different people to approve review and approve.')
    assert.equal(wrong.may_become_effective, false)
    assert.match(wrong.steps[2].issue, /not enough different people to approve review and approve/)
    definition.states = definition.states.filter(({ kind }: Json) => kind !== 'effective')
    const nowhere = ok(await tryOut(2, { definition }))
    assert.deepEqual([nowhere.steps, nowhere.may_become_effective], [[], false])
    assert.ok(nowhere.issues.length > 0)
  })

  it('not stored at all: each issue has its place, its code and its German; names are beside ids', async () => {
    const crew = ok(await world.as('ada').post('/api/groups/', { name: 'Validation crew' }))
    ok(await world.as('ada').post(`/api/groups/${crew.id}/add-member`, { user_ids: [idOf('petra')] }))
    const { definition } = ok(await world.as('quinn').get('/api/workflow-templates/1'))
    const at = definition.transitions.findIndex(({ name }: Json) => name === 'approve')
    const unsaved = (body: object, by = 'quinn', headers = {}) =>
      world.as(by).post('/api/workflow-templates/preview', { definition, ...body }, headers)
    const gate = definition.transitions[at].approval
    gate.rules = [
      { kind: 'user', who: idOf('quentin') },
      { kind: 'group', who: crew.id },
      { kind: 'role', who: 'Nobody' },
    ]
    definition.states.push({ name: 'lost', label: 'Lost', kind: 'review' })
    const before = await digestOfTables(world)
    const wrong = ok(await unsaved({}))
    assert.deepEqual(await digestOfTables(world), before)
    assert.deepEqual(
      wrong.issues.map(({ path, code, params }: Json) => [path, code, params]),
      [[`/transitions/${at}/approval/rules/2/who`, 'workflow_role_without_approvers', { role: 'Nobody' }]],
    )
    assert.deepEqual(wrong.names, {
      users: { [idOf('quentin')]: 'Quentin Example' },
      groups: { [crew.id]: 'Validation crew' },
    })
    const german = ok(await unsaved({}, 'quinn', { 'accept-language': 'de' }))
    assert.match(german.issues[0].detail, /Rolle Nobody/)
    assert.equal(german.issues[0].code, wrong.issues[0].code)
    gate.rules.pop()
    const lost = ok(await unsaved({}))
    assert.deepEqual(
      lost.issues.map(({ path, code }: Json) => [path, code]),
      ['workflow_state_unreachable', 'workflow_no_way_to_final'].map(code => [
        `/states/${definition.states.length - 1}`,
        code,
      ]),
    )
    definition.states.pop()
    const sound = ok(await unsaved({ author_id: idOf('alan') }))
    assert.deepEqual([sound.template, sound.issues, sound.may_become_effective], [null, [], true])
    const stored = ok(await world.as('quinn').post('/api/workflow-templates/', { name: 'By the crew', definition }))
    assert.deepEqual(
      [stored.names, ok(await world.as('alan').get(`/api/workflow-templates/${stored.id}`)).names],
      [wrong.names, wrong.names],
    )
    assert.equal((await unsaved({}, 'uma')).statusCode, 403)
    assert.equal((await unsaved({ template_id: 999_999 })).statusCode, 404)
    assert.equal((await unsaved({ document_type_id: 999_999 })).statusCode, 404)
    assert.equal((await unsaved({ away_ids: [idOf('rita')] })).statusCode, 404)
  })

  it('says what document types require beyond it', async () => {
    const types = ok(await world.as('quinn').get('/api/document-types/?page_size=100')).items
    const sop = types.find(({ name }: Json) => name === 'SOP')
    const { definition } = ok(await world.as('quinn').get('/api/workflow-templates/1'))
    const preview = (body: object) =>
      world.as('quinn').post('/api/workflow-templates/preview', { definition, name: 'Mine', ...body })
    const tried = ok(await preview({ document_type_id: sop.id }))
    assert.deepEqual(
      tried.document_types.map(({ name, shortfall }: Json) => [name, shortfall.code]),
      [['SOP', 'workflow_minimum_people']],
    )
    assert.match(tried.document_types[0].shortfall.detail, /^Documents of the type SOP need approvals by 2 .* Mine has/)
    const general = ok(await preview({ template_id: 1 })).document_types
    assert.ok(general.length > 1 && general.every(({ shortfall }: Json) => shortfall === null))
  })

  it('without people who are away: their deputies decide, as far as both may', async () => {
    const today = dayIn('UTC', new Date())
    const ends_on = daysLater(today, 5)
    const deputy = (by: string, id: number) =>
      world.as(by).post('/api/deputies/', { deputy_id: id, starts_on: today, ends_on })
    ok(await deputy('quentin', idOf('petra')))
    const { definition } = ok(await world.as('quinn').get('/api/workflow-templates/2'))
    const gate = (name: string) => definition.transitions.find((each: Json) => each.name === name).approval
    gate('approve').rules = [{ kind: 'user', who: idOf('quentin') }]
    const step = async (body: object) => {
      const tried = ok(
        await world
          .as('quinn')
          .post('/api/workflow-templates/preview', { definition, author_id: idOf('alan'), ...body }),
      )
      return { ...tried.steps[2], deputies: tried.deputies, isPossible: tried.may_become_effective }
    }
    const there = await step({})
    assert.deepEqual([namesOf(there.rules[0].people), there.rules[0].away], [['quentin'], []])
    assert.deepEqual(
      there.deputies.map(({ person, deputy, ends_on }: Json) => [person.username, deputy.username, ends_on]),
      [['quentin', 'petra', ends_on]],
    )
    const away = await step({ away_ids: [idOf('quentin')] })
    assert.deepEqual([namesOf(away.rules[0].people), away.isPossible], [['petra'], true])
    assert.deepEqual(
      away.rules[0].away.map(({ person, deputy }: Json) => [person.username, deputy.username]),
      [['quentin', 'petra']],
    )
    const written = await step({ away_ids: [idOf('quentin')], author_id: idOf('petra') })
    assert.deepEqual([written.rules[0].people, written.rules[0].away[0].deputy, written.isPossible], [[], null, false])
    const both = await step({ away_ids: [idOf('quentin'), idOf('petra')] })
    assert.deepEqual([both.rules[0].people, both.isPossible], [[], false])
    assert.match(both.issue, /not enough people for the approval step/)
  })

  it('lists who keeps an old version, as far as the reader may know of it', async () => {
    const { definition } = ok(await world.as('quinn').get('/api/workflow-templates/1'))
    const template = ok(await world.as('quinn').post('/api/workflow-templates/', { name: 'Kept', definition }))
    ok(
      await world
        .as('quinn')
        .post('/api/document-types/', { name: 'Kept type', prefix: 'KT', workflow_template_id: template.id }),
    )
    const first = await paper.upload({ type: 'Kept type' })
    definition.transitions.find(({ name }: Json) => name === 'approve').approval.rules[0].count = 2
    const url = `/api/workflow-templates/${template.id}`
    ok(await world.as('quinn').put(url, { definition, change_reason: 'Two see more than one' }))
    const second = await paper.upload({ type: 'Kept type' })
    const versions = ok(await world.as('alan').get(`${url}/versions`)).items
    assert.deepEqual(
      versions.map(({ version, created_by, change_reason, documents_under_way, definition: { transitions } }: Json) => [
        ...[version, created_by.username, change_reason, documents_under_way],
        transitions.find(({ name }: Json) => name === 'approve').approval.rules[0].count,
      ]),
      [
        [2, 'quinn', 'Two see more than one', 1, 2],
        [1, 'quinn', null, 1, 1],
      ],
    )
    const keeping = async (by: string, search = '') =>
      ok(await world.as(by).get(`${url}/documents${search}`)).items.map(({ number, template_version }: Json) => [
        ...[number, template_version],
      ])
    assert.deepEqual(await keeping('quinn'), [
      [first.number, 1],
      [second.number, 2],
    ])
    assert.deepEqual(await keeping('quinn', '?version=1'), [[first.number, 1]])
    assert.deepEqual(await keeping('anna'), [], 'drafts of others')
    assert.equal((await world.as('quinn').get('/api/workflow-templates/999999/versions')).statusCode, 404)
    assert.equal((await world.as('quinn').get('/api/workflow-templates/999999/documents')).statusCode, 404)
  })

  it('for documents and people that the caller may know of', async () => {
    const { id } = await paper.upload()
    ok(await tryOut(1, { document_id: id }, 'alan'))
    assert.equal((await tryOut(1, { document_id: id }, 'uma')).statusCode, 403)
    assert.equal((await tryOut(1, { document_id: id }, 'anna')).statusCode, 404)
    assert.equal((await tryOut(1, { document_id: 999_999 })).statusCode, 404)
    assert.equal((await tryOut(1, { author_id: idOf('rita') })).statusCode, 404)
    assert.equal((await tryOut(999_999)).statusCode, 404)
  })
})
