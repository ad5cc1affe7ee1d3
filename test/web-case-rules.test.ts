// The pure functions of the pages for deviations and CAPAs.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../web/src/api/problem.ts'
import { readSearch, writeSearch } from '../web/src/app/addresses.ts'
import { filtersOf as capaFilters, capasSearch, newCapaSearch } from '../web/src/features/capa/search.ts'
import { canEdit, changedFrom, type Deviation } from '../web/src/features/deviations/deviation.ts'
import {
  bodyOf,
  decisionOf,
  isForgotten,
  isLate,
  missingIn,
  type Report,
  titleFrom,
} from '../web/src/features/deviations/report.ts'
import { causeOf, fieldsOf, isWhole } from '../web/src/features/deviations/root-cause.ts'
import { deviationsSearch, filtersOf, queryOf } from '../web/src/features/deviations/search.ts'
import { isOffered } from '../web/src/records/allowed.ts'
import { isNarrowed } from '../web/src/records/case/case-list.ts'
import { caseSearch } from '../web/src/records/case/case-search.ts'
import { missingUntil } from '../web/src/records/case/missing.ts'
import { formOf, readForm } from '../web/src/records/forms/form-schema.ts'

const report: Report = {
  ...{ key: 'k', phase: 'writing', description: 'Water under valve V-12. It was cleaned.', title: '', isTitled: false },
  ...{ detected_at: '2026-11-26T08:30', occurred_at: '', department: ' Filling ', category: '', immediate_action: '' },
  ...{ severity: 'minor', severity_reason: '', late_report_reason: '', form: {}, uploads: {} },
  items: [
    { kind: 'batch', identifier: ' LP-1 ' },
    { kind: 'other', identifier: ' ' },
  ],
}
const suggestion = { description: report.description, severity: 'major', by_rules: { severity: 'major' } } as const
const now = new Date('2026-11-26T09:00').getTime()

describe('the addresses of deviations and CAPAs', () => {
  it('hold what the list shows, and leave out what makes no sense', () => {
    const search = {
      severity: ['critical' as const],
      status: ['open' as const],
      mine: true as const,
      from: '2026-01-31',
    }
    assert.deepEqual(deviationsSearch(readSearch(writeSearch(search))), search)
    assert.deepEqual(
      deviationsSearch({ severity: 'worst,minor', from: 'today', sort: 'severity:desc', page: '0', assigned: '7,x' }),
      { severity: ['minor'], sort: 'severity:desc', assigned: [7] },
    )
    assert.deepEqual(filtersOf({ mine: true, unassigned: true, assigned: [4, 17] }, 17).assigned_to, ['none', 17, 4])
    assert.equal('page' in filtersOf(search, 17), false, 'a file has no pages')
    assert.equal(queryOf({ page: 3 }, 17).page, 3)
    assert.ok(isNarrowed(search) && !isNarrowed({ sort: 'number:asc', page: 2 }))
    assert.deepEqual(capasSearch({ priority: 'high,none', type: 'both', unassigned: 'true', sort: 'password:asc' }), {
      ...{ priority: ['high'], type: ['both'], unassigned: true },
    })
    assert.deepEqual(capaFilters({ unassigned: true }, 17).assigned_to, ['none'])
    assert.deepEqual([newCapaSearch({ deviation: '3' }), newCapaSearch({ deviation: '<b>' })], [{ deviation: 3 }, {}])
    assert.deepEqual([caseSearch({ tab: 'history' }), caseSearch({ tab: 'record' })], [{ tab: 'history' }, {}])
  })
})

describe('a report', () => {
  it('is titled by its first sentence until somebody titles it', () => {
    assert.equal(titleFrom(report.description), 'Water under valve V-12')
    assert.equal(titleFrom('One line\nand another'), 'One line')
    const long = titleFrom(`${'very '.repeat(60)}long`)
    assert.ok(long.length <= 122 && long.endsWith(' …'))
    assert.equal(titleFrom('  '), '')
  })

  it('lacks what has to be said, and asks for reasons only where they are needed', () => {
    assert.deepEqual(missingIn(report, undefined, now), [])
    assert.deepEqual(missingIn({ ...report, description: ' ', severity: '' }, undefined, now), [
      ...['description', 'title', 'severity'],
    ])
    assert.deepEqual(missingIn(report, suggestion, now), ['severity_reason'], 'other than the rules suggest')
    const late = { ...report, detected_at: '2026-11-25T08:59' }
    assert.ok(isLate(late.detected_at, now) && !isLate('2026-11-25T09:00', now))
    assert.deepEqual(missingIn(late, undefined, now), ['late_report_reason'])
  })

  it('decides about the suggestion for this very text, and about no other', () => {
    assert.equal(decisionOf(report, suggestion), 'overridden')
    assert.equal(decisionOf({ ...report, severity: 'major' }, suggestion), 'accepted')
    assert.equal(decisionOf({ ...report, description: 'Another' }, suggestion), undefined)
  })

  it('becomes what the service is sent', () => {
    const body = bodyOf(report, suggestion, undefined)
    assert.equal(body.title, 'Water under valve V-12')
    assert.equal(body.department, 'Filling')
    assert.equal(body.detected_at, new Date('2026-11-26T08:30').toISOString())
    assert.deepEqual(body.affected_items, [{ kind: 'batch', identifier: 'LP-1' }])
    assert.equal('category' in body, false)
    assert.equal('form_data' in body, false)
  })

  it('is not sent again once the service no longer knows its key', () => {
    const posted = { phase: 'uncertain', posted_at: 0 } as const
    assert.equal(isForgotten(posted, 46 * 3_600_000), false)
    assert.equal(isForgotten(posted, 48 * 3_600_000), true)
    assert.equal(isForgotten({ ...posted, phase: 'waiting' }, 48 * 3_600_000), false)
  })
})

