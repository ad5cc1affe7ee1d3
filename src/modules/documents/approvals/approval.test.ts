// The people who may move a document, and the refusals of others.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

type Reply = Awaited<ReturnType<typeof paper.approve>>
function refused(reply: Reply, status: number, words: RegExp) {
  assert.equal(reply.statusCode, status, reply.body)
  assert.match(reply.body, words)
}

const lastDenied = async () => ok(await world.as('otto').get('/api/audit/?outcome=denied&page_size=1')).items[0] as Json

describe('an approval of the GMP workflow (proves: DOC-05)', () => {
  it('is not given by the author: 403, remembered in the trail with who and which document', async () => {
    const { id, number } = await paper.upload({ by: 'petra' })
    ok(await paper.move('petra', id, 'submit'))
    refused(await paper.approve('petra', id), 403, /approver_is_author/)
    const entry = await lastDenied()
    assert.deepEqual([entry.action, entry.user.username], ['access.denied', 'petra'])
    assert.ok(entry.reason.startsWith(`${number} (${id}): You are the author`))
    assert.equal((await paper.get('otto', id, '/history')).filter(({ kind }: Json) => kind === 'decision').length, 0)
  })

  it('is not given by who reviewed, nor twice by the same person', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id))
    refused(
      await paper.approve('petra', id),
      403,
      /You approved the review step, so another person must decide on the approval step/,
    )
    refused(await paper.move('petra', id, 'reject', 'Second thoughts'), 403, /approver_approved_excluded_step/)
    assert.equal((await paper.get('petra', id)).status, 'in_approval')
  })

  it('twice in a rule for two: 409', async () => {
    const { id } = await paper.upload()
    ok(
      await world.as('ada').post(`/api/documents/${id}/configure-approval`, {
        change_reason: 'A colleague is absent',
        transition: 'review',
        approvers: [{ kind: 'permission', who: 'documents.review', count: 2 }],
      }),
    )
    ok(await paper.move('alan', id, 'submit'))
    const first = ok(await paper.approve('petra', id))
    assert.equal(first.status, 'in_review')
    assert.deepEqual(
      first.workflow.pending[0].rules[0].given_by.map((each: Json) => each.username),
      ['petra'],
    )
    refused(await paper.approve('petra', id), 409, /approver_already_approved/)
    assert.equal(ok(await paper.approve('quentin', id)).status, 'in_approval')
  })

  it('is not given by one whom no rule names, nor without the permission', async () => {
    const { id } = await paper.upload()
    ok(
      await world.as('ada').post(`/api/documents/${id}/configure-approval`, {
        change_reason: 'A colleague is absent',
        approvers: [{ kind: 'user', who: world.people.quinn!.id }],
      }),
    )
    ok(await paper.move('alan', id, 'submit'))
    refused(await paper.approve('petra', id), 403, /approver_not_named/)
    refused(await paper.approve('uma', id), 403, /documents\.approve/)
    refused(await paper.move('alan', id, 'reject', 'No'), 403, /document_approval_permission_required/)
    refused(await paper.move('otto', id, 'reject', 'No'), 403, /documents\.transition/)
    assert.equal(ok(await paper.approve('quinn', id)).status, 'in_approval')
  })

  it('is not given in a state that awaits none: 409 with what is possible', async () => {
    const { id } = await paper.effective()
    refused(
      await paper.approve('quinn', id),
      409,
      /Nothing awaits approval in the state effective\. From effective you may: obsolete/,
    )
    refused(await paper.approve('petra', id), 409, /There is no transition from effective that you may take/)
  })

  it('of a document that is not there or is not theirs is a 404', async () => {
    const { id } = await paper.submitted()
    const [missing, foreign] = [await paper.approve('petra', 999_999), await paper.approve('rita', id)]
    assert.deepEqual([missing.statusCode, foreign.statusCode], [404, 404])
    assert.equal(missing.body, foreign.body)
  })

  it('is refused to Admins where the tenant says so, whichever way it comes', async () => {
    const { id } = await paper.submitted()
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: false }))
    refused(await paper.approve('ada', id), 403, /Admins may not approve in this company\..*admin_may_not_approve/)
    refused(await paper.move('ada', id, 'reject', 'No'), 403, /Admins may not approve in this company/)
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: true }))
    assert.equal(ok(await paper.approve('ada', id)).status, 'in_approval')
  })

  it('asks for the password once the log-in is too long ago, and never before it is sure that the caller may approve', async () => {
    const { id } = await paper.submitted()
    const stale = world.as('petra', { logged_in: 16 * 60 })
    const asked = await stale.post(`/api/documents/${id}/approve`, {})
    refused(asked, 401, /signing_password_required/)
    assert.match(String(asked.headers['www-authenticate']), /error="insufficient_user_authentication", max_age="900"/)
    refused(
      await world.as('alan', { logged_in: 16 * 60 }).post(`/api/documents/${id}/approve`, {}),
      403,
      /documents\.approve/,
    )
    ok(await stale.post(`/api/documents/${id}/approve`, { password }))
    refused(await stale.post(`/api/documents/${id}/approve`, {}), 403, /approver_approved_excluded_step/)
  })
})

