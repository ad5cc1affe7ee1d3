import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv } from 'ajv'
import { weaknessesOf } from './approval-rules.ts'
import { builtinTemplates } from './builtin.ts'
import { type ApprovalRule, type Transition, WorkflowDefinition } from './definition.ts'
import type { TenantFacts } from './instance.ts'
import { checkDefinition } from './rules.ts'

const [{ definition: standard }, { definition: gmp }] = builtinTemplates
const people: Record<string, number[]> = {
  'role QA': [3, 4],
  'role Lone': [3],
  'user 3': [3],
  'user 4': [4],
  'group 7': [2, 3],
  'permission documents.approve': [3, 4],
  'permission documents.review': [3, 4],
  'permission documents.obsolete': [4],
}
const facts: TenantFacts = {
  peopleFor: ({ kind, who }) => new Set([who].flat().flatMap(each => people[`${kind} ${each}`] ?? [])),
}

const states = (...changed: WorkflowDefinition['states']): WorkflowDefinition => ({
  states: [
    ...standard.states.map(state => changed.find(({ name }) => name === state.name) ?? state),
    ...changed.filter(({ name }) => standard.states.every(state => state.name !== name)),
  ],
  transitions: [...standard.transitions],
})
const plus = (...transitions: Transition[]): WorkflowDefinition => ({
  states: [...standard.states],
  transitions: [...standard.transitions, ...transitions],
})
const minus = (...names: string[]): WorkflowDefinition => ({
  states: [...standard.states],
  transitions: standard.transitions.filter(({ name }) => !names.includes(name)),
})
const changed = (
  name: string,
  change: Partial<Transition>,
  definition: WorkflowDefinition = standard,
): WorkflowDefinition => ({
  states: [...definition.states],
  transitions: definition.transitions.map(each => (each.name === name ? { ...each, ...change } : each)),
})
const gate = (definition: WorkflowDefinition, name: string) =>
  definition.transitions.find(each => each.name === name)!.approval!
const withRules = (...rules: ApprovalRule[]) =>
  changed('approve', { approval: { ...gate(standard, 'approve'), rules } })
const also = (definition: WorkflowDefinition, ...more: WorkflowDefinition['states']): WorkflowDefinition => ({
  ...definition,
  states: [...definition.states, ...more],
})

/** Consecutive approvals by the same two people, with the exclusions that are given. */
const inTurn = (exclusions: Record<string, string[]>): WorkflowDefinition => {
  const { rules } = gate(gmp, 'approve')
  const waiting = Object.keys(exclusions).map(name => `before_${name}`)
  return {
    states: [
      ...standard.states.filter(({ name }) => ['draft', 'effective', 'superseded'].includes(name)),
      ...waiting.map(name => ({ name, label: 'Waits', kind: 'review' as const })),
    ],
    transitions: [
      { name: 'submit', from: 'draft', to: waiting[0]! },
      ...Object.entries(exclusions).map(([name, excluded], i) => ({
        ...{ name, from: waiting[i]!, to: waiting[i + 1] ?? 'effective' },
        approval: { ...gate(gmp, 'review'), rules, ...(excluded.length > 0 && { excludes_approvers_of: excluded }) },
      })),
      { name: 'reject', from: waiting, to: 'draft' },
      { name: 'supersede', from: 'effective', to: 'superseded', automatic: 'on_supersede' },
    ],
  }
}
const givenBy = (name: string, rule: ApprovalRule, definition: WorkflowDefinition) =>
  changed(name, { approval: { ...gate(definition, name), rules: [rule] } }, definition)

