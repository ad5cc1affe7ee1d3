import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pendingApproval } from './approvers.ts'
import { builtinTemplates } from './builtin.ts'
import type { ApprovalRule, Transition, WorkflowDefinition } from './definition.ts'
import { describeDefinition } from './describe.ts'
import { advance, decide, fire, listTransitionsFrom, supersede, transitionsOpenTo } from './engine.ts'
import {
  type Approval,
  type Instance,
  type Outcome,
  type Participant,
  type TenantFacts,
  writtenBy,
} from './instance.ts'
import { effectiveDefinition } from './terms.ts'

const [{ definition: standard }, { definition: gmp }] = builtinTemplates
const user = ['documents.read']
const author = [...user, 'documents.submit', 'documents.update', 'documents.transition']
const qa = [...author, 'documents.review', 'documents.approve']
const someone = (userId: number, roles: string[], permissions: string[], groupIds: number[] = []): Participant => ({
  userId,
  roles,
  groupIds,
  permissions: new Set(permissions),
})
const uma = someone(1, ['User'], user)
const arthur = someone(2, ['Author', 'User'], author, [7])
const quinn = someone(3, ['QA', 'Author', 'User'], qa, [7])
const quentin = someone(4, ['QA', 'Author', 'User'], qa)
const mara = someone(5, ['QA Manager', 'QA', 'Author', 'User'], [...qa, 'documents.obsolete'])
const everybody = [uma, arthur, quinn, quentin, mara]
const facts: TenantFacts = {
  peopleFor({ kind, who }) {
    const names = (each: Participant) =>
      kind === 'user'
        ? each.userId === who
        : kind === 'group'
          ? each.groupIds.includes(Number(who))
          : kind === 'role'
            ? each.roles.includes(String(who))
            : each.permissions.has(String(who))
    return new Set(everybody.filter(names).map(({ userId }) => userId))
  },
}

const at = (state: string, approvals: Approval[] = [], authorId = arthur.userId): Instance => ({
  state,
  ...writtenBy(authorId),
  ownerId: authorId,
  round: state === 'draft' ? 0 : 1,
  approvals,
  delegations: [],
})
const given = (transition: string, userId: number, ...rules: number[]): Approval => ({ transition, userId, rules })
const approve = (definition: WorkflowDefinition, instance: Instance, who: Participant) =>
  decide(definition, instance, who, { decision: 'approve' }, facts)
const reject = (definition: WorkflowDefinition, instance: Instance, who: Participant, comment?: string) =>
  decide(definition, instance, who, { decision: 'reject', ...(comment !== undefined && { comment }) }, facts)

/** The Standard template with other rules for its one approval. */
const withRules = (rules: ApprovalRule[], mode: 'parallel' | 'sequential' = 'parallel') =>
  effectiveDefinition(standard, { transition: 'approve', mode, rules })
const path = (outcome: Outcome) => (outcome.ok ? outcome.transitions.map(({ to }) => to) : outcome)
/** Compares the code of the refusal, or its sentence. */
function refused(outcome: Outcome, status: number, reason: string | RegExp) {
  assert.ok(!outcome.ok, 'the request must be refused')
  assert.equal(outcome.status, status)
  const { code, text } = outcome.message
  if (typeof reason === 'string') assert.equal(code, reason)
  else assert.match(text, reason)
}
/** Lets each person approve in turn, and answers the states that follow. */
function approveAll(definition: WorkflowDefinition, instance: Instance, people: Participant[]) {
  let now = instance
  return people.map(person => {
    const outcome = approve(definition, now, person)
    assert.ok(outcome.ok, `${person.userId} must be able to approve: ${JSON.stringify(outcome)}`)
    const to = outcome.transitions.at(-1)?.to
    now = { ...now, state: to ?? now.state, approvals: [...now.approvals, outcome.approval!] }
    return to
  })
}