describe('to reject', () => {
  it('needs a comment, voids the round, and a second round counts afresh', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id, { comment: 'Fine' }))
    const silent = await paper.approve('quentin', id, { decision: 'reject' })
    refused(silent, 422, /workflow_comment_required/)
    assert.deepEqual(silent.json().detail[0].loc, ['body', 'comment'])
    const rejected = ok(await paper.approve('quentin', id, { decision: 'reject', comment: 'Step 3 is wrong' }))
    assert.deepEqual([rejected.status, rejected.workflow.pending], ['draft', []])
    const [entry] = ok(await world.as('otto').get(`/api/audit/?action=document.rejected&resource_id=${id}`)).items
    assert.deepEqual(
      [entry.user.username, entry.reason, entry.changes.version.to],
      ['quentin', 'Step 3 is wrong', '1.0'],
    )
    ok(await paper.move('alan', id, 'submit'))
    assert.equal(
      ok(await paper.approve('quentin', id)).status,
      'in_approval',
      'who approved in the first round may do otherwise now',
    )
    assert.equal(ok(await paper.approve('petra', id)).status, 'effective')
    const decisions = (await paper.get('otto', id, '/history')).filter(({ kind }: Json) => kind === 'decision')
    assert.deepEqual(
      decisions.map(({ user, decision, round, is_void }: Json) => [user.username, decision, round, is_void]),
      [
        ['petra', 'approve', 1, true],
        ['quentin', 'reject', 1, true],
        ['quentin', 'approve', 2, false],
        ['petra', 'approve', 2, false],
      ],
    )
  })

  it('is the same decision as a transition: stored, named in the trail, refused to the author', async () => {
    const { id } = await paper.submitted()
    refused(await paper.move('petra', id, 'reject'), 422, /comment/)
    refused(await paper.move('alan', id, 'reject', 'Mine'), 403, /documents\.approve/)
    assert.equal(ok(await paper.move('petra', id, 'reject', 'Unclear')).status, 'draft')
    const decisions = (await paper.get('otto', id, '/history')).filter(({ kind }: Json) => kind === 'decision')
    assert.deepEqual(
      decisions.map(({ user, decision }: Json) => [user.username, decision]),
      [['petra', 'reject']],
    )
    assert.equal(ok(await world.as('otto').get(`/api/audit/?action=document.rejected&resource_id=${id}`)).total, 1)
  })
})

describe('transitions by hand', () => {
  it('submit, withdraw: each one entry in the history and one in the trail, with the new revision', async () => {
    const { id } = await paper.upload()
    for (const [transition, state] of [
      ['submit', 'in_review'],
      ['withdraw', 'draft'],
      ['submit', 'in_review'],
    ] as const) {
      const { status, revision } = ok(await paper.move('alan', id, transition, `To ${state}`))
      assert.equal(status, state)
      const { items } = ok(
        await world.as('otto').get(`/api/audit/?action=document.state_changed&resource_id=${id}&sort=id:desc`),
      )
      const [{ changes, reason }] = items
      assert.deepEqual(
        [changes.status.to, changes.transition.to, changes.revision.to, reason],
        [state, transition, revision, `To ${state}`],
      )
    }
    assert.equal(ok(await world.as('otto').get(`/api/audit/?action=document.state_changed&resource_id=${id}`)).total, 3)
    assert.deepEqual(
      (await paper.get('otto', id, '/history')).map((each: Json) => each.transition),
      ['created', 'submit', 'withdraw', 'submit'],
    )
  })

  it('withdraw is for the owner too, who needs no permission for it; cancel is not for what was submitted once', async () => {
    const { id } = await paper.submitted()
    refused(await paper.move('anna', id, 'withdraw'), 404, /Document not found/)
    ok(
      await world
        .as('quinn')
        .put(`/api/documents/${id}`, { owner_id: world.people.uma!.id, change_reason: 'Handed over' }),
    )
    assert.equal(ok(await paper.move('uma', id, 'withdraw', 'Not ready')).status, 'draft')
    refused(
      await paper.move('alan', id, 'cancel'),
      409,
      /never submitted can be cancelled\. From draft you may: submit/,
    )
    assert.deepEqual((await paper.get('alan', id)).workflow.transitions, ['submit'])
  })

  it('that the state does not offer are a 409 with those that it does', async () => {
    const { id } = await paper.upload()
    refused(
      await paper.move('alan', id, 'withdraw'),
      409,
      /There is no transition withdraw from the state draft\. From draft you may: submit, cancel/,
    )
    refused(await paper.move('alan', id, 'make_effective'), 409, /workflow_transition_unknown/)
    ok(await paper.move('alan', id, 'submit'))
    refused(await paper.move('alan', id, 'review'), 409, /workflow_transition_automatic/)
    const { id: other } = await paper.upload()
    ok(await paper.move('alan', other, 'cancel'))
    refused(await paper.move('alan', other, 'submit'), 409, /There is no transition from cancelled that you may take/)
  })

  it('that need a permission are refused without it, and that need a comment without one', async () => {
    const { id } = await paper.effective()
    refused(
      await paper.move('petra', id, 'obsolete', 'Old'),
      403,
      /the permission documents\.obsolete for the transition obsolete/,
    )
    assert.equal((await lastDenied()).user.username, 'petra')
    refused(await paper.move('quinn', id, 'obsolete'), 422, /workflow_comment_required/)
    assert.equal(ok(await paper.move('quinn', id, 'obsolete', 'Old')).status, 'obsolete')
    refused(await paper.addVersion(id), 409, /"code":"document_final"/)
  })
})

