// Plans are compared as values, without a database: what is signed, written and told by each decision and transition, in its order.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Step } from '#modules/workflows'
import {
  approvalBy,
  factsAbout,
  type Name,
  now,
  shown,
  type TemplateName,
  templates,
  today,
  type Version,
  versionIn,
  withoutPeople,
} from '#test/builders/plans.ts'
import { atWorkOf } from '../core/view.ts'
import {
  planObsolescence,
  planRelease,
  planReplacement,
  planReturnToDraft,
  planTransition,
  refusalOf,
} from '../lifecycle/plan.ts'
import { type DecisionFacts, planDecision } from './plan.ts'

const { gmp, standard } = templates
const before = { template: gmp, id: 9, version: '0.1' }
/** Version 1.0 is effective, and version 2.0 is what the plan is about. */
const replacing = (change: Partial<DecisionFacts> = {}): Partial<DecisionFacts> => ({
  document: {
    ...{ id: 7, number: 'SOP-00001', document_type_id: 1, revision: 4, effective_version_id: 9, latest_version_id: 11 },
  },
  effective: atWorkOf(
    versionIn(before.template, {
      id: 9,
      status: 'effective',
      effective_date: '2025-01-01',
      review_due_date: '2027-01-01',
    }),
    before.template,
    [],
  ),
  once_effective_id: 9,
  ...change,
})

interface Case {
  title: string
  template: TemplateName
  version?: Partial<Version>
  facts?: Partial<DecisionFacts>
  by: Name
  does: 'approve' | 'reject' | { transition: string } | 'release' | 'replace' | 'content_changed'
  comment?: string
  plan: string[]
}

const made = { approved: 'training of 11: approved', effective: 'training of 11: effective' }
const superseded = ['9 supersede: effective -> superseded', 'recall copies of 9']
const approved = { status: 'approved', is_waiting: true, approvals: [approvalBy('quinn', 'approve', 32)] }
const reviewed = [approvalBy('petra', 'review', 31)]

