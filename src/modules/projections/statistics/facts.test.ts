// The facts that records are counted by.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { happening, listing, type Measure, readKeywordKey, readListedKey, standing } from '#kernel/measures.ts'
import { type CountedCapa, capaFacts, effectivenessReviewFacts } from './capa-facts.ts'
import { type CountedDeviation, deviationFacts } from './deviation-facts.ts'
import { type CountedDocument, documentFacts } from './document-facts.ts'
import { daysBetween, differingMeasures, type Fact } from './fact.ts'
import { assignmentFacts } from './training-facts.ts'

const document: CountedDocument = {
  created_on: '2026-01-01',
  shown: {
    ...{ document_type_id: 7, status: 'effective', status_kind: 'effective', pending_status: 'in_review' },
    ...{ category: 'Clean rooms - grade A', keywords: ['gown', 'grade A'] },
  },
  versions: [
    {
      change_type: 'major',
      created_on: '2026-01-01',
      submitted_on: '2026-02-27',
      approved_on: '2026-03-02',
      is_pending: false,
      review_due_date: '2028-03-02',
    },
    {
      change_type: 'minor',
      created_on: '2026-04-01',
      submitted_on: '2026-04-02',
      approved_on: null,
      is_pending: true,
      review_due_date: null,
    },
  ],
  rejected_on: ['2026-02-01', '2026-02-01'],
  reviews: [
    { due_date: '2026-05-01', decided_on: '2026-05-01' },
    { due_date: '2026-06-01', decided_on: '2026-06-02' },
    { due_date: null, decided_on: '2026-06-03' },
  ],
}

const closed: CountedDeviation = {
  severity: 'critical',
  category: null,
  root_cause_category: 'training_gap',
  department: 'Filling',
  status: 'closed',
  is_open: false,
  is_late: true,
  detected_on: '2026-02-27',
  reported_on: '2026-03-01',
  closed_on: '2026-04-01',
  due_date: '2026-04-01',
  original_due_date: '2026-03-31',
  extension_count: 1,
  transitions: [{ day: '2026-04-01', transition: 'close' }],
}
const open: CountedDeviation = { ...closed, status: 'open', is_open: true, closed_on: null }

const capa: CountedCapa = {
  type: 'corrective',
  source: 'oos',
  priority: 'high',
  status: 'open',
  is_at_work: true,
  created_on: '2026-01-01',
  approved_on: null,
  closed_on: null,
  due_date: '2026-02-01',
  original_due_date: '2026-02-01',
  extension_count: 1,
  transitions: [],
}
const closedCapa: CountedCapa = {
  ...capa,
  status: 'closed',
  is_at_work: false,
  closed_on: '2026-01-31',
  transitions: [
    { day: '2026-01-20', transition: 'not_effective' },
    { day: '2026-01-31', transition: 'close' },
  ],
}

const assignment = {
  is_open: false,
  assigned_on: '2026-01-01',
  completed_on: '2026-01-03',
  due_date: '2026-01-02',
  first_attempt: { submitted_on: '2026-01-02', passed: false },
}

const of = (facts: Fact[], measure: Measure) => facts.filter(([its]) => its === measure).map(([, ...rest]) => rest)