describe('the standard workflow', () => {
  it('a draft is submitted and approved at once by its author, in one command and one round', async () => {
    const { id } = await paper.upload({ type: 'General document', by: 'quinn' })
    const approved = ok(await paper.approve('quinn', id, { comment: 'Ready' }))
    assert.deepEqual([approved.status, approved.revision], ['effective', 2])
    const history = await paper.get('otto', id, '/history')
    assert.deepEqual(
      history.map(({ transition, round }: Json) => [transition, round]),
      [
        ['created', 0],
        ['submit', 1],
        ['approve', 1],
        ['approve', 1],
        ['make_effective', 1],
      ],
    )
  })
  it('not by one who may only submit: the draft stays a draft', async () => {
    const { id } = await paper.upload({ type: 'General document' })
    refused(await paper.approve('alan', id), 403, /documents\.approve/)
    assert.equal((await paper.get('alan', id)).status, 'draft')
  })
  it('a draft whose approval is to be signed can be submitted, approved and signed at once', async () => {
    const template = ok(await world.as('quinn').get('/api/workflow-templates/1')).definition
    const approve = template.transitions.find(({ name }: Json) => name === 'approve')
    approve.approval.signature_required = true
    const { id: template_id } = ok(
      await world.as('quinn').post('/api/workflow-templates/', { name: 'Signed at once', definition: template }),
    )
    const type = ok(
      await world
        .as('quinn')
        .post('/api/document-types/', { name: 'Memo', prefix: 'MEM', workflow_template_id: template_id }),
    )
    const { id } = await paper.upload({ by: 'quinn', type: type.name })
    refused(
      await world.as('quinn', { logged_in: 3600 }).post(`/api/documents/${id}/approve`, {}),
      401,
      /signing_password_required/,
    )
    assert.equal(ok(await paper.approve('quinn', id)).status, 'effective')
    const { items } = ok(await world.as('otto').get(`/api/signatures/?document_id=${id}`))
    assert.equal(items.length, 1)
    assert.equal(ok(await world.as('otto').get(`/api/signatures/${items[0].id}`)).record.status, 'in_review')
  })
})

