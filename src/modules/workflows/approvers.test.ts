// The approvers of a pending approval, before and after delegations.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Message } from '#kernel/message.ts'
import {
  barredFrom,
  canComplete,
  canDecide,
  gateFrom,
  giverOf,
  holderOf,
  mayDecideNow,
  namingRules,
  pendingApproval,
  pendingRules,
  progressOf,
  ruleNames,
  rulesOf,
  superiorsOf,
} from './approvers.ts'
import { builtinTemplates } from './builtin.ts'
import type { ApprovalRule, GatedTransition, WorkflowDefinition } from './definition.ts'
import { describeRules } from './describe.ts'
import {
  type Approval,
  type Delegation,
  type Instance,
  type Participant,
  type TenantFacts,
  writtenBy,
} from './instance.ts'
import { messages } from './messages.ts'

const [{ definition: standard }, { definition: gmp }] = builtinTemplates
const someone = (userId: number, roles: string[], permissions: string[], groupIds: number[] = []): Participant => ({
  ...{ userId, roles, groupIds },
  permissions: new Set(permissions),
})
const decides = ['documents.review', 'documents.approve']
const uma = someone(1, ['User'], ['documents.read_drafts'])
const arthur = someone(2, ['Author'], [], [7])
const quinn = someone(3, ['QA'], decides, [7])
const quentin = someone(4, ['QA'], decides)
const mara = someone(5, ['QA Manager', 'QA'], [...decides, 'documents.obsolete', 'documents.read_drafts'])
const everybody = [uma, arthur, quinn, quentin, mara]
const facts: TenantFacts = {
  peopleFor: rule => new Set(everybody.filter(each => ruleNames(rule, each)).map(({ userId }) => userId)),
}
const given = (transition: string, userId: number, ...rules: number[]): Approval => ({ transition, userId, rules })
const handed = (from: number, to: number, rules: number[] = [0], transition = 'approve'): Delegation => ({
  ...{ transition, from, to, rules },
})
const at = (state: string, change: Partial<Instance> = {}): Instance => ({
  ...{ state, ...writtenBy(2), ownerId: 2, round: 1, approvals: [], delegations: [] },
  ...change,
})
/** The Standard template with another approval. */
const asking = (change: Partial<GatedTransition['approval']>, permission?: string): WorkflowDefinition => ({
  ...standard,
  transitions: standard.transitions.map(each =>
    each.approval ? { ...each, ...(permission && { permission }), approval: { ...each.approval, ...change } } : each,
  ),
})
const gateOf = (definition: WorkflowDefinition, state = 'in_review') => gateFrom(definition, state)!
const qa = (count = 1): ApprovalRule => ({ kind: 'role', who: 'QA', count })
const only = (...who: number[]): ApprovalRule => ({ kind: 'user', who, count: who.length })
const sorted = (ids: Iterable<number>) => [...ids].sort((a, b) => a - b)
const now = (definition: WorkflowDefinition, change: Partial<Instance> = {}, state = 'in_review') =>
  mayDecideNow(definition, at(state, change), facts).map(people => sorted(people))