describe('deciding about a pending approval (proves: DOC-05)', () => {
  it('moves a document once the one approval that it needs is given', () => {
    assert.deepEqual(approve(standard, at('in_review'), quinn), {
      ok: true,
      approval: { transition: 'approve', userId: quinn.userId, rules: [0] },
      transitions: [
        {
          transition: 'approve',
          from: 'in_review',
          to: 'approved',
          trigger: 'automatic',
          voids_round: false,
          kind_of_to: 'review',
        },
      ],
    })
  })

  it('takes N approvals of N different people, and moves at the Nth', () => {
    const three = withRules([{ kind: 'role', who: 'QA', count: 3 }])
    assert.deepEqual(approveAll(three, at('in_review'), [quinn, mara, quentin]), [undefined, undefined, 'approved'])
  })

  it('counts an inherited role, a group and a single person as named', () => {
    const rules: ApprovalRule[] = [
      { kind: 'role', who: 'QA', count: 1 },
      { kind: 'group', who: 7, count: 1 },
      { kind: 'user', who: 1, count: 1 },
    ]
    assert.deepEqual(approveAll(withRules(rules), at('in_review'), [mara, arthur, uma]), [
      undefined,
      undefined,
      'approved',
    ])
  })

  it('refuses a second approval by the same person', () => {
    const two = withRules([{ kind: 'role', who: 'QA', count: 2 }])
    refused(
      approve(two, at('in_review', [given('approve', 3, 0)]), quinn),
      409,
      /^You have already approved the approval step\. To decide otherwise, take your approval back\.$/,
    )
  })

  it('refuses a person whom no rule names, and says who may', () => {
    refused(
      approve(standard, at('in_review'), uma),
      403,
      /^No rule of the approval step names you\. It is decided by 1 person with the permission documents\.approve\.$/,
    )
    refused(reject(standard, at('in_review'), uma, 'No'), 403, 'approver_not_named')
  })

  it('lets the author approve only where the template says so', () => {
    assert.deepEqual(path(approve(standard, at('in_review', [], quinn.userId), quinn)), ['approved'])
    refused(approve(gmp, at('in_review', [], quinn.userId), quinn), 403, 'approver_is_author')
  })

  it('keeps the reviewer from approving, and takes another of QA', () => {
    const reviewed = at('in_approval', [given('review', quinn.userId, 0)])
    const excluded = /^You approved the review step, so another person must decide on the approval step\.$/
    refused(approve(gmp, reviewed, quinn), 403, excluded)
    assert.deepEqual(path(approve(gmp, reviewed, quentin)), ['approved'])
  })

  it('asks for the permission of the transition beside its rules', () => {
    const definition: WorkflowDefinition = {
      ...standard,
      transitions: standard.transitions.map(each =>
        each.name === 'approve' ? { ...each, permission: 'documents.obsolete' } : each,
      ),
    }
    refused(approve(definition, at('in_review'), quinn), 403, /^You need the permission documents\.obsolete to decide/)
    assert.deepEqual(path(approve(definition, at('in_review'), mara)), ['approved'])
  })

  it('says the state and what is possible where nothing awaits approval', () => {
    refused(
      approve(standard, at('effective'), mara),
      409,
      /^Nothing awaits approval in the state effective\. From effective you may: obsolete\.$/,
    )
    refused(reject(standard, at('draft'), quinn, 'No'), 409, /state draft\. From draft you may: submit, cancel\.$/)
  })

  it('asks for the comment that a transition requires', () => {
    refused(reject(standard, at('in_review'), quinn), 422, /^Enter a comment\.$/)
    refused(reject(standard, at('in_review'), quinn, '  '), 422, 'workflow_comment_required')
  })

  it('sends a rejected version back and voids the round', () => {
    const outcome = reject(gmp, at('in_approval', [given('review', quinn.userId, 0)]), quentin, 'Step 3 is missing')
    assert.ok(outcome.ok)
    assert.deepEqual(outcome.transitions, [
      {
        transition: 'reject',
        from: 'in_approval',
        to: 'draft',
        trigger: 'user',
        voids_round: true,
        kind_of_to: 'initial',
      },
    ])
    assert.equal(outcome.approval, undefined)
  })
})

