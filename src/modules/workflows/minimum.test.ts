import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtinTemplates } from './builtin.ts'
import type { ApprovalGate, State, Transition, WorkflowDefinition } from './definition.ts'
import { minimumOf, shortfallOf } from './minimum.ts'

const [standard, gmp] = builtinTemplates.map(({ definition }) => definition) as [WorkflowDefinition, WorkflowDefinition]
const state = (name: string, kind: State['kind'] = 'review'): State => ({ name, label: name, kind })
const gate = (name: string, from: string, to: string, change: Partial<ApprovalGate> = {}): Transition => ({
  ...{ name, from, to },
  approval: {
    ...{ mode: 'parallel', signature_required: false, author_may_approve: true },
    rules: [{ kind: 'role', who: 'QA' }],
    ...change,
  },
})
const flow = (...transitions: Transition[]): WorkflowDefinition => ({
  states: [
    state('draft', 'initial'),
    ...['a', 'b', 'c'].map(name => state(name)),
    state('effective', 'effective'),
    state('superseded', 'final'),
  ],
  transitions: [{ name: 'supersede', from: 'effective', to: 'superseded', automatic: 'on_supersede' }, ...transitions],
})
const submit: Transition = { name: 'submit', from: 'draft', to: 'a' }
const two = { rules: [{ kind: 'role', who: 'QA', count: 2 }] } satisfies Partial<ApprovalGate>

describe('what a workflow assures (proves: FLOW-01, TYPE-01)', () => {
  const cases: [title: string, definition: WorkflowDefinition, people: number, more?: object][] = [
    ['one approval', standard, 1],
    ['a review and an approval by others', gmp, 2, { signature: true, author_excluded: true }],
    ['nothing, where a draft becomes effective by hand', flow({ name: 'publish', from: 'draft', to: 'effective' }), 0],
    [
      'as much as the shortest way',
      flow(
        submit,
        gate('one', 'a', 'effective', two),
        { ...submit, name: 'urgent', to: 'b' },
        gate('other', 'b', 'effective'),
      ),
      1,
    ],
    [
      'nothing beside a way around its approval',
      flow(submit, gate('one', 'a', 'effective'), { name: 'skip', from: 'a', to: 'effective' }),
      0,
    ],
    [
      'one person for two approvals that one may give',
      flow(submit, gate('one', 'a', 'b'), gate('two', 'b', 'effective')),
      1,
    ],
    [
      'two people for approvals of which the second excludes the first',
      flow(submit, gate('one', 'a', 'b'), gate('two', 'b', 'effective', { excludes_approvers_of: ['one'] })),
      2,
    ],
    [
      'one person where the first excludes the second, which comes later',
      flow(submit, gate('one', 'a', 'b', { excludes_approvers_of: ['two'] }), gate('two', 'b', 'effective')),
      1,
    ],
    [
      'no more than the last approval, where an objection voids those before it',
      flow(
        ...[submit, gate('one', 'a', 'b', two), gate('two', 'b', 'effective')],
        ...[
          { name: 'reject', from: 'b', to: 'c' },
          { name: 'resume', from: 'c', to: 'b' },
        ],
      ),
      1,
    ],
    [
      'no more than the last approval, where a step back voids it after it was begun',
      flow(
        ...[
          submit,
          gate('one', 'a', 'b', { rules: [{ kind: 'role', who: 'QA', count: 3 }] }),
          gate('two', 'b', 'effective', two),
        ],
        ...[
          { name: 'ask', from: 'b', to: 'c' },
          { name: 'resume', from: 'c', to: 'b' },
        ],
      ),
      2,
    ],
    [
      'all approvals, where a question leaves them as they are',
      flow(
        ...[submit, gate('one', 'a', 'b', two), gate('two', 'b', 'effective')],
        ...[
          { name: 'ask', from: 'b', to: 'c' },
          { name: 'resume', from: 'c', to: 'b' },
        ],
      ),
      2,
    ],
    [
      'one person of a percentage',
      flow(submit, gate('one', 'a', 'effective', { rules: [{ kind: 'role', who: 'QA', percent: 100 }] })),
      1,
    ],
  ]
  for (const [title, definition, people, more] of cases)
    it(`is ${title}`, () =>
      assert.deepEqual(minimumOf(definition), { signature: false, author_excluded: false, people, ...more }))

  it('is checked in a moment, however many ways lead through it', () => {
    const names = Array.from({ length: 14 }, (_, i) => `s${i}`)
    const sides = names
      .slice(0, -1)
      .flatMap((name, i) => [`${name}_l`, `${name}_r`].map(side => ({ name, side, next: names[i + 1]! })))
    const definition: WorkflowDefinition = {
      states: [
        ...names.map((name, i) => state(name, i === 0 ? 'initial' : i === 13 ? 'effective' : 'review')),
        ...sides.map(({ side }) => state(side)),
      ],
      transitions: sides.flatMap(({ name, side, next }) => [
        { name: `to_${side}`, from: name, to: side },
        gate(`by_${side}`, side, next),
      ]),
    }
    const began = performance.now()
    assert.equal(minimumOf(definition).people, 1)
    assert.ok(performance.now() - began < 2000)
  })
})

describe('the shortfall of a workflow (proves: TYPE-01)', () => {
  const least = { signature: true, people: 1, author_excluded: true }
  const codeOf = (definition: WorkflowDefinition, demand: object = {}) =>
    shortfallOf({ name: 'SOP', controlled: true, minimum_approval: least, ...demand }, 'It', definition)?.code
  it('is none where it asks for more', () => assert.equal(codeOf(gmp), undefined))
  it('names what is missing', () => {
    const author_excluded = { author_may_approve: false }
    assert.equal(codeOf(standard), 'workflow_minimum_author')
    assert.equal(codeOf(flow(submit, gate('one', 'a', 'effective', author_excluded))), 'workflow_minimum_signature')
    assert.equal(codeOf(gmp, { minimum_approval: { ...least, people: 3 } }), 'workflow_minimum_people')
    assert.equal(codeOf(flow({ name: 'publish', from: 'draft', to: 'effective' })), 'workflow_way_without_approval')
  })
  it('is not that of a signature by the author, where others must approve', () => {
    const signedByAuthor = flow(
      ...[submit, gate('one', 'a', 'b', { signature_required: true })],
      gate('two', 'b', 'effective', { author_may_approve: false }),
    )
    assert.equal(codeOf(signedByAuthor), 'workflow_minimum_signature')
  })
})