const cases: Case[] = [
  {
    title: 'a submission asks those who may decide, not its author',
    ...{ template: 'gmp', by: 'alan', does: { transition: 'submit' } },
    plan: ['11 submit: draft -> in_review; asks petra quentin quinn'],
  },
  {
    title: 'a submission of a workflow with a due date sets it',
    ...{ template: 'sequential', by: 'alan', does: { transition: 'submit' } },
    plan: ['11 submit: draft -> in_review; asks petra; due 2026-03-07'],
  },
  {
    title: 'the review is signed and leads to the approval by QA',
    ...{ template: 'gmp', version: { status: 'in_review' }, by: 'petra', does: 'approve', comment: 'Fine' },
    plan: [
      'sign review, round 1: Fine',
      'approve review in round 1',
      '11 review: in_review -> in_approval; asks quentin quinn',
    ],
  },
  {
    title: 'the last approval makes a version effective, and the one before it superseded first',
    ...{ template: 'gmp', version: { status: 'in_approval', approvals: reviewed }, by: 'quinn', does: 'approve' },
    facts: replacing(),
    plan: [
      'sign approval, round 1: approval of SOP-00001, version 1.0',
      'approve approve in round 1',
      '11 approve: in_approval -> approved',
      made.approved,
      ...superseded,
      '11 make_effective: approved -> effective',
      'effective_version_id = 11',
      made.effective,
    ],
  },
  {
    title: 'an effective date in the future keeps the version approved',
    ...{ template: 'gmp', by: 'quinn', does: 'approve' },
    version: { status: 'in_approval', effective_date: '2026-03-03', approvals: reviewed },
    facts: replacing(),
    plan: [
      'sign approval, round 1: approval of SOP-00001, version 1.0',
      'approve approve in round 1',
      '11 approve: in_approval -> approved',
      made.approved,
    ],
  },
  {
    title: 'the training gate is asked after the approval has assigned people',
    ...{ template: 'gmp', version: { status: 'in_approval', approvals: reviewed }, by: 'quinn', does: 'approve' },
    facts: replacing({ training_gate: { threshold: 90, is_complete: undefined } }),
    plan: [
      'sign approval, round 1: approval of SOP-00001, version 1.0',
      'approve approve in round 1',
      '11 approve: in_approval -> approved',
      made.approved,
      'if 90 % are trained on 11:',
      ...[...superseded, '11 make_effective: approved -> effective', 'effective_version_id = 11', made.effective].map(
        line => `  ${line}`,
      ),
    ],
  },
  {
    title: 'the draft of another person is submitted with a reason',
    ...{ template: 'standard', by: 'quinn', does: 'approve' },
    plan: ['422 document_submission_reason_required'],
  },
  {
    title: 'one approval of the Standard workflow submits, approves and releases',
    ...{ template: 'standard', by: 'quinn', does: 'approve', comment: 'Alan is ill' },
    plan: [
      '11 submit: draft -> in_review; asks petra quentin quinn',
      'approve approve in round 1',
      '11 approve: in_review -> approved',
      made.approved,
      '11 make_effective: approved -> effective',
      'effective_version_id = 11',
      made.effective,
    ],
  },
  {
    title: 'in a fixed order the first approval asks the next approvers',
    ...{ template: 'sequential', version: { status: 'in_review' }, by: 'petra', does: 'approve' },
    plan: ['approve approve in round 1; asks quentin quinn'],
  },
  {
    title: 'in a fixed order the second may not come first',
    ...{ template: 'sequential', version: { status: 'in_review' }, by: 'quinn', does: 'approve' },
    plan: ['409 approver_turn_not_started'],
  },
  {
    title: 'percentages are settled by the submission: 60 % of three people are two',
    ...{ template: 'percentage', by: 'alan', does: { transition: 'submit' } },
    plan: ['11 submit: draft -> in_review; asks petra quentin quinn'],
  },
  {
    title: 'the first of two approvals is stored and moves nothing',
    ...{ template: 'percentage', by: 'petra', does: 'approve' },
    version: { status: 'in_review', approval_counts: { approve: [2] } },
    plan: ['sign approval, round 1: approval of SOP-00001, version 1.0', 'approve approve in round 1'],
  },
  {
    title: 'the second of two approvals is the last',
    ...{ template: 'percentage', by: 'quinn', does: 'approve' },
    version: {
      ...{ status: 'in_review', approval_counts: { approve: [2] }, approvals: [approvalBy('petra', 'approve', 31)] },
      effective_date: '2026-04-01',
    },
    plan: [
      'sign approval, round 1: approval of SOP-00001, version 1.0',
      'approve approve in round 1',
      '11 approve: in_review -> approved',
      made.approved,
    ],
  },
  {
    title: 'a rejection voids the round with its signatures',
    ...{ template: 'gmp', by: 'quentin', does: 'reject', comment: 'Step 3 is wrong' },
    version: { status: 'in_approval', approvals: reviewed },
    plan: [
      'reject approve in round 1',
      'void signatures [31] of 11: Round 1 was ended by reject: Step 3 is wrong',
      '11 reject: in_approval -> draft',
    ],
  },
  {
    title: 'a rejection needs a comment',
    ...{ template: 'gmp', version: { status: 'in_approval' }, by: 'quentin', does: 'reject' },
    plan: ['422 workflow_comment_required'],
  },
  {
    title: 'the author may not approve',
    ...{ template: 'gmp', version: { status: 'in_review', created_by: 2 }, by: 'petra', does: 'approve' },
    plan: ['403 approver_is_author'],
  },
  {
    title: 'the reviewer may not approve',
    ...{ template: 'gmp', by: 'quinn', does: 'approve' },
    version: { status: 'in_approval', approvals: [approvalBy('quinn', 'review')] },
    plan: ['403 approver_approved_excluded_step'],
  },
  {
    title: 'an untrained person is refused before the workflow is asked',
    ...{ template: 'gmp', version: { status: 'in_review' }, by: 'petra', does: 'approve' },
    facts: {
      blocked: { ok: false, status: 403, message: { code: 'document_approver_not_trained', text: '', params: {} } },
    },
    plan: ['403 document_approver_not_trained'],
  },
  {
    title: 'the author withdraws a version in review',
    ...{ template: 'gmp', by: 'alan', does: { transition: 'withdraw' } },
    version: { status: 'in_approval', approvals: reviewed },
    plan: ['void signatures [31] of 11: Round 1 was ended by withdraw', '11 withdraw: in_approval -> draft'],
  },
  {
    title: 'a cancelled draft gives the document back to the version that was effective',
    ...{ template: 'gmp', by: 'alan', does: { transition: 'cancel' } },
    facts: replacing(),
    plan: ['11 cancel: draft -> cancelled', 'latest_version_id = 9', 'training of 11: ended'],
  },
  {
    title: 'a cancelled first draft stays the newest',
    ...{ template: 'gmp', by: 'alan', does: { transition: 'cancel' } },
    plan: ['11 cancel: draft -> cancelled', 'training of 11: ended'],
  },
  {
    title: 'an effective version is made obsolete with a signature',
    ...{ template: 'gmp', by: 'quinn', does: { transition: 'obsolete' }, comment: 'Dangerous' },
    version: { status: 'effective', effective_date: '2025-01-01' },
    plan: [
      'sign obsolescence, round 1: Dangerous',
      '11 obsolete: effective -> obsolete, signed',
      'effective_version_id = null',
      'recall copies of 11',
      'training of 11: ended',
    ],
  },
  {
    title: 'only people with the permission make a version obsolete',
    ...{ template: 'gmp', version: { status: 'effective' }, by: 'petra', does: { transition: 'obsolete' } },
    plan: ['403 workflow_permission_required'],
  },
  {
    title: 'a transition that there is not is refused with those that there are',
    ...{ template: 'gmp', version: { status: 'effective' }, by: 'quinn', does: { transition: 'submit' } },
    plan: ['409 workflow_transition_unknown'],
  },
  {
    title: 'a changed content returns a version to draft',
    ...{ template: 'gmp', by: 'alan', does: 'content_changed', comment: 'Typing error' },
    version: { status: 'in_approval', approvals: reviewed },
    plan: [
      'void signatures [31] of 11: Round 1 was ended by content_changed: Typing error',
      '11 content_changed: in_approval -> draft',
    ],
  },
  {
    title: 'a newer file replaces a draft',
    ...{ template: 'gmp', by: 'alan', does: 'replace', comment: 'New layout' },
    version: { status: 'in_review' },
    facts: replacing(),
    plan: [
      'void signatures [] of 11: Round 1 was ended by replaced: New layout',
      '11 replaced: in_review -> superseded',
      'latest_version_id = 9',
      'training of 11: replaced',
    ],
  },
  {
    title: 'a version is released on its effective date',
    ...{ template: 'standard', by: 'alan', does: 'release' },
    version: { ...approved, effective_date: today },
    facts: replacing(),
    plan: [...superseded, '11 make_effective: approved -> effective', 'effective_version_id = 11', made.effective],
  },
  {
    title: 'a version is not released before its effective date',
    ...{ template: 'standard', by: 'alan', does: 'release', plan: [] },
    version: { ...approved, effective_date: '2026-03-03' },
  },
  {
    title: 'a version of a controlled type is not released without an approval',
    ...{ template: 'standard', by: 'alan', does: 'release', plan: [] },
    version: { ...approved, approvals: [] },
  },
  {
    title: 'a version of any other type is released without one',
    ...{ template: 'standard', version: { ...approved, approvals: [] }, by: 'alan', does: 'release' },
    facts: { is_controlled: false },
    plan: ['11 make_effective: approved -> effective', 'effective_version_id = 11', made.effective],
  },
  {
    title: 'a version is not released before its training is complete',
    ...{ template: 'standard', by: 'alan', does: 'release', plan: [] },
    version: approved,
    facts: { training_gate: { threshold: 100, is_complete: false } },
  },
  {
    title: 'a version is released once its training is complete',
    ...{ template: 'standard', version: approved, by: 'alan', does: 'release' },
    facts: { training_gate: { threshold: 100, is_complete: true } },
    plan: ['11 make_effective: approved -> effective', 'effective_version_id = 11', made.effective],
  },
]

