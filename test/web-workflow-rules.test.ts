// The pure functions of the workflow designer: what is done to a definition, and how it is said.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtinTemplates } from '../src/modules/workflows/builtin.ts'
import { checkDefinition } from '../src/modules/workflows/rules.ts'
import { beyond, changedItems, inWords, itemsInWords } from '../web/src/features/changes/values.ts'
import {
  addState,
  addTransition,
  changeGate,
  changeState,
  moveState,
  removeState,
  removeTransition,
  setSources,
  setTrigger,
} from '../web/src/features/workflows/edits.ts'
import { draw, headOf, pathOf } from '../web/src/features/workflows/graph-layout.ts'
import { faultAt, faultsOf, partsOf } from '../web/src/features/workflows/places.ts'
import { workflowSearch, workflowsSearch } from '../web/src/features/workflows/search.ts'
import type { Definition } from '../web/src/records/workflow/definition.ts'
import { definitionInWords, differencesInWords, transitionInWords } from '../web/src/records/workflow/sentences.ts'
import { de } from '../web/src/records/workflow/words.de.ts'
import { en } from '../web/src/records/workflow/words.en.ts'

const [standard, gmp] = builtinTemplates.map(({ definition }) => definition as Definition) as [Definition, Definition]
const names = { users: { 11: 'Petra', 12: 'Quentin' }, groups: { 7: 'Validation' } }
const way = (definition: Definition, name: string) => definition.transitions.find(each => each.name === name)!
/** Everybody may approve everything. */
const facts = { peopleFor: () => new Set([1, 2, 3, 4, 5]) }
const faultsIn = (definition: Definition) => checkDefinition(definition, facts).map(({ type }) => type)

describe('edits of a workflow', () => {
  it('leave a sound workflow where they are meant to (proves: FLOW-01)', () => {
    const { definition, name } = addState(gmp, 'Freigabe durch Öffentlichkeit')
    assert.equal(name, 'freigabe_durch_oeffentlichkeit')
    assert.deepEqual(
      definition.states.slice(3, 5).map(each => each.name),
      ['approved', name],
      'before what is in force',
    )
    const moved = moveState(definition, name, -1)
    const into = {
      ...moved,
      transitions: moved.transitions.map(each => (each.name === 'approve' ? { ...each, to: name } : each)),
    }
    const { definition: sound, name: added } = addTransition(into, name, 'Second approval')
    assert.deepEqual([way(sound, added).to, way(sound, added).approval?.rules.length], ['approved', 1])
    assert.deepEqual(way(sound, 'reject').from, ['in_review', 'in_approval', name], 'approvers can reject')
    assert.deepEqual(faultsIn(sound), [])
    assert.ok(faultsIn(removeState(sound, name)).includes('workflow_state_unreachable'), 'what led on is gone')
  })

  it('take away what belonged to what is removed', () => {
    const without = removeTransition(gmp, 'review')
    assert.equal(way(without, 'approve').approval?.excludes_approvers_of, undefined)
    const removed = removeState(gmp, 'in_review')
    assert.deepEqual(
      removed.transitions.map(({ name }) => name),
      ['cancel', 'approve', 'withdraw', 'reject', 'make_effective', 'supersede', 'obsolete'],
    )
    assert.equal(way(removed, 'withdraw').from, 'in_approval')
    assert.equal(way(removed, 'approve').approval?.excludes_approvers_of, undefined)
  })

  it('change how a transition happens, and keep nothing of the former way', () => {
    const byItself = setTrigger(standard, 'approve', 'on_training_complete')
    assert.deepEqual(way(byItself, 'approve'), {
      name: 'approve',
      from: 'in_review',
      to: 'approved',
      automatic: 'on_training_complete',
    })
    const { transitions } = setTrigger(
      { ...standard, transitions: standard.transitions.filter(({ name }) => name !== 'reject') },
      'submit',
      'approval',
    )
    const reject = transitions.find(({ name }) => name === 'reject')
    assert.deepEqual(reject, { name: 'reject', from: ['draft', 'in_review'], to: 'draft', comment_required: true })
    assert.equal(setTrigger(standard, 'submit', 'by_hand'), standard, 'nothing changes')
    assert.equal(setSources(standard, 'submit', []), standard, 'a transition begins somewhere')
  })

  it('never touch what was there before', () => {
    const before = JSON.stringify(gmp)
    changeGate(gmp, 'approve', { due_days: 5 })
    changeState(gmp, 'draft', { label: 'Written' })
    removeState(gmp, 'draft')
    assert.equal(JSON.stringify(gmp), before)
  })
})