describe('those who may decide now (proves: DOC-05)', () => {
  it('are whom the rules name, but for the author, who approved, and who approved what is kept apart', () => {
    assert.deepEqual(now(standard), [[3, 4, 5]])
    assert.deepEqual(now(gmp, {}, 'in_approval'), [[3, 4, 5]])
    assert.deepEqual(now(gmp, { authorId: 4 }, 'in_approval'), [[3, 5]])
    assert.deepEqual(now(gmp, { approvals: [given('review', 3, 0)] }, 'in_approval'), [[4, 5]])
    assert.deepEqual(now(standard, { approvals: [given('review', 3, 0)] }), [[3, 4, 5]])
    const two = asking({ rules: [qa(2)] })
    assert.deepEqual(now(two, { approvals: [given('approve', 3, 0)] }), [[4, 5]])
    assert.deepEqual(now(two, { approvals: [given('review', 3, 0)] }), [[3, 4, 5]])
    assert.deepEqual(now(two, { authorId: 3 }), [[3, 4, 5]])
  })

  it('are nobody where nothing awaits approval', () => {
    assert.deepEqual(now(standard, {}, 'draft'), [])
    assert.deepEqual(now(standard, {}, 'effective'), [])
  })

  it('hold the permission of the transition beside', () => {
    assert.deepEqual(now(asking({ rules: [qa()] }, 'documents.obsolete')), [[5]])
  })

  it('are nobody of a rule that has the approvals that it needs', () => {
    const both = asking({ rules: [qa(), only(1)] })
    assert.deepEqual(now(both), [[3, 4, 5], [1]])
    assert.deepEqual(now(both, { approvals: [given('approve', 3, 0)] }), [[], [1]])
  })

  it('are those whose turn it is, in sequence, without who alone can give a later approval', () => {
    const overlapping = asking({ mode: 'sequential', rules: [qa(), only(3)] })
    assert.deepEqual(now(overlapping), [[4, 5], []])
    assert.deepEqual(now(overlapping, { approvals: [given('approve', 4, 0)] }), [[], [3]])
    assert.deepEqual(now(asking({ rules: [qa(), only(3)] })), [[3, 4, 5], [3]])
  })

  it('are kept back for a later approval as long as it lacks them, and only where all of it can be completed', () => {
    const later = (...rules: ApprovalRule[]) => asking({ mode: 'sequential', rules })
    assert.deepEqual(now(later(only(3, 4), qa())), [[3, 4], []])
    assert.deepEqual(now(later(qa(), only(3, 4))), [[5], []])
    assert.deepEqual(now(later(qa(2), qa(2))), [[3, 4, 5], []])
    assert.deepEqual(now(later(qa(), only(3), only(1))), [[4, 5], [], []])
    const half = { approvals: [given('approve', 5, 0)] }
    assert.deepEqual(now(later(qa(2), only(3)), half), [[4], []])
    assert.deepEqual(now(later(qa(), qa(), only(3)), half), [[], [4], []])
    const either: ApprovalRule = { kind: 'user', who: [4, 5], count: 1 }
    assert.deepEqual(now(later(qa(), qa(), either), half), [[], [3], []], 'who approved gives no later one')
  })

  it('are those whom parts were handed to, in the place of who handed them on', () => {
    const mine = asking({ rules: [only(5), qa()] })
    assert.deepEqual(now(mine, { delegations: [handed(5, 4)] }), [[4], [3, 4]])
    assert.deepEqual(now(mine, { delegations: [handed(5, 4, [0, 1]), handed(4, 3, [1])] }), [[3], [3]])
    assert.deepEqual(now(mine, { delegations: [handed(5, 4, [0], 'review')] }), [[5], [3, 4, 5]])
    assert.deepEqual(
      now(asking({ rules: [only(5)] }, 'documents.approve'), { delegations: [handed(5, 1)] }),
      [[]],
      'who lacks the permission receives nothing',
    )
    assert.deepEqual(now(mine, { delegations: [handed(5, 99)] }), [[], [3, 4]], 'nor does who is not there')
  })
})