function planOf({ template, version, facts, by, does, comment }: Case) {
  const about = factsAbout(templates[template], versionIn(templates[template], version), { ...facts, by })
  if (does === 'approve' || does === 'reject') return planDecision(about, { decision: does, comment })
  if (does === 'release') return planRelease(about)
  if (does === 'replace') return planReplacement(about, comment!)
  if (does === 'content_changed') return planReturnToDraft(about, comment!)
  return planTransition(about, { transition: does.transition, comment })
}

describe('the plan (proves: DOC-04, DOC-05, FLOW-02)', () => {
  for (const each of cases) it(each.title, () => assert.deepEqual(shown(planOf(each)), each.plan))

  it('needs a reason to make a version obsolete, which is refused at its field', () => {
    const about = factsAbout(gmp, versionIn(gmp, { status: 'effective' }), { by: 'quinn' })
    const step: Step = {
      ...({ transition: 'obsolete', trigger: 'user', voids_round: false } as const),
      ...({ from: 'effective', to: 'obsolete', kind_of_to: 'final' } as const),
    }
    const refused = planObsolescence(about, [step], ' ')
    assert.ok(!refused.ok)
    assert.equal(refused.message.code, 'document_obsolescence_reason_required')
    assert.equal(refusalOf(refused, { id: 7, number: 'SOP-00001' }).status, 422)
  })

  it('names what is written and told of a version that becomes effective and of the one before it', () => {
    const waiting = versionIn(gmp, { ...approved, owner_id: 2 })
    const { effects } = planRelease(factsAbout(gmp, waiting, replacing({ review_period_months: 12 })))
    const changes = effects.filter(each => each.kind === 'change_state')
    assert.deepEqual(
      changes.map(({ version_id, changes }) => [version_id, changes]),
      [
        [
          9,
          {
            ...{ status: 'superseded', status_kind: 'final', round: 1, is_waiting: false },
            ...{ review_due_date: null, review_notice_on: null, needs_revision: false },
          },
        ],
        [
          11,
          {
            ...{ status: 'effective', status_kind: 'effective', round: 1, is_waiting: false, effective_at: now },
            ...{ effective_date: today, review_due_date: '2027-03-02', review_notice_on: '2027-01-31' },
          },
        ],
      ],
    )
    const [, effective] = changes
    assert.deepEqual(
      [effective!.event, effective!.before, effective!.after, effective!.notify, effective!.history.trigger],
      [
        'document.state_changed',
        { status: 'approved', effective_date: null, approval_due_date: null, review_due_date: null },
        {
          ...{ status: 'effective', effective_date: today, approval_due_date: null, review_due_date: '2027-03-02' },
          ...{ version: '1.0', transition: 'make_effective', trigger: 'automatic', revision: 5 },
        },
        [1, 2],
        'automatic',
      ],
    )
  })

  it('settles the percentages and the due date in the change that begins the round', () => {
    const definition = templates.percentage
    const planned = planTransition(factsAbout(definition, versionIn(definition)), { transition: 'submit' })
    assert.ok(planned.ok)
    const [submitted] = planned.effects.filter(each => each.kind === 'change_state')
    assert.deepEqual(submitted!.changes.approval_counts, { approve: [2] })
    assert.deepEqual(planned.at.version.approval_counts, { approve: [2] })
  })

  it('of a decision that depends on nobody else is the same without the people of the tenant', () => {
    const about = factsAbout(standard, versionIn(standard, { status: 'in_review' }), { by: 'quinn' })
    const request = { decision: 'approve' } as const
    assert.deepEqual(planDecision({ ...about, people: withoutPeople }, request), planDecision(about, request))
  })
})