describe('a workflow in words', () => {
  it('says who approves, and what keeps them from it', () => {
    const definition = changeGate(gmp, 'approve', {
      rules: [
        { kind: 'role', who: 'QA', count: 2 },
        { kind: 'group', who: 7 },
        { kind: 'user', who: [11, 12], count: 1 },
        { kind: 'permission', who: 'documents.review', percent: 50 },
      ],
      mode: 'sequential',
      due_days: 5,
      escalate_to: { kind: 'role', who: 'QA Manager' },
    })
    const said = transitionInWords(way(definition, 'approve'), definition, names, en)
    assert.equal(
      said,
      'Approval by 2 people with the role QA, then 1 member of the group Validation, then 1 of Petra and Quentin, then 50 % of the people with the right “Review documents”; not the author; not those who approved “Review”; signed as an approval; due after 5 days, with a reminder 2 days before; the people with the role QA Manager are told when it is overdue',
    )
    const german = transitionInWords(way(definition, 'approve'), definition, names, de)
    assert.match(german, /^Freigabe durch 2 Personen mit der Rolle QA, dann 1 Mitglied der Gruppe Validation, dann/)
    assert.doesNotMatch(`${said} ${german}`, /[a-z]_[a-z]|undefined/)
    const all = gmp.transitions.map(each => transitionInWords(each, gmp, names, en))
    assert.ok(all.includes('By itself on the effective date'))
  })

  it('says what is different, in both directions, and nothing of what is the same', () => {
    const changed = changeGate(changeState(gmp, 'in_review', { label: 'Under review' }), 'approve', {
      rules: [
        { kind: 'role', who: 'QA', count: 1 },
        { kind: 'group', who: 7, count: 1 },
      ],
      author_may_approve: true,
    })
    assert.deepEqual(differencesInWords(gmp, changed, names, en), [
      'The state In review is now called Under review.',
      'Approve: “Approval by 1 person with the role QA and 1 member of the group Validation; the author may approve too” in the place of “Approval by 1 person with the role QA; not the author”.',
    ])
    assert.deepEqual(differencesInWords(gmp, gmp, names, en), [])
    assert.deepEqual(definitionInWords(standard, names, en).slice(0, 2), [
      'States: Draft, In review, Approved, Effective, Superseded, Obsolete, Cancelled.',
      'Submit, from Draft to In review: By people with the right “Submit drafts”.',
    ])
    const { definition } = addState(gmp, 'Translation')
    const reordered = moveState(definition, 'draft', 1)
    assert.deepEqual(differencesInWords(gmp, reordered, names, en), [
      'The state Translation (Under way) is new.',
      'The states are in another order.',
    ])
    assert.deepEqual(differencesInWords(reordered, removeTransition(gmp, 'cancel'), names, en), [
      'The state Translation is removed.',
      'The states are in another order.',
      'Cancel, from Draft to Cancelled, is removed.',
    ])
    assert.equal(
      differencesInWords(gmp, changeGate(gmp, 'review', { due_days: 3 }), names, en)[0],
      'Review: now also “due after 3 days, with a reminder 2 days before”.',
    )
  })
})