/** `more` are the other issues. */
const cases: [title: string, definition: WorkflowDefinition, loc: string, msg: RegExp, more?: RegExp[]][] = [
  [
    'no initial state',
    states({ name: 'draft', label: 'Draft', kind: 'review' }),
    'states',
    /exactly one initial state, not 0/,
  ],
  [
    'two initial states',
    states({ name: 'in_review', label: 'R', kind: 'initial' }),
    'states',
    /exactly one initial state, not 2/,
  ],
  [
    'two states of one name',
    also(standard, standard.states[0]!),
    'states.7.name',
    /two states named draft/,
    [/exactly one initial/],
  ],
  [
    'two transitions of one name',
    plus({ name: 'submit', from: 'approved', to: 'obsolete' }),
    'transitions.8.name',
    /two transitions named submit/,
  ],
  [
    'a way from nowhere',
    plus({ name: 'x', from: ['draft', 'nowhere'], to: 'obsolete' }),
    'transitions.8.from.1',
    /no state nowhere/,
  ],
  ['a way to nowhere', plus({ name: 'x', from: 'draft', to: 'nowhere' }), 'transitions.8.to', /no state nowhere/],
  [
    'a way to where it starts',
    plus({ name: 'x', from: 'draft', to: 'draft' }),
    'transitions.8.to',
    /leads from the state draft to itself/,
  ],
  [
    'a way out of a final state',
    plus({ name: 'x', from: 'obsolete', to: 'draft' }),
    'transitions.8.from',
    /obsolete is final/,
  ],
  [
    'a state that nothing leads to',
    states({ name: 'lost', label: 'L', kind: 'final' }),
    'states.7',
    /lost cannot be reached/,
  ],
  [
    'a state without a way to the end',
    also(plus({ name: 'x', from: 'draft', to: 'limbo' }), { name: 'limbo', label: 'L', kind: 'review' }),
    'states.7',
    /From the state limbo there is no way to a final state/,
  ],
  [
    'no way to an effective state',
    states({ name: 'effective', label: 'E', kind: 'review' }),
    'transitions.6.from',
    /Only an effective state can be superseded/,
  ],
  [
    'a workflow that never takes effect',
    {
      states: [standard.states[0]!, { name: 'gone', label: 'Gone', kind: 'final' }],
      transitions: [{ name: 'cancel', from: 'draft', to: 'gone' }],
    },
    'states',
    /From the state draft there is no way to an effective state/,
  ],
  [
    'a loop of automatic transitions',
    also(
      plus(
        { name: 'x', from: 'approved', to: 'waiting', automatic: 'on_training_complete' },
        { name: 'y', from: 'waiting', to: 'approved', automatic: 'on_effective_date' },
      ),
      { name: 'waiting', label: 'W', kind: 'review' },
    ),
    'transitions.8',
    /The transition x is part of a loop/,
    [/y is part of a loop/],
  ],
  [
    'a loop of approvals and dates',
    plus({ name: 'x', from: 'approved', to: 'in_review', automatic: 'on_training_complete' }),
    'transitions.2',
    /transition approve is part of a loop/,
    [/x is part of a loop/],
  ],
  [
    'a loop with a way into it from outside',
    also(
      plus(
        { name: 'park', from: 'draft', to: 'parked' },
        { name: 'x', from: ['parked', 'approved'], to: 'waiting', automatic: 'on_training_complete' },
        { name: 'y', from: 'waiting', to: 'approved', automatic: 'on_effective_date' },
      ),
      { name: 'parked', label: 'P', kind: 'review' },
      { name: 'waiting', label: 'W', kind: 'review' },
    ),
    'transitions.9',
    /The transition x is part of a loop/,
    [/y is part of a loop/],
  ],
  [
    'two approvals in one state',
    plus({ name: 'x', from: 'in_review', to: 'approved', approval: gate(standard, 'approve') }),
    'states.1',
    /awaits 2 approvals at once: approve, x/,
  ],
  ['an approval without a reject', minus('reject'), 'states.1', /has no transition reject/],
  [
    'an approval that a date overtakes',
    plus({ name: 'x', from: 'in_review', to: 'approved', automatic: 'on_effective_date' }),
    'states.1',
    /cannot be left on a date/,
  ],
  [
    'a reject that is an approval',
    changed('reject', { approval: gate(standard, 'approve') }),
    'transitions.4',
    /decision of a person/,
    [/awaits 2 approvals at once: approve, reject/],
  ],
  [
    'an approval on a date',
    changed('approve', { automatic: 'on_effective_date' }),
    'transitions.2.automatic',
    /is taken on_approval/,
    [/cannot be left on a date/],
  ],
  [
    'on_approval without an approval',
    plus({ name: 'x', from: 'draft', to: 'obsolete', automatic: 'on_approval' }),
    'transitions.8.automatic',
    /needs an approval/,
  ],
  [
    'a draft that a date releases',
    changed('make_effective', { from: ['approved', 'draft'] }),
    'transitions.5.from.1',
    /Only a state of kind review/,
  ],
  [
    'a draft that is superseded',
    changed('supersede', { from: ['effective', 'draft'] }),
    'transitions.6.from.1',
    /Only an effective state/,
  ],
  ['an effective state that stays', minus('supersede'), 'states.3', /effective has no transition on_supersede/],
  [
    'two supersessions',
    plus({ name: 'x', from: 'effective', to: 'obsolete', automatic: 'on_supersede' }),
    'states.3',
    /two transitions on_supersede/,
  ],
  [
    'an unknown permission',
    changed('submit', { permission: 'documents.frob' }),
    'transitions.0.permission',
    /no permission documents\.frob/,
  ],
  [
    "the platform's permission",
    changed('submit', { permission: 'platform.manage_tenants' }),
    'transitions.0.permission',
    /no permission/,
  ],
  [
    'an automatic transition with a permission',
    changed('supersede', { permission: 'documents.obsolete' }),
    'transitions.6.permission',
    /Nobody takes/,
  ],
  [
    'an automatic transition with a comment',
    changed('supersede', { comment_required: true }),
    'transitions.6.comment_required',
    /Nobody takes/,
  ],
  [
    'a role by a number',
    withRules({ kind: 'role', who: 3, count: 1 }),
    'transitions.2.approval.rules.0.who',
    /^Name a role by its name\.$/,
  ],
  [
    'a user by a name',
    withRules({ kind: 'user', who: 'ada', count: 1 }),
    'transitions.2.approval.rules.0.who',
    /^Name a user by its id\.$/,
  ],
  [
    'an unknown permission in a rule',
    withRules({ kind: 'permission', who: 'x.y', count: 1 }),
    'transitions.2.approval.rules.0.who',
    /no permission x\.y/,
  ],
  [
    'a rule that nobody can meet',
    withRules({ kind: 'role', who: 'Ghost', count: 1 }),
    'transitions.2.approval.rules.0.who',
    /^The role Ghost has no active members who may approve, so this step cannot be approved\.$/,
  ],
  [
    'a rule that too few can meet',
    withRules({ kind: 'role', who: 'QA', count: 3 }),
    'transitions.2.approval.rules.0.count',
    /Only 2 of the 3 people/,
  ],
  [
    'rules that only the same person can meet',
    withRules({ kind: 'role', who: 'Lone', count: 1 }, { kind: 'user', who: 3, count: 1 }),
    'transitions.2.approval.rules',
    /not enough different people for 1 person with the role Lone and user 3/,
  ],
  [
    'rules that each could be met, but not all together',
    withRules({ kind: 'role', who: 'QA', count: 2 }, { kind: 'permission', who: 'documents.approve', count: 1 }),
    'transitions.2.approval.rules',
    /not enough different people/,
  ],
  [
    "a rule whose people lack the transition's permission",
    changed('approve', {
      permission: 'documents.obsolete',
      approval: { ...gate(standard, 'approve'), rules: [{ kind: 'user', who: 3, count: 1 }] },
    }),
    'transitions.2.approval.rules.0.who',
    /^This step cannot be approved by user 3\./,
  ],
  [
    'an exclusion of what is no approval',
    changed('approve', { approval: { ...gate(gmp, 'approve'), excludes_approvers_of: ['submit'] } }, gmp),
    'transitions.3.approval.excludes_approvers_of.0',
    /no approval submit/,
  ],
  [
    'an exclusion of itself',
    changed('approve', { approval: { ...gate(gmp, 'approve'), excludes_approvers_of: ['approve'] } }, gmp),
    'transitions.3.approval.excludes_approvers_of.0',
    /nobody approves it twice/,
  ],
  [
    'a count beside a percentage',
    withRules({ kind: 'role', who: 'QA', count: 1, percent: 50 }),
    'transitions.2.approval.rules.0.percent',
    /^Give the rule a count or a percentage, not both/,
  ],
  [
    'percentages that together are more than everybody',
    withRules({ kind: 'role', who: 'QA', percent: 100 }, { kind: 'role', who: 'QA', percent: 50 }),
    'transitions.2.approval.rules',
    /not enough different people for 100% of the people with the role QA and 50%/,
  ],
  [
    'a person who is named twice',
    withRules({ kind: 'user', who: [3, 4, 3], count: 2 }),
    'transitions.2.approval.rules.0.who.2',
    /^Name user 3 only once\.$/,
  ],
  [
    'one of several named people who may not decide',
    withRules({ kind: 'user', who: [3, 9], count: 1 }),
    'transitions.2.approval.rules.0.who.1',
    /^This step cannot be approved by user 9\./,
  ],
  [
    'more approvals than people who are named',
    withRules({ kind: 'user', who: [3, 4], count: 3 }),
    'transitions.2.approval.rules.0.count',
    /Only 2 of the 3 people/,
  ],
  [
    'several people who are named as a role',
    withRules({ kind: 'role', who: [3, 4], count: 1 }),
    'transitions.2.approval.rules.0.who',
    /^Name a role by its name\.$/,
  ],
  [
    'an escalation to nobody',
    changed('approve', { approval: { ...gate(standard, 'approve'), escalate_to: { kind: 'role', who: 'Ghost' } } }),
    'transitions.2.approval.escalate_to.who',
    /^Nobody would be notified, because the people with the role Ghost may not read drafts/,
  ],
  [
    'an escalation to an unknown permission',
    changed('approve', { approval: { ...gate(standard, 'approve'), escalate_to: { kind: 'permission', who: 'a.b' } } }),
    'transitions.2.approval.escalate_to.who',
    /no permission a\.b/,
  ],
  [
    'a reminder before the beginning',
    changed('approve', { approval: { ...gate(standard, 'approve'), due_days: 3, remind_days_before: 3 } }),
    'transitions.2.approval.remind_days_before',
    /before the approval has begun/,
  ],
  [
    'three approvals by different people, where each two of them could be given',
    inTurn({ review: [], check: ['review'], approve: ['review', 'check'] }),
    'transitions.3.approval.excludes_approvers_of.1',
    /not enough different people to approve review, check and approve/,
  ],
  [
    'three approvals by different people, where the first is the one that says it of the second',
    inTurn({ review: ['check'], check: [], approve: ['review', 'check'] }),
    'transitions.3.approval.excludes_approvers_of.1',
    /not enough different people to approve review, check and approve/,
  ],
  [
    'three approvals by different people, with one between them that any of these may give',
    inTurn({ review: [], visit: [], check: ['review'], approve: ['review', 'visit', 'check'] }),
    'transitions.4.approval.excludes_approvers_of.2',
    /not enough different people to approve review, check and approve/,
  ],
  [
    'three approvals by different people, where one that any of these may give is named before them',
    inTurn({ review: [], visit: [], check: ['review'], approve: ['visit', 'review', 'check'] }),
    'transitions.4.approval.excludes_approvers_of.2',
    /not enough different people to approve review, check and approve/,
  ],
  [
    'two approvals by the same person, where a third that one of them excludes can be given',
    givenBy(
      'approve',
      { kind: 'role', who: 'Lone' },
      givenBy('check', { kind: 'user', who: 3 }, inTurn({ review: [], check: [], approve: ['review', 'check'] })),
    ),
    'transitions.3.approval.excludes_approvers_of.1',
    /not enough different people to approve check and approve/,
  ],
  [
    'an approval that too few can give, and says it once though it excludes approvers of another',
    givenBy('approve', { kind: 'role', who: 'QA', count: 3 }, gmp),
    'transitions.3.approval.rules.0.count',
    /Only 2 of the 3 people/,
  ],
  [
    'an approval that too few can give, and says it once though another excludes its approvers',
    givenBy('review', { kind: 'role', who: 'QA', count: 3 }, gmp),
    'transitions.2.approval.rules.0.count',
    /Only 2 of the 3 people/,
  ],
  [
    'a date in a state that is not there',
    plus({ name: 'x', from: 'nowhere', to: 'obsolete', automatic: 'on_effective_date' }),
    'transitions.8.from',
    /There is no state nowhere/,
  ],
  [
    'a supersession of what is final',
    plus({ name: 'x', from: 'obsolete', to: 'draft', automatic: 'on_supersede' }),
    'transitions.8.from',
    /obsolete is final/,
  ],
  [
    'a draft that training releases',
    changed('make_effective', { from: ['approved', 'draft'], automatic: 'on_training_complete' }),
    'transitions.5.from.1',
    /Only a state of kind review/,
  ],
  [
    'a superseded version that is effective',
    also(changed('supersede', { to: 'current' }), { name: 'current', label: 'C', kind: 'effective' }),
    'transitions.6.to',
    /^A superseded version is no longer effective/,
    [/The effective state current has no transition on_supersede/],
  ],
  [
    'a group by its name',
    withRules({ kind: 'group', who: 'Line 1', count: 1 }),
    'transitions.2.approval.rules.0.who',
    /^Name a group by its id\.$/,
  ],
  [
    'a group without members',
    withRules({ kind: 'group', who: 9, count: 1 }),
    'transitions.2.approval.rules.0.who',
    /^There are no active members of group 9 who may approve/,
  ],
  [
    'an escalation to one person twice',
    changed('approve', { approval: { ...gate(standard, 'approve'), escalate_to: { kind: 'user', who: [3, 3] } } }),
    'transitions.2.approval.escalate_to.who.1',
    /^Name user 3 only once\.$/,
  ],
  [
    'an escalation to a role by a number, and a reminder before the beginning',
    changed('approve', {
      approval: {
        ...gate(standard, 'approve'),
        ...{ due_days: 3, remind_days_before: 4, escalate_to: { kind: 'role', who: 3 } },
      },
    }),
    'transitions.2.approval.remind_days_before',
    /before the approval has begun/,
    [/^Name a role by its name\.$/],
  ],
  [
    'an exclusion of an approval that is not there',
    changed('approve', { approval: { ...gate(gmp, 'approve'), excludes_approvers_of: ['check'] } }, gmp),
    'transitions.3.approval.excludes_approvers_of.0',
    /There is no approval check/,
  ],
  [
    'an exclusion that leaves nobody',
    givenBy('review', { kind: 'role', who: 'QA', count: 2 }, gmp),
    'transitions.3.approval.excludes_approvers_of.0',
    /not enough different people to approve review and approve/,
  ],
]