describe('configure-approval (proves: DOC-06)', () => {
  const configure = (id: number, body: object, by = 'ada') =>
    world.as(by).post(`/api/documents/${id}/configure-approval`, { change_reason: 'A colleague is absent', ...body })
  const user = (name: string) => ({ kind: 'user', who: world.people[name]!.id })

  it('names approvers in an order, and the trail has before and after', async () => {
    const { id } = await paper.upload({ type: 'Policy' })
    const configured = ok(
      await configure(id, {
        approvers: [user('quinn'), user('petra')],
        mode: 'sequential',
        change_reason: 'Quinn first',
      }),
    )
    assert.equal(configured.status, 'draft')
    ok(await paper.move('alan', id, 'submit'))
    const { pending } = (await paper.get('alan', id)).workflow
    assert.deepEqual([pending[0].mode, pending[0].rules.map(({ open }: Json) => open)], ['sequential', [true, false]])
    refused(await paper.approve('petra', id), 409, /approver_turn_not_started/)
    ok(await paper.approve('quinn', id))
    assert.equal(ok(await paper.approve('petra', id)).status, 'effective')
    const [entry] = ok(
      await world.as('otto').get(`/api/audit/?action=document.approval_configured&resource_id=${id}`),
    ).items
    assert.deepEqual(
      [entry.reason, entry.changes.approval_overrides.from, entry.changes.approval_overrides.to[0].mode],
      ['Quinn first', [], 'sequential'],
    )
  })

  it('of one approval leaves that of another as it was configured', async () => {
    const { id } = await paper.upload()
    ok(await configure(id, { transition: 'approve', approvers: [user('quinn')] }))
    ok(await configure(id, { transition: 'review', approvers: [user('quentin')] }))
    ok(await paper.move('alan', id, 'submit'))
    ok(await paper.approve('quentin', id))
    refused(await paper.approve('petra', id), 403, /approver_not_named/)
    assert.equal(ok(await paper.approve('quinn', id)).status, 'effective')
  })

  it('can choose another workflow for a draft', async () => {
    const form = `/api/document-types/${await world.typeId('Form')}`
    ok(await world.as('quinn').put(form, { workflow_template_ids: [2] }))
    const { id } = await paper.upload({ type: 'Form' })
    const changed = ok(await configure(id, { workflow_template_id: 2 }))
    assert.equal(changed.workflow.template.name, 'GMP two-step approval')
    const usual = ok(await configure(id, { workflow_template_id: 1, change_reason: undefined }))
    assert.equal(usual.workflow.template.name, 'Standard approval')
    assert.equal(ok(await paper.approve('quinn', id, { comment: 'Alan is ill' })).status, 'effective')
  })

  it('not once an approval is given, not for an effective version, not another workflow in review', async () => {
    const { id } = await paper.submitted()
    refused(await configure(id, { workflow_template_id: 2 }), 409, /"code":"document_workflow_in_use"/)
    ok(await paper.approve('petra', id))
    refused(await configure(id, { approvers: [user('quinn')] }), 409, /"code":"document_approval_begun"/)
    ok(await paper.approve('quentin', id))
    refused(await configure(id, { approvers: [user('quinn')] }), 409, /"code":"document_without_approval"/)
    refused(await configure(id, { approvers: [user('quinn')] }, 'alan'), 403, /documents\.configure_approval/)
  })

  it('not what nobody can meet: 422 that says which approver', async () => {
    const { id } = await paper.upload()
    const wrong: [object, Json[], RegExp][] = [
      [
        { approvers: [user('petra'), { kind: 'user', who: world.people.uma!.id }] },
        ['body', 'approvers', 1, 'who'],
        /workflow_person_cannot_approve/,
      ],
      [{ approvers: [{ kind: 'role', who: 'QA', count: 20 }] }, ['body', 'approvers', 0, 'count'], /Only \d of the 20/],
      [
        { approvers: [{ kind: 'permission', who: 'documents.fly' }] },
        ['body', 'approvers', 0, 'who'],
        /no permission documents\.fly/,
      ],
      [
        { approvers: [{ kind: 'user', who: world.people.rita!.id }] },
        ['body', 'approvers', 0, 'who'],
        /workflow_person_cannot_approve/,
      ],
      [{ approvers: [user('petra'), user('petra')] }, ['body', 'approvers'], /not enough different people/],
      [
        { approvers: [user('quinn')], transition: 'submit' },
        ['body', 'transition'],
        /Choose an approval step of the workflow: review, approve\./,
      ],
    ]
    for (const [body, loc, words] of wrong) {
      const reply = await configure(id, body)
      refused(reply, 422, words)
      assert.deepEqual(reply.json().detail[0].loc, loc)
    }
    refused(await configure(id, { workflow_template_id: 999_999 }), 404, /Workflow template not found/)
  })
})

describe("an author's draft that somebody else submits (proves: DOC-05)", () => {
  it('is submitted with a reason, also by who approves it at once, and the history has it', async () => {
    const { id } = await paper.upload()
    const bare = await paper.move('petra', id, 'submit')
    assert.deepEqual(
      [bare.statusCode, bare.json().detail[0].loc, bare.json().detail[0].type],
      [422, ['body', 'comment'], 'document_submission_reason_required'],
    )
    const { status, warnings } = ok(await paper.move('petra', id, 'submit', 'Alan is ill'))
    assert.deepEqual([status, warnings], ['in_review', []])
    const submission = (await paper.get('otto', id, '/history')).find(({ transition }: Json) => transition === 'submit')
    assert.deepEqual([submission.user.username, submission.comment], ['petra', 'Alan is ill'])
    const simple = await paper.upload({ type: 'General document' })
    assert.equal((await paper.approve('petra', simple.id)).statusCode, 422)
    ok(await paper.approve('petra', simple.id, { comment: 'Alan is ill' }))
  })
})