describe('who counts for which rule (proves: DOC-05)', () => {
  const overlapping: ApprovalRule[] = [
    { kind: 'role', who: 'QA', count: 1 },
    { kind: 'user', who: 3, count: 1 },
  ]

  it('is complete whichever of two overlapping people approves first', () => {
    assert.deepEqual(approveAll(withRules(overlapping), at('in_review'), [quinn, quentin]), [undefined, 'approved'])
    assert.deepEqual(approveAll(withRules(overlapping), at('in_review'), [quentin, quinn]), [undefined, 'approved'])
  })

  it('refuses an approval that no rule needs any more', () => {
    const instance = at('in_review', [given('approve', quentin.userId, 0)])
    refused(approve(withRules(overlapping), instance, mara), 409, /already have their approvals.* awaits user 3\.$/)
  })

  it('opens the rules of a sequential approval one after the other', () => {
    const rules: ApprovalRule[] = [
      { kind: 'group', who: 7, count: 1 },
      { kind: 'user', who: 5, count: 1 },
    ]
    const definition = withRules(rules, 'sequential')
    refused(approve(definition, at('in_review'), mara), 409, /has not started yet\. It awaits 1 member of group 7\.$/)
    assert.deepEqual(approveAll(definition, at('in_review'), [arthur, mara]), [undefined, 'approved'])
    refused(
      approve(definition, at('in_review', [given('approve', 2, 0)]), quinn),
      409,
      /The approval step awaits user 5\.$/,
    )
  })

  it('keeps the only person who can give the later approval from giving the earlier one', () => {
    const definition = withRules(overlapping, 'sequential')
    refused(approve(definition, at('in_review'), quinn), 409, 'approver_needed_later')
    assert.deepEqual(approveAll(definition, at('in_review'), [mara, quinn]), [undefined, 'approved'])
  })

  it('records every rule that named the approver, or in sequence the one whose turn it was', () => {
    const rules: ApprovalRule[] = [
      { kind: 'role', who: 'QA', count: 1 },
      { kind: 'permission', who: 'documents.approve', count: 1 },
    ]
    for (const [mode, expected] of [
      ['parallel', [0, 1]],
      ['sequential', [0]],
    ] as const) {
      const outcome = approve(withRules(rules, mode), at('in_review'), quinn)
      assert.deepEqual(outcome.ok && outcome.approval?.rules, expected)
    }
  })

  it('keeps nobody back for a later approval that cannot be completed anyway', () => {
    const rules: ApprovalRule[] = [
      { kind: 'role', who: 'QA', count: 1 },
      { kind: 'role', who: 'Retired', count: 1 },
    ]
    assert.deepEqual(path(approve(withRules(rules, 'sequential'), at('in_review'), quinn)), [])
  })

  it('shows what is pending: what each rule needs, who has given it, and which is open', () => {
    const shown = pendingApproval(withRules(overlapping), at('in_review', [given('approve', 3, 0, 1)]))
    assert.deepEqual(shown, {
      transition: 'approve',
      to: 'approved',
      mode: 'parallel',
      signature_required: false,
      signature_type: 'approval',
      rules: [
        // Quinn counts for the first rule until another member of QA approves, and then for the second.
        { rule: 0, kind: 'role', who: 'QA', count: 1, needed: 1, given_by: [3], open: true },
        { rule: 1, kind: 'user', who: 3, count: 1, needed: 1, given_by: [], open: true },
      ],
    })
    const sequential = pendingApproval(withRules(overlapping, 'sequential'), at('in_review', [given('approve', 4, 0)]))
    assert.deepEqual(
      sequential?.rules.map(({ open, given_by }) => ({ open, given_by })),
      [
        { open: false, given_by: [4] },
        { open: true, given_by: [] },
      ],
    )
    assert.equal(pendingApproval(standard, at('draft')), undefined)
  })
})

describe('approving a draft (proves: DOC-05)', () => {
  it('submits and approves at once for a caller who may do both', () => {
    const outcome = approve(standard, at('draft', [], quinn.userId), quinn)
    assert.deepEqual(path(outcome), ['in_review', 'approved'])
    assert.ok(outcome.ok && outcome.approval)
    assert.deepEqual(
      outcome.transitions.map(({ trigger }) => trigger),
      ['user', 'automatic'],
    )
  })

  it('submits, and waits for the others, where one approval is not enough', () => {
    const two = withRules([{ kind: 'role', who: 'QA', count: 2 }])
    assert.deepEqual(path(approve(two, at('draft'), quinn)), ['in_review'])
  })

  it('refuses a caller who may do only one of the two, and nothing happens', () => {
    refused(
      approve(standard, at('draft'), arthur),
      403,
      /^No rule .* To submit without approving, use the transition submit\.$/,
    )
    refused(
      approve(standard, at('draft'), uma),
      403,
      /^You need the permission documents\.submit for the transition submit\.$/,
    )
    const own = approve(gmp, at('draft', [], quinn.userId), quinn)
    refused(own, 403, 'workflow_submission_refused')
    assert.equal(!own.ok && own.message.params.reason_code, 'approver_is_author')
  })
})