describe('a workflow template is checked as a whole (proves: FLOW-01)', () => {
  for (const { name, definition } of builtinTemplates)
    it(`accepts ${name} in a tenant of enough people`, () => assert.deepEqual(checkDefinition(definition, facts), []))

  for (const [title, definition, loc, msg, more = []] of cases)
    it(`refuses ${title}`, () => {
      const issues = checkDefinition(definition, facts)
      const found = issues.find(each => each.loc.join('.') === `body.definition.${loc}` && msg.test(each.msg))
      assert.ok(found, `expected ${msg} at ${loc}, got ${JSON.stringify(issues, null, 1)}`)
      const others = issues.filter(each => each !== found)
      assert.equal(others.length, more.length, `nothing else is wrong: ${JSON.stringify(others, null, 1)}`)
      for (const [n, each] of more.entries()) assert.match(others[n]!.msg, each)
      for (const { type } of issues) assert.match(type, /^workflow_/)
    })

  it('accepts an effective state that is left by an approval, and is superseded as well', () => {
    const retire: Transition = {
      name: 'retire',
      from: 'effective',
      to: 'obsolete',
      approval: gate(standard, 'approve'),
    }
    const both = changed('reject', { from: ['in_review', 'effective'] }, plus(retire))
    assert.deepEqual(checkDefinition(both, facts), [])
  })

  it('accepts a due date with a reminder before it, and an escalation to who may read drafts', () => {
    const reader: Record<string, number[]> = { ...people, 'permission documents.read_drafts': [4] }
    const known: TenantFacts = {
      peopleFor: ({ kind, who }) => new Set([who].flat().flatMap(each => reader[`${kind} ${each}`] ?? [])),
    }
    const due = (change: object) => changed('approve', { approval: { ...gate(standard, 'approve'), ...change } })
    for (const change of [
      ...[{ due_days: 3 }, { remind_days_before: 3 }, { due_days: 3, remind_days_before: 2 }],
      ...[{ escalate_to: { kind: 'role', who: 'QA' } }, { escalate_to: { kind: 'user', who: [3, 4] } }],
    ])
      assert.deepEqual(checkDefinition(due(change), known), [])
    const nobody = checkDefinition(due({ escalate_to: { kind: 'user', who: 3 } }), known)
    assert.deepEqual(
      nobody.map(({ msg }) => msg),
      ['Nobody would be notified, because user 3 may not read drafts. Choose other people.'],
    )
  })

  it('tells a group that is not there from one without members, by what it is called', () => {
    const called: TenantFacts = { ...facts, nameOf: (id, kind) => `the ${kind ?? 'person'} no. ${id}` }
    const definition = withRules({ kind: 'group', who: 9, count: 1 })
    const said = (hasGroup: boolean) =>
      checkDefinition(definition, { ...called, hasGroup: () => hasGroup }).map(({ msg }) => msg)
    assert.deepEqual(said(false), ['There is no the group no. 9.'])
    const at = checkDefinition(definition, { ...called, hasGroup: () => false })[0]!
      .loc.slice(2)
      .join('.')
    assert.equal(at, 'transitions.2.approval.rules.0.who')
    const ghost = checkDefinition(withRules({ kind: 'role', who: 'Ghost', count: 1 }), {
      ...called,
      hasGroup: () => false,
    })
    assert.deepEqual(
      ghost.map(({ msg }) => msg),
      ['The role Ghost has no active members who may approve, so this step cannot be approved.'],
    )
    assert.deepEqual(said(true), [
      'There are no active members of the group no. 9 who may approve, so this step cannot be approved.',
    ])
  })

  it('keeps approvals apart whichever of the two says so', () => {
    const pair = (of: Partial<Record<'review' | 'approve', string[]>>) =>
      (['review', 'approve'] as const).reduce(
        (definition, name) =>
          changed(
            name,
            {
              approval: {
                ...gate(gmp, name),
                ...{ excludes_approvers_of: of[name] ?? [], rules: [{ kind: 'role', who: 'Lone', count: 1 }] },
              },
            },
            definition,
          ),
        gmp,
      )
    const locs = (definition: WorkflowDefinition) =>
      checkDefinition(definition, facts).map(({ loc }) => loc.slice(2).join('.'))
    assert.deepEqual(locs(pair({})), [])
    assert.deepEqual(locs(pair({ approve: ['review'] })), ['transitions.3.approval.excludes_approvers_of.0'])
    assert.deepEqual(locs(pair({ review: ['approve'] })), ['transitions.2.approval.excludes_approvers_of.0'])
  })

  it('lets one person give two approvals that a third excludes, where these do not exclude each other', () => {
    assert.deepEqual(checkDefinition(inTurn({ review: [], check: [], approve: ['review', 'check'] }), facts), [])
  })

  it('accepts overlapping rules that different people can meet together', () => {
    const definition = withRules({ kind: 'group', who: 7, count: 1 }, { kind: 'user', who: 3, count: 1 })
    assert.deepEqual(checkDefinition(definition, facts), [])
  })

  it('accepts some of several named people, and a percentage, which is of at least one', () => {
    for (const rule of [
      { kind: 'user', who: [3, 4], count: 2 },
      { kind: 'role', who: 'QA', percent: 100 },
      { kind: 'role', who: 'QA', percent: 1 },
      { kind: 'role', who: 'QA' },
    ] as const)
      assert.deepEqual(checkDefinition(withRules(rule as ApprovalRule), facts), [])
  })

  it('warns of an author without whom too few could approve, and of nothing else', () => {
    const sentences = (...given: Parameters<typeof weaknessesOf>) => weaknessesOf(...given).map(({ text }) => text)
    const excluding = (...rules: ApprovalRule[]) =>
      changed('approve', { approval: { ...gate(standard, 'approve'), author_may_approve: false, rules } })
    assert.deepEqual(sentences(gmp, facts), [])
    assert.deepEqual(sentences(withRules({ kind: 'role', who: 'Lone', count: 1 }), facts), [])
    assert.deepEqual(sentences(excluding({ kind: 'role', who: 'Lone', count: 1 }), facts), [
      'The approval step cannot be approved for documents by user 3: without the author, too few people remain for 1 person with the role Lone.',
    ])
    assert.equal(sentences(excluding({ kind: 'role', who: 'QA', count: 2 }), facts).length, 1)
    assert.deepEqual(sentences(excluding({ kind: 'role', who: 'QA', percent: 100 }), facts), [])
    assert.deepEqual(sentences(excluding({ kind: 'role', who: 'Lone', count: 2 }), facts), [], 'who cannot anyway')
    const crowd: TenantFacts = { peopleFor: () => new Set([1, 2, 3, 4, 5, 6, 7]), nameOf: id => `P${id}` }
    const all = (count: number) => sentences(excluding({ kind: 'role', who: 'QA', count }), crowd)
    assert.deepEqual(all(7), [
      'The approval step cannot be approved for documents by P1, P2, P3, P4, P5 or 2 others: without the author, too few people remain for 7 people with the role QA.',
    ])
    assert.deepEqual(all(6), [])
    const crowdAnd3: TenantFacts = { peopleFor: rule => (rule.kind === 'user' ? facts : crowd).peopleFor(rule) }
    assert.deepEqual(sentences(excluding({ kind: 'role', who: 'QA' }, { kind: 'user', who: 3 }), crowdAnd3), [
      'The approval step cannot be approved for documents by user 3: without the author, too few people remain for 1 person with the role QA and user 3.',
    ])
    const two = excluding({ kind: 'role', who: 'QA', count: 1 }, { kind: 'user', who: 3, count: 1 })
    assert.deepEqual(sentences(two, facts), [
      'The approval step cannot be approved for documents by user 3 or user 4: without the author, too few people remain for 1 person with the role QA and user 3.',
    ])
  })

  it('names every mistake at once', () => {
    const definition = also(
      plus({ name: 'x', from: 'nowhere', to: 'elsewhere', permission: 'a.b' }),
      standard.states[0]!,
    )
    assert.equal(checkDefinition(definition, facts).length, 5)
  })
})