describe('faults at their places', () => {
  it('are at the state or transition that the service names, in the words of the page', () => {
    const at = gmp.transitions.findIndex(({ name }) => name === 'approve')
    const issue = (pointer: string, code: string, params: Record<string, unknown>, detail: string) => ({
      ...{ parts: partsOf(pointer), code, params },
      detail,
    })
    const faults = faultsOf(
      [
        issue(`/transitions/${at}/approval/rules/0/who`, 'x', {}, 'Nobody with documents.review may.'),
        issue('/states/1', 'y', { state: 'in_review' }, 'The state in_review cannot be reached.'),
        issue('/states', 'z', { count: 2 }, 'Two.'),
        issue('/states/4', 'own', { state: 'effective' }, 'The service says so.'),
      ],
      gmp,
      { rights: en.rights, own: { own: ({ state }) => `From ${state}.` } },
    )
    assert.deepEqual(faults[0]!.place, { kind: 'transition', name: 'approve', from: 'in_approval' })
    assert.equal(faultAt(faults, 'approval', 'rules', 0, 'who'), 'Nobody with “Review documents” may.')
    assert.equal(faultAt(faults, 'approval', 'rules', 1), undefined)
    assert.deepEqual([faults[1]!.text, faults[2]!.place], ['The state “In review” cannot be reached.', undefined])
    assert.equal(faults[3]!.text, 'From Effective.')
  })
})

describe('the picture of a workflow', () => {
  it('has each state and each transition once, and nothing of a state that is not there', () => {
    const { states, ways, width, height } = draw(gmp)
    assert.equal(states.length, 8)
    assert.equal(ways.length, 11, 'withdraw and reject lead out of two states')
    for (const box of [...states, ...ways]) {
      assert.ok(box.x - box.width / 2 >= 0 && box.x + box.width / 2 <= width, 'within its width')
      assert.ok(box.y - box.height / 2 >= 0 && box.y + box.height / 2 <= height, 'within its height')
    }
    const apart = states.every((one, i) =>
      states.every((other, j) => i === j || Math.abs(one.y - other.y) > 30 || Math.abs(one.x - other.x) > 60),
    )
    assert.ok(apart, 'no two states lie on each other')
    const broken = { ...gmp, states: gmp.states.filter(({ name }) => name !== 'approved') }
    assert.equal(draw(broken).ways.length, 9)
    assert.deepEqual([draw({ states: [], transitions: [] }).ways, pathOf([]), headOf([])], [[], '', ''])
  })
})

describe('addresses and values', () => {
  it('leave out what makes no sense', () => {
    assert.deepEqual(workflowsSearch({ q: 'gmp', sort: 'colour:asc', page: '-1' }), { q: 'gmp' })
    assert.deepEqual([workflowSearch({ tab: 'try' }), workflowSearch({ tab: 'x' })], [{ tab: 'try' }, {}])
  })

  it('are said without how they are stored', () => {
    const reading = {
      w: {
        ...{ nothing: '—', yes: 'Yes', no: 'No', parts: {}, values: { none: 'None' } },
        minimum: (people: number, isSigned: boolean) => `${people}${isSigned ? ' signed' : ''}`,
        section: (title: string, fields: string) => `${title}: ${fields}`,
      },
      permissionOf: (name: string) => `right ${name}`,
      patternOf: (pattern: string) => pattern.replace('{year}', '{Jahr}'),
      programs: { 4: 'TRN-0004 Gowning' },
    }
    assert.equal(inWords('number_pattern', 'SOP-{year}-{0000}', reading), 'SOP-{Jahr}-{0000}')
    assert.equal(
      inWords('minimum_approval', { people: 2, signature: true, author_excluded: false }, reading),
      '2 signed',
    )
    assert.equal(inWords('workflow_template', { id: 3, name: 'GMP' }, reading), 'GMP')
    assert.deepEqual(
      [inWords('x', null, reading), inWords('x', false, reading), inWords('g', 'none', reading)],
      ['—', 'No', 'None'],
    )
    assert.deepEqual(itemsInWords('signing_program_ids', [4], reading), ['TRN-0004 Gowning'])
    assert.deepEqual(itemsInWords('granted', ['capa.read'], reading), ['right capa.read'])
    const sections = [{ key: 'a', title: 'Cold store', fields: [{ key: 'b', label: 'Store', type: 'text' }] }]
    assert.deepEqual(itemsInWords('sections', sections, reading), ['Cold store: Store (type: text)'])
    const otherwise = [{ ...sections[0], key: 'z' }]
    assert.deepEqual(changedItems('sections', sections, otherwise, reading), ['Cold store: Store (type: text)'])
    assert.deepEqual(changedItems('sections', sections, sections, reading), [])
    assert.deepEqual(beyond(['a', 'b'], ['b']), ['a'])
  })
})