describe('a workflow that somebody made otherwise (proves: DOC-05)', () => {
  const states: WorkflowDefinition['states'] = [
    ...standard.states,
    { name: 'paused', label: 'Paused', kind: 'review' },
    { name: 'checked', label: 'Checked', kind: 'review' },
  ]
  const made = (definition: WorkflowDefinition, ...transitions: Transition[]): WorkflowDefinition => ({
    states: [...definition.states, ...states.filter(({ name }) => !definition.states.some(each => each.name === name))],
    transitions: [
      ...definition.transitions.filter(each => !transitions.some(({ name }) => name === each.name)),
      ...transitions,
    ],
  })
  const gate = standard.transitions.find(({ name }) => name === 'approve')!
  const nothing = 'workflow_nothing_to_approve'

  it('submits and approves a draft at once only where one way leads on, by hand, to an approval', () => {
    const asked = (definition: WorkflowDefinition, state = 'draft') => approve(definition, at(state), quinn)
    refused(asked(made(standard, { name: 'express', from: 'draft', to: 'paused' })), 409, nothing)
    refused(asked(made(standard, { name: 'submit', from: 'draft', to: 'paused' })), 409, nothing)
    const waits: Transition = { name: 'submit', from: 'draft', to: 'in_review', automatic: 'on_training_complete' }
    refused(asked(made(standard, waits)), 409, nothing)
    refused(asked({ ...standard, transitions: [gate] }), 409, nothing)
    refused(asked(made(standard, { name: 'resume', from: 'paused', to: 'in_review' }), 'paused'), 409, nothing)
    const gated: Transition = { ...gate, name: 'submit', from: 'draft', to: 'in_review' }
    assert.deepEqual(path(asked(made(standard, gated))), ['in_review'], 'a draft whose submission is approved')
  })

  it('takes the comment along from the submission to the approval', () => {
    const strict = made(standard, { ...gate, comment_required: true })
    const with_comment = (comment: string) =>
      decide(strict, at('draft'), quinn, { decision: 'approve', comment }, facts)
    assert.deepEqual(path(with_comment('Read and found right')), ['in_review', 'approved'])
    refused(approve(strict, at('draft'), quinn), 422, /^Enter a comment\. To submit without approving/)
    refused(approve(strict, at('in_review'), quinn), 422, 'workflow_comment_required')
  })

  it('counts nothing for a new round that is left from before', () => {
    const left = {
      ...at('draft', [given('approve', 3, 0)]),
      delegations: [{ transition: 'approve', from: 3, to: 4, rules: [0] }],
    }
    assert.deepEqual(path(approve(standard, left, quinn)), ['in_review', 'approved'])
  })

  it('tells in which order, and of whom, the approvals that are left are awaited', () => {
    const rules = (...who: number[]): ApprovalRule[] => who.map(each => ({ kind: 'user', who: each, count: 1 }))
    const role = (who: string): ApprovalRule => ({ kind: 'role', who, count: 1 })
    const left = at('in_review', [given('approve', quinn.userId, 0)])
    const sequential = withRules([role('QA'), ...rules(1), role('QA Manager')], 'sequential')
    refused(
      approve(sequential, left, mara),
      409,
      /^Your part in the approval step has not started yet\. It awaits user 1\.$/,
    )
    const parallel = withRules([role('QA'), ...rules(1, 2)])
    refused(approve(parallel, left, mara), 409, /The approval step awaits user 1 or user 2\.$/)
    const first = withRules([...rules(1), role('QA')])
    const done = at('in_review', [given('approve', quinn.userId, 1)])
    refused(approve(first, done, mara), 409, 'approver_rules_met')
  })

  it('voids the round where its step leads back, and only there', () => {
    const voids = (definition: WorkflowDefinition, instance: Instance, transition: string) => {
      const outcome = fire(definition, instance, mara, { transition, comment: 'Why' }, facts)
      assert.ok(outcome.ok, JSON.stringify(outcome))
      return outcome.transitions[0]!.voids_round
    }
    const reviewed = [given('review', quinn.userId, 0)]
    const on = made(gmp, { name: 'skip', from: 'in_approval', to: 'checked' })
    assert.equal(voids(on, at('in_approval', reviewed), 'skip'), false, 'what was approved is not asked for again')
    const resumed = made(gmp, { name: 'resume', from: 'paused', to: 'in_approval' })
    assert.equal(voids(resumed, at('paused', reviewed), 'resume'), false, 'another approval is asked for')
    assert.equal(voids(resumed, at('paused', [given('approve', 3, 0)]), 'resume'), true)
    const anew = made(gmp, { name: 'resume', from: 'paused', to: 'in_review' })
    assert.equal(voids(anew, at('paused', [given('approve', 3, 0)]), 'resume'), true, 'behind the next approval too')
    const review = gmp.transitions.find(({ name }) => name === 'review')!
    const twice = made(
      gmp,
      { ...review, from: ['in_review', 'paused'] },
      { name: 'send_back', from: 'in_approval', to: 'in_review' },
    )
    assert.equal(voids(twice, at('in_approval', reviewed), 'send_back'), true, 'from either of its states')
    const back = made(gmp, { name: 'reject', from: ['in_review', 'in_approval'], to: 'checked' })
    assert.equal(voids(back, at('in_approval'), 'reject'), true, 'a rejection always')
  })

  it('keeps the reviewer from approving also where a person takes a step between the two', () => {
    const review = gmp.transitions.find(({ name }) => name === 'review')!
    const apart = made(gmp, { ...review, to: 'paused' }, { name: 'resume', from: 'paused', to: 'in_approval' })
    const paused = at('paused', [given('review', quinn.userId, 0)])
    const outcome = fire(apart, paused, mara, { transition: 'resume' }, facts)
    assert.ok(outcome.ok && !outcome.transitions[0]!.voids_round)
    const resumed = { ...paused, state: 'in_approval' }
    refused(approve(apart, resumed, quinn), 403, 'approver_approved_excluded_step')
    assert.deepEqual(path(approve(apart, resumed, quentin)), ['approved'])
  })

  it('keeps a draft that was submitted from being cancelled, and from nothing else', () => {
    const sentBack = { ...at('draft'), round: 1 }
    const open = (definition: WorkflowDefinition, instance: Instance) => transitionsOpenTo(definition, instance, arthur)
    const scrap = made(standard, { name: 'scrap', from: 'draft', to: 'cancelled' })
    assert.deepEqual(open(scrap, sentBack), ['submit', 'scrap'])
    const later = made(standard, { name: 'cancel', from: ['draft', 'paused'], to: 'cancelled' })
    assert.deepEqual(open(later, { ...at('paused'), round: 1 }), ['cancel'])
    const aside = made(standard, { name: 'cancel', from: 'draft', to: 'paused' })
    assert.deepEqual(open(aside, sentBack), ['submit', 'cancel'])
  })

  it('is a mistake of the program where it leads to no state, or asks for an approval that nobody can reject', () => {
    const lost: WorkflowDefinition = { ...standard, states: standard.states.filter(({ name }) => name !== 'in_review') }
    assert.throws(() => fire(lost, at('draft'), arthur, { transition: 'submit' }), {
      message: 'The workflow has no state in_review',
    })
    const stuck = { ...standard, transitions: standard.transitions.filter(({ name }) => name !== 'reject') }
    assert.throws(() => reject(stuck, at('in_review'), quinn, 'Why'), {
      message: 'The workflow has an approval approve without a reject',
    })
  })
})