describe('the shape of a definition (proves: FLOW-01)', () => {
  const isShaped = new Ajv({ strict: false }).addFormat('words', /\S/).compile(WorkflowDefinition)
  const approval = gate(gmp, 'approve')

  it('is that of the built-in templates', () => {
    assert.ok(isShaped(structuredClone(standard)), JSON.stringify(isShaped.errors))
    assert.ok(isShaped(structuredClone(gmp)), JSON.stringify(isShaped.errors))
  })

  for (const [title, definition] of [
    ['an unknown field', { ...standard, owner: 1 }],
    ['a name with a blank', plus({ name: 'send back', from: 'draft', to: 'obsolete' })],
    [
      'an unknown signature type',
      changed('approve', { approval: { ...approval, signature_type: 'blessing' as 'review' } }),
    ],
    ['a rule that names no one', withRules({ kind: 'user', who: [] })],
    ['a percentage above 100', withRules({ kind: 'role', who: 'QA', percent: 101 })],
    ['a rule for no one', withRules({ kind: 'role', who: 'QA', count: 0 })],
    ['an approval without rules', withRules()],
    [
      '31 states',
      also(standard, ...Array.from({ length: 24 }, (_, i) => ({ name: `s${i}`, label: 'S', kind: 'review' as const }))),
    ],
  ] as const)
    it(`refuses ${title}`, () => assert.equal(isShaped(structuredClone(definition)), false))
})