describe('the form of a company', () => {
  const condition = { if: { properties: { found: { const: 'product' } }, required: ['found'] } }
  const hidden = { properties: { lot: { title: 'Lot', 'x-field-type': 'text' } }, required: ['lot'] }
  const schema = {
    properties: {
      found: { title: 'Found', 'x-field-type': 'select', oneOf: [{ const: 'product', title: 'In the product' }] },
      note: { title: 'Note', 'x-field-type': 'textarea', maxLength: 100 },
    },
    required: ['found'],
    allOf: [Object.fromEntries([...Object.entries(condition), ['then', hidden]])],
    'x-sections': [{ key: 'a', title: 'A', fields: ['found', 'lot', 'note'] }],
  }
  const keysWith = (values: Record<string, unknown>) =>
    formOf(schema, values).flatMap(({ fields }) =>
      fields.map(({ key, isRequired }) => `${key}${isRequired ? '*' : ''}`),
    )

  it('shows a field only under its condition', () => {
    assert.deepEqual(keysWith({}), ['found*', 'note'])
    assert.deepEqual(keysWith({ found: 'product' }), ['found*', 'lot*', 'note'])
  })

  it('sends no value of a field that is hidden or empty', () => {
    const values = { found: 'other', lot: 'L-1', note: ' ' }
    assert.deepEqual(readForm(formOf(schema, values), values), { found: 'other' })
  })
})

describe('a root cause', () => {
  const whys = [
    { why: 'Why did it leak?', because: 'The seal was worn' },
    { why: ' ', because: '' },
  ]
  const fields = { method: 'five_whys', category: 'equipment_failure', summary: ' Worn ', whys, causes: {} } as const

  it('is sent with the steps of its method alone', () => {
    const given = { ...fields, whys: [...whys], causes: { people: [{ cause: 'Nobody looked' }] } }
    assert.deepEqual(causeOf(given), {
      ...{ method: 'five_whys', category: 'equipment_failure', summary: 'Worn', steps: [whys[0]] },
    })
    assert.deepEqual(causeOf({ ...given, method: 'fishbone' }).steps, { people: [{ cause: 'Nobody looked' }] })
    assert.equal('steps' in causeOf({ ...given, method: 'other' }), false)
    assert.deepEqual(fieldsOf(causeOf(given)).whys, [whys[0]])
  })

  it('is whole with all that its method asks for', () => {
    assert.ok(isWhole({ ...fields, whys: [...whys] }))
    assert.ok(!isWhole({ ...fields, whys: [{ why: 'Why?', because: '' }] }))
    assert.ok(!isWhole({ ...fields, whys: [...whys], method: 'fishbone' }))
    assert.ok(isWhole({ ...fields, whys: [], method: 'other' }))
  })
})

describe('what the service refuses', () => {
  const issue = (loc: (string | number)[], msg: string) => ({ loc, msg })
  const issues = [
    issue(['body', 'affected_items', 0, 'identifier'], 'Too long.'),
    issue(['body', 'other'], 'Not known.'),
  ]
  const problem = new Problem(422, { detail: issues })

  it('is said at its field, also of what a field holds, and beside the form where it has no field', () => {
    assert.equal(problem.of('affected_items'), undefined)
    assert.equal(problem.within('affected_items'), 'Too long.')
    assert.equal(problem.beside(['affected_items']), 'Not known.')
    assert.equal(problem.beside(['affected_items', 'other']), undefined)
  })
})

describe('what a person may do', () => {
  const you = {
    may: ['update'],
    why_not: {
      submit: [{ detail: '', code: 'conditions_not_met', params: { missing: ['root_cause'] } }],
      close: [{ detail: '', code: 'conditions_not_met', params: { missing: ['root_cause', 'capa_decided'] } }],
      cancel: [{ detail: '', code: 'permission_required', params: {} }],
    },
  }

  it('is shown where something can change it, and not where the role never does it', () => {
    assert.ok(isOffered(you, 'update') && isOffered(you, 'submit'))
    assert.ok(!isOffered(you, 'cancel') && !isOffered(you, 'reopen'))
    assert.deepEqual(missingUntil(you, 'close', 'submit'), ['root_cause', 'capa_decided'])
  })

  it('depends on the part, the state and the person', () => {
    const of = (
      status: string,
      part: 'report' | 'severity' | 'investigation',
      id: number,
      permissions: string[] = [],
    ) =>
      canEdit({ status, reported_by: { id: 1 }, assigned_to: { id: 2 }, you } as unknown as Deviation, part, {
        id,
        permissions,
      })
    assert.ok(of('open', 'report', 1) && !of('under_investigation', 'report', 1), 'the reporter, while it is open')
    assert.ok(of('under_investigation', 'investigation', 2) && !of('pending_approval', 'investigation', 2))
    assert.ok(!of('open', 'severity', 2) && of('open', 'severity', 3, ['deviations.assess']))
  })

  it('is saved only where it differs', () => {
    assert.deepEqual(changedFrom({ a: 1, b: [1], c: '' }, { a: 1, b: [2], c: '' }), { b: [2] })
  })
})