describe('taking a transition by hand', () => {
  const take = (instance: Instance, who: Participant, transition: string, comment?: string) =>
    fire(standard, instance, who, { transition, ...(comment !== undefined && { comment }) })

  it('takes what the state offers and the person may', () => {
    assert.deepEqual(path(take(at('draft'), arthur, 'submit')), ['in_review'])
    assert.deepEqual(path(take(at('in_review'), arthur, 'withdraw')), ['draft'])
    assert.deepEqual(path(take(at('effective'), mara, 'obsolete', 'Process retired')), ['obsolete'])
    assert.deepEqual(path(take(at('draft'), arthur, 'cancel')), ['cancelled'])
  })

  it('lets the owner withdraw without the permission, as the author', () => {
    const owned = { ...at('in_review'), ownerId: uma.userId }
    assert.deepEqual(path(take(owned, uma, 'withdraw')), ['draft'])
    assert.deepEqual(transitionsOpenTo(standard, owned, uma), ['withdraw', 'reject'])
    const written = { ...at('in_review', [], uma.userId), ownerId: mara.userId }
    assert.deepEqual(path(take(written, uma, 'withdraw')), ['draft'])
    refused(take(at('in_review'), uma, 'withdraw'), 403, /documents\.submit for the transition withdraw\.$/)
    refused(take({ ...at('draft'), ownerId: uma.userId }, uma, 'submit'), 403, 'workflow_permission_required')
  })

  it('gives up a draft by cancel alone that was never submitted', () => {
    const sentBack = { ...at('draft'), round: 1 }
    refused(
      take(sentBack, arthur, 'cancel'),
      409,
      /^Only a draft that was never submitted can be cancelled\. From draft you may: submit\.$/,
    )
    assert.deepEqual(transitionsOpenTo(standard, sentBack, arthur), ['submit'])
    assert.deepEqual(transitionsOpenTo(standard, at('draft'), arthur), ['submit', 'cancel'])
  })

  for (const [title, instance, who, transition, status, detail] of [
    ['an unknown transition', at('draft'), arthur, 'publish', 409, /From draft you may: submit, cancel\.$/],
    ['one of another state', at('effective'), mara, 'submit', 409, /From effective you may: obsolete\.$/],
    ['one without the permission', at('draft'), uma, 'submit', 403, 'workflow_permission_required'],
    ['one without its comment', at('effective'), mara, 'obsolete', 422, 'workflow_comment_required'],
    [
      'an approval',
      at('in_review'),
      quinn,
      'approve',
      409,
      /automatically when its approval is complete\. The approval step awaits/,
    ],
    [
      'a date',
      at('approved'),
      mara,
      'make_effective',
      409,
      /on the effective date\. There is no transition from approved that you may take\.$/,
    ],
    ['supersession', at('effective'), mara, 'supersede', 409, /when a newer version becomes effective/],
    ['a rejection by one whom no rule names', at('in_review'), uma, 'reject', 403, 'approver_not_named'],
  ] as const)
    it(`refuses ${title}`, () => refused(take(instance, who, transition), status, detail))

  it('voids the round of a version that is taken back, and of none that goes on', () => {
    const outcome = take(at('in_review', [given('approve', 3, 0)]), arthur, 'withdraw')
    assert.ok(outcome.ok && outcome.transitions[0]!.voids_round)
    const begun = take(at('in_review'), arthur, 'withdraw')
    assert.ok(begun.ok && begun.transitions[0]!.voids_round, 'also before the first approval')
    const submitted = take(at('draft'), arthur, 'submit')
    assert.ok(submitted.ok && !submitted.transitions[0]!.voids_round)
  })

  it('voids the round when a version is sent back to an approval that was given', () => {
    const definition: WorkflowDefinition = {
      ...gmp,
      transitions: [...gmp.transitions, { name: 'send_back', from: 'in_approval', to: 'in_review' }],
    }
    const outcome = fire(definition, at('in_approval', [given('review', 3, 0)]), quentin, { transition: 'send_back' })
    assert.ok(outcome.ok && outcome.transitions[0]!.voids_round)
  })
})