describe('the facts of records (proves: DASH-05)', () => {
  it('of a document are those of its versions, rejections and reviews, and of the version that is shown', () => {
    const facts = documentFacts(document)
    assert.deepEqual(of(facts, 'documents.shown'), [[null, '7 effective']])
    assert.deepEqual(of(facts, 'versions.created'), [
      ['2026-01-01', 'major'],
      ['2026-04-01', 'minor'],
    ])
    assert.deepEqual(of(facts, 'versions.approved'), [['2026-03-02', '3']])
    assert.deepEqual(of(facts, 'versions.pending'), [['2026-04-02', '']])
    assert.deepEqual(of(facts, 'versions.review_due'), [['2028-03-02', '']])
    assert.equal(of(facts, 'rounds.rejected').length, 2)
    assert.deepEqual(of(facts, 'reviews.done'), [
      ['2026-05-01', 'on_time'],
      ['2026-06-01', 'late'],
    ])
    const [first, second] = document.versions
    const unsubmitted = { ...second!, submitted_on: null }
    assert.deepEqual(of(documentFacts({ ...document, versions: [unsubmitted] }), 'versions.pending'), [
      ['2026-04-01', ''],
    ])
    const imported = { ...first!, submitted_on: null }
    assert.deepEqual(of(documentFacts({ ...document, versions: [imported] }), 'versions.approved'), [])
    assert.deepEqual(of(documentFacts({ ...document, shown: null }), 'documents.kind'), [])
  })

  it('of a document are also what its list is narrowed by, and are read as they were written', () => {
    const { keywords, ...shown } = document.shown!
    const facts = documentFacts(document)
    assert.deepEqual(of(facts, 'documents.listed'), [[null, 'effective effective in_review 7 Clean rooms - grade A']])
    assert.deepEqual(
      of(facts, 'documents.keyword').map(([, key]) => readKeywordKey(key)),
      keywords.map(keyword => ({ status_kind: 'effective', keyword })),
    )
    for (const category of [shown.category, null, '', ' ', 'A  B', '-', '7'])
      for (const pending_status of [null, 'draft']) {
        const listed = { ...shown, category, pending_status }
        const [[, key]] = of(documentFacts({ ...document, shown: { ...listed, keywords } }), 'documents.listed') as [
          [null, string],
        ]
        assert.deepEqual(readListedKey(key), listed)
      }
    assert.deepEqual(of(documentFacts({ ...document, shown: null }), 'documents.listed'), [])
  })

  it('of a deviation are by the day of its report and of its closure', () => {
    const facts = deviationFacts(closed)
    assert.deepEqual(of(facts, 'deviations.opened.category'), [['2026-03-01', '']])
    assert.deepEqual(of(facts, 'deviations.closed'), [['2026-04-01', '33']])
    assert.deepEqual(of(facts, 'deviations.on_time'), [['2026-04-01', 'extended']])
    assert.deepEqual(of(facts, 'deviations.open'), [])
    const early = deviationFacts({ ...closed, closed_on: '2026-03-31', is_late: false, extension_count: 0 })
    assert.deepEqual(of(early, 'deviations.on_time'), [
      ['2026-03-31', 'original'],
      ['2026-03-31', 'extended'],
    ])
    assert.deepEqual([of(early, 'deviations.late'), of(early, 'deviations.extended')], [[], []])
    assert.deepEqual(of(deviationFacts(open), 'deviations.open'), [['2026-04-01', 'critical']])
    assert.deepEqual(of(deviationFacts(open), 'deviations.closed'), [])
  })

  it('of a CAPA are by the day of its making, approval and closure, and of a draft none of open work', () => {
    assert.deepEqual(of(capaFacts(closedCapa), 'capas.closed'), [['2026-01-31', '30']])
    assert.deepEqual(of(capaFacts({ ...closedCapa, approved_on: '2026-01-30' }), 'capas.closed'), [['2026-01-31', '1']])
    assert.deepEqual(of(capaFacts(closedCapa), 'capas.on_time').length, 2)
    assert.deepEqual(of(capaFacts(capa), 'capas.open.priority'), [['2026-02-01', 'high']])
    assert.deepEqual(of(capaFacts({ ...capa, is_at_work: false }), 'capas.open.source'), [])
    assert.deepEqual(effectivenessReviewFacts({ completed_on: null, result: null }), [])
  })

  it('of a training are by its assignment, completion and first attempt', () => {
    assert.deepEqual(of(assignmentFacts(assignment), 'assignments.completed'), [['2026-01-03', 'late']])
    const inTime = assignmentFacts({ ...assignment, completed_on: '2026-01-02' })
    assert.deepEqual(of(inTime, 'assignments.completed'), [['2026-01-02', 'on_time']])
    assert.deepEqual(of(assignmentFacts(assignment), 'attempts.first'), [['2026-01-02', 'failed']])
    const untouched = { ...assignment, is_open: true, completed_on: null, first_attempt: null }
    assert.deepEqual(assignmentFacts(untouched), [
      ['assignments.assigned', '2026-01-01', ''],
      ['assignments.open', '2026-01-02', ''],
    ])
  })

  it('are made for every measure that is read', () => {
    const made = [
      ...documentFacts(document),
      ...[closed, open].flatMap(deviationFacts),
      ...[closedCapa, capa].flatMap(capaFacts),
      ...effectivenessReviewFacts({ completed_on: '2026-01-31', result: 'effective' }),
      ...assignmentFacts({ ...assignment, is_open: true }),
    ]
    assert.deepEqual(
      [...new Set(made.map(([measure]) => measure))].sort(),
      [...happening, ...standing, ...listing].sort(),
    )
  })

  it('have a number of days as key, also across a leap day and backwards', () => {
    assert.deepEqual(
      [
        daysBetween('2028-02-28', '2028-03-01'),
        daysBetween('2026-03-01', '2026-02-27'),
        daysBetween('2026-03-01', '2026-03-01'),
      ],
      ['2', '-2', '0'],
    )
  })

  it('differ by the measures of which one list has more', () => {
    const a: Fact = ['capas.status', null, 'open']
    const b: Fact = ['capas.opened', '2026-01-01', 'oos']
    const again: Fact = ['rounds.rejected', '2026-01-01', '']
    assert.deepEqual(differingMeasures([a, b, again], [again, a, b]), [])
    assert.deepEqual(differingMeasures([again, again, a], [again, b]), [
      'rounds.rejected',
      'capas.status',
      'capas.opened',
    ])
  })
})
