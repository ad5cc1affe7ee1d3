import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtinTemplates, builtinTypes } from './builtin.ts'
import { advance, decide, fire } from './engine.ts'
import { type Instance, type Participant, writtenBy } from './instance.ts'
import { minimumOf } from './minimum.ts'

const [standard, gmp] = builtinTemplates
const someone = (userId: number, ...permissions: string[]): Participant => ({
  userId,
  roles: permissions.includes('documents.approve') ? ['QA', 'Author', 'User'] : ['Author', 'User'],
  groupIds: [],
  permissions: new Set(['documents.submit', ...permissions]),
})
const arthur = someone(1)
const quinn = someone(2, 'documents.review', 'documents.approve')
const mara = someone(3, 'documents.review', 'documents.approve')
const facts = { peopleFor: () => new Set([2, 3]) }
const draftOf = (author: Participant): Instance => ({
  state: 'draft',
  ...writtenBy(author.userId),
  ownerId: author.userId,
  round: 0,
  approvals: [],
  delegations: [],
})
const ready = { effective_date_reached: true, training_complete: true }

describe('the built-in workflows', () => {
  it('brings a general document into effect with one approval (proves: DOC-05)', () => {
    const outcome = decide(standard.definition, draftOf(quinn), quinn, { decision: 'approve' }, facts)
    assert.ok(outcome.ok)
    assert.equal(outcome.transitions.at(-1)?.to, 'approved')
    assert.equal(advance(standard.definition, 'approved', ready).at(-1)?.to, 'effective')
  })

  it('brings an SOP into effect with a signed review and a signed approval by another (proves: DOC-05)', () => {
    let version = draftOf(arthur)
    const submitted = fire(gmp.definition, version, arthur, { transition: 'submit' })
    assert.ok(submitted.ok)
    version = { ...version, state: submitted.transitions[0]!.to }
    for (const [reviewer, state] of [
      [quinn, 'in_approval'],
      [mara, 'approved'],
    ] as const) {
      const outcome = decide(gmp.definition, version, reviewer, { decision: 'approve' }, facts)
      assert.ok(outcome.ok)
      version = { ...version, state: outcome.transitions[0]!.to, approvals: [...version.approvals, outcome.approval!] }
      assert.equal(version.state, state)
    }
    assert.equal(advance(gmp.definition, version.state, ready).at(-1)?.to, 'effective')
    const gates = gmp.definition.transitions.flatMap(({ approval }) => approval ?? [])
    assert.deepEqual(
      gates.map(({ signature_required, signature_type }) => [signature_required, signature_type]),
      [
        [true, 'review'],
        [true, 'approval'],
      ],
    )
  })

  it('gives eight document types, each with its own prefix and a workflow (proves: TYPE-01)', () => {
    assert.deepEqual(
      builtinTypes.map(({ prefix }) => prefix),
      ['DOC', 'SOP', 'WI', 'POL', 'SPEC', 'FRM', 'REP', 'VP'],
    )
    const templates = builtinTemplates.map(({ name }) => name)
    assert.ok(builtinTypes.every(({ workflow_template }) => templates.includes(workflow_template)))
    const withGmp = builtinTypes.filter(({ workflow_template }) => workflow_template === gmp.name)
    assert.deepEqual(
      withGmp.map(({ name }) => name),
      ['SOP', 'Specification', 'Validation protocol'],
    )
    assert.deepEqual(
      [standard, gmp].map(({ definition }) => minimumOf(definition)),
      [
        { signature: false, people: 1, author_excluded: false },
        { signature: true, people: 2, author_excluded: true },
      ],
    )
  })
})