describe('what happens by itself', () => {
  const [ready, early, untrained] = [
    { effective_date_reached: true, training_complete: true },
    { effective_date_reached: false, training_complete: true },
    { effective_date_reached: true, training_complete: false },
  ]

  it('makes an approved version effective when its date is reached and its training complete', () => {
    assert.deepEqual(
      advance(standard, 'approved', ready).map(({ to, trigger, kind_of_to }) => ({ to, trigger, kind_of_to })),
      [{ to: 'effective', trigger: 'automatic', kind_of_to: 'effective' }],
    )
    assert.deepEqual(advance(standard, 'approved', early), [])
    assert.deepEqual(advance(standard, 'approved', untrained), [])
    assert.deepEqual(advance(standard, 'in_review', ready), [])
  })

  it('takes several automatic transitions in a row', () => {
    const definition: WorkflowDefinition = {
      states: [...standard.states, { name: 'in_training', label: 'In training', kind: 'review' }],
      transitions: [
        ...standard.transitions.filter(({ name }) => name !== 'make_effective'),
        { name: 'train', from: 'approved', to: 'in_training', automatic: 'on_effective_date' },
        { name: 'make_effective', from: 'in_training', to: 'effective', automatic: 'on_training_complete' },
      ],
    }
    const route = (state: string, now: typeof ready) => advance(definition, state, now).map(({ to }) => to)
    assert.deepEqual(route('approved', ready), ['in_training', 'effective'])
    assert.deepEqual(route('approved', untrained), ['in_training'])
    assert.deepEqual(route('in_training', early), [], 'training does not make a version effective before its date')
  })

  it('ends even in a loop that no check has refused', () => {
    const definition: WorkflowDefinition = {
      ...standard,
      transitions: [
        { name: 'there', from: 'approved', to: 'in_review', automatic: 'on_training_complete' },
        { name: 'back', from: 'in_review', to: 'approved', automatic: 'on_training_complete' },
      ],
    }
    assert.deepEqual(
      advance(definition, 'approved', ready).map(({ to }) => to),
      ['in_review'],
    )
  })

  it('goes on after training where that leads to no effective state yet, whatever the date', () => {
    const definition: WorkflowDefinition = {
      states: [...standard.states, { name: 'trained', label: 'Trained', kind: 'review' }],
      transitions: [{ name: 'train', from: 'approved', to: 'trained', automatic: 'on_training_complete' }],
    }
    assert.deepEqual(
      advance(definition, 'approved', early).map(({ to }) => to),
      ['trained'],
    )
    assert.deepEqual(advance(definition, 'approved', untrained), [])
  })

  it('ends in a loop that begins behind where it began', () => {
    const automatic = 'on_training_complete'
    const definition: WorkflowDefinition = {
      states: [...standard.states, { name: 'trained', label: 'Trained', kind: 'review' }],
      transitions: [
        { name: 'train', from: 'approved', to: 'trained', automatic },
        { name: 'there', from: 'trained', to: 'in_review', automatic },
        { name: 'back', from: 'in_review', to: 'trained', automatic },
      ],
    }
    assert.deepEqual(
      advance(definition, 'approved', ready).map(({ to }) => to),
      ['trained', 'in_review'],
    )
  })

  it('supersedes what is effective, and nothing else', () => {
    assert.deepEqual(supersede(gmp, 'effective'), {
      ...{ transition: 'supersede', from: 'effective', to: 'superseded' },
      ...{ trigger: 'automatic', voids_round: false, kind_of_to: 'final' },
    })
    assert.equal(supersede(gmp, 'approved'), undefined)
  })
})