describe('an approval (proves: DOC-05)', () => {
  it('shows what counts for which rule, and what it asks for', () => {
    const both = asking({ rules: [qa(), only(1)] })
    const progress = progressOf(
      gateOf(both),
      at('draft', { approvals: [given('approve', 3, 0), given('other', 1, 1)] }),
    )
    assert.deepEqual(
      progress.map(({ rule, needed, given_by, open }) => ({ rule, needed, given_by, open })),
      [
        { rule: 0, needed: 1, given_by: [3], open: false },
        { rule: 1, needed: 1, given_by: [], open: true },
      ],
    )
    const sequential = gateOf(asking({ mode: 'sequential', rules: [qa(), only(1)] }))
    assert.deepEqual(
      pendingRules(sequential, []).map(({ open }) => open),
      [true, false],
    )
    const { rules, ...shown } = pendingApproval(gmp, at('in_review'))!
    assert.deepEqual(shown, {
      ...{ transition: 'review', to: 'in_approval', mode: 'parallel' },
      ...{ signature_required: true, signature_type: 'review' },
    })
    assert.equal(rules.length, 1)
  })

  it('can be completed as long as enough different people are left for it', () => {
    const can = (rules: ApprovalRule[], change: Partial<Instance> = {}, more: object = {}) =>
      canComplete(gateOf(asking({ rules, ...more })), at('in_review', change), facts)
    assert.equal(can([qa(3)]), true)
    assert.equal(can([qa(4)]), false)
    assert.equal(can([qa(2), only(3)]), true)
    assert.equal(can([qa(3), only(3)]), false)
    assert.equal(can([qa(3)], { authorId: 3 }, { author_may_approve: false }), false)
    assert.equal(can([qa(2)], { authorId: 3 }, { author_may_approve: false }), true)
    const excluding = { excludes_approvers_of: ['review'] }
    assert.equal(can([qa(3)], { approvals: [given('review', 3, 0)] }, excluding), false)
    assert.equal(can([qa(3)], { approvals: [given('approve', 3, 0)] }), true, 'what was given counts')
    assert.equal(can([qa(3)], { approvals: [given('approve', 3, 0), given('approve', 4, 0)] }), true, 'each of it')
    assert.equal(can([qa(3)], { approvals: [given('approve', 1, 0)] }), true, 'also by who is named no more')
    assert.equal(can([qa(3), only(1)], { approvals: [given('approve', 1, 0)] }), false, 'and for one rule alone')
    assert.equal(can([qa(3)], { delegations: [handed(3, 4)] }), false)
    assert.equal(can([qa(3)], { delegations: [handed(3, 1)] }), true)
    assert.equal(can([qa(2)], { delegations: [handed(3, 4)] }), true)
  })

  it('is decided by no person who is not there, or who lacks its permission', () => {
    const plain = gateOf(standard)
    assert.equal(canDecide(plain, 1, facts), true)
    assert.equal(canDecide(plain, 99, facts), false)
    const strict = gateOf(asking({}, 'documents.obsolete'))
    assert.equal(canDecide(strict, 5, facts), true)
    assert.equal(canDecide(strict, 3, facts), false)
    const gone: TenantFacts = { peopleFor: rule => new Set(rule.kind === 'user' ? [] : [5]) }
    assert.equal(canDecide(strict, 5, gone), false)
    const byKind: TenantFacts = {
      peopleFor: ({ kind }) => new Set(kind === 'user' || kind === 'permission' ? [5] : []),
    }
    assert.equal(canDecide(strict, 5, byKind), true)
  })

  it('bars the author where it says so, and who approved what it excludes', () => {
    const reviewed = { approvals: [given('review', 3, 0), given('other', 4, 0)] }
    assert.deepEqual(sorted(barredFrom(gateOf(gmp, 'in_approval'), at('in_approval', reviewed))), [2, 3])
    assert.deepEqual([...barredFrom(gateOf(standard), at('in_review', reviewed))], [])
  })
})

describe('a part that was handed on (proves: DOC-05)', () => {
  const chain = [handed(5, 4), handed(4, 3, [])]

  it('is with the last who received it', () => {
    assert.deepEqual(
      [5, 4, 3, 1].map(id => holderOf(chain, id)),
      [3, 3, 3, 1],
    )
  })

  it('lets its holder approve by the rules that named its first giver, in this approval alone', () => {
    const gate = gateOf(asking({ rules: [only(5), only(1), qa()] }))
    const instance = at('in_review', { delegations: chain })
    assert.deepEqual(rulesOf(gate, instance, quinn), [0, 2])
    assert.deepEqual(rulesOf(gate, instance, uma), [1])
    assert.deepEqual(rulesOf(gate, at('in_review', { delegations: [handed(5, 1, [0], 'review')] }), uma), [1])
    assert.deepEqual(rulesOf(gate, at('in_review'), quinn), [2])
  })

  it('is said to be of its giver, where no rule of the holder counted', () => {
    const gate = gateOf(asking({ rules: [only(5), qa(), only(1)] }))
    const instance = at('in_review', { delegations: [handed(5, 4, [0, 1]), handed(1, 4, [2]), handed(4, 3, [1])] })
    assert.equal(giverOf(gate, instance, quinn, 0), 5)
    assert.equal(giverOf(gate, instance, quinn, 2), 1)
    assert.equal(giverOf(gate, instance, quinn, 1), undefined, 'their own rule')
    assert.equal(giverOf(gate, instance, quentin, 0), undefined, 'who handed it on')
    assert.equal(giverOf(gate, at('in_review', { delegations: [handed(5, 3, [0], 'review')] }), quinn, 0), undefined)
  })

  it('is taken back before its giver decides, who is told who has it', () => {
    const gate = gateOf(standard)
    const instance = at('in_review', { delegations: [handed(3, 4)] })
    const refusal = (names?: (id: number) => string) =>
      namingRules(gate, instance, quinn, names ? { nameOf: names } : {})
    const delegated = (person: string) => ({
      ...{ ok: false, status: 409 },
      message: messages.approver_delegated({ step: 'approve', person }),
    })
    assert.deepEqual(refusal(), delegated('another person'))
    assert.deepEqual(
      refusal(id => `Person ${id}`),
      delegated('Person 4'),
    )
    assert.deepEqual(namingRules(gate, instance, quentin), [0])
    const elsewhere = at('in_review', { delegations: [handed(3, 4, [0], 'review')] })
    assert.deepEqual(namingRules(gate, elsewhere, quinn), [0])
  })
})