describe('a configured approval (proves: DOC-06)', () => {
  it('replaces the rules and the mode of one approval, and leaves the template as it is', () => {
    const before = structuredClone(gmp)
    const rules: ApprovalRule[] = [{ kind: 'user', who: 1, count: 1 }]
    const changed = effectiveDefinition(gmp, { transition: 'review', rules })
    assert.deepEqual(path(approve(changed, at('in_review'), uma)), ['in_approval'])
    refused(approve(changed, at('in_review'), quinn), 403, /user 1/)
    assert.deepEqual(gmp, before)
    assert.equal(effectiveDefinition(gmp), gmp)
  })
})

describe('what a workflow shows of itself', () => {
  it('lists the ways from a state', () => {
    assert.deepEqual(listTransitionsFrom(standard, 'effective'), [
      { transition: 'supersede', to: 'superseded', trigger: 'on_supersede', comment_required: false },
      {
        transition: 'obsolete',
        to: 'obsolete',
        trigger: 'by_hand',
        permission: 'documents.obsolete',
        comment_required: true,
      },
    ])
  })

  it('prints as a table', () => {
    assert.deepEqual(describeDefinition(gmp).split('\n').slice(0, 8), [
      '| State | Transition | To | By whom or when |',
      '|---|---|---|---|',
      '| Draft | submit | In review | permission documents.submit |',
      '| Draft | cancel | Cancelled | permission documents.update |',
      '| In review | review | In approval | approval by 1 person with the permission documents.review; the author excluded; signed as review |',
      '| In review | withdraw | Draft | permission documents.submit |',
      '| In review | reject | Draft | with a comment |',
      '| In approval | approve | Approved | approval by 1 person with the role QA; the author excluded; not those who approved review; signed as approval |',
    ])
  })
})