describe('who may not decide is told why (proves: DOC-05)', () => {
  const refusal = (definition: WorkflowDefinition, instance: Instance, who: Participant) =>
    namingRules(gateOf(definition, instance.state), instance, who)

  it('in the words of the rules', () => {
    const refused = (status: number, message: Message) => ({ ok: false, status, message })
    const step = 'approve'
    assert.deepEqual(
      refusal(standard, at('in_review', { approvals: [given('approve', 3, 0)] }), quinn),
      refused(409, messages.approver_already_approved({ step })),
    )
    const rulesIn = (definition: WorkflowDefinition) => describeRules(gateOf(definition, 'in_review'))
    assert.deepEqual(
      refusal(gmp, at('in_review', { authorId: 3 }), quinn),
      refused(403, messages.approver_is_author({ step: 'review', approvers: rulesIn(gmp), is_orphaned: false })),
    )
    const excluded = ['review', 'check']
    assert.deepEqual(
      refusal(
        asking({ excludes_approvers_of: excluded }),
        at('in_review', { approvals: [given('check', 3, 0)] }),
        quinn,
      ),
      refused(403, messages.approver_approved_excluded_step({ step, excluded })),
    )
    const approvers = rulesIn(standard)
    assert.deepEqual(
      refusal(standard, at('in_review'), uma),
      refused(403, messages.approver_not_named({ step, approvers, is_orphaned: false, permission: null })),
    )
    assert.deepEqual(
      refusal(asking({}, 'documents.obsolete'), at('in_review'), quinn),
      refused(403, messages.approver_permission_required({ step, permission: 'documents.obsolete' })),
    )
  })
})

describe('a rule', () => {
  it('names by id, group, role or permission, each by its own kind', () => {
    const names = (kind: ApprovalRule['kind'], who: ApprovalRule['who'], person = quinn) =>
      ruleNames({ kind, who }, person)
    assert.deepEqual(
      [names('user', 3), names('user', [1, 3]), names('user', 7), names('user', [1, 2])],
      [true, true, false, false],
    )
    assert.deepEqual([names('group', 7), names('group', 3), names('group', 7, quentin)], [true, false, false])
    assert.deepEqual([names('role', 'QA'), names('role', 'QA Manager'), names('role', 'QA', mara)], [true, false, true])
    assert.deepEqual([names('permission', 'documents.review'), names('permission', 'QA')], [true, false])
    assert.equal(names('permission', 7), false)
  })
})

describe('those who hear that an approval is overdue', () => {
  it('are whom the escalation names and who may read drafts, also who decide about nothing', () => {
    const { approval } = gateOf(standard)
    const told = (change: object, about = facts) => sorted(superiorsOf({ ...approval, ...change }, about))
    assert.deepEqual(told({}), [])
    assert.deepEqual(told({ escalate_to: { kind: 'role', who: 'QA' } }), [5])
    assert.deepEqual(told({ escalate_to: { kind: 'user', who: [1, 3, 5] } }), [1, 5])
    const everybodyNamed: TenantFacts['everybodyNamed'] = ({ kind }) => new Set(kind === 'permission' ? [8, 9] : [9, 5])
    assert.deepEqual(told({ escalate_to: { kind: 'role', who: 'QA' } }, { ...facts, everybodyNamed }), [9])
  })
})
