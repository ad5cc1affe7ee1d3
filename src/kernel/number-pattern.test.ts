// Patterns of numbers, by chance. proves: TYPE-01
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { hasDepartment, isNumberPattern, numberIn, placeOf, seriesOf, sharesNumbers } from './number-pattern.ts'

const code = fc.stringMatching(/^[A-Z][A-Z0-9]{0,3}$/)
const first = fc.oneof(fc.constantFrom('A', 'AB', '{department}'), code)
const part = fc.oneof(fc.constantFrom('A', '1', '2026', '{department}', '{year}'), code)
const separator = fc.constantFrom('-', '.', '_')
const digits = fc.integer({ min: 2, max: 8 }).map(width => `{${'0'.repeat(width)}}`)
const pattern = fc
  .tuple(first, fc.array(fc.tuple(separator, part), { maxLength: 3 }), separator, digits)
  .map(([begin, middle, last, end]) => begin + middle.flat().join('') + last + end)
const facts = fc.record({
  today: fc.constantFrom('2026-01-01', '2027-12-31', '0001-05-05'),
  department: fc.oneof(fc.constantFrom('A', 'AB'), code),
})
const position = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 2_000_000_000 }))

describe('a pattern of numbers', () => {
  it('is told from other texts', () => {
    for (const text of ['SOP-{0000}', 'SOP-{department}-{year}-{0000}', '{department}.SOP_7.{00}'])
      assert.ok(isNumberPattern(text), text)
    for (const text of [
      ...[
        '',
        'SOP',
        'SOP{0000}',
        'SOP-{0}',
        'SOP-{000000000}',
        'sop-{0000}',
        '1-{0000}',
        '{year}-{0000}',
        'SOP--{0000}',
      ],
      ...['SOP-{0000}-A', 'SOP-{month}-{0000}', 'SOP-{0000}\n', 'SOP/{0000}', `${'ABC-'.repeat(15)}{0000}`],
    ])
      assert.equal(isNumberPattern(text), false, text)
  })

  it('gives numbers from which series and place are read again', () => {
    fc.assert(
      fc.property(pattern, facts, position, (number_pattern, given, place) => {
        assert.ok(isNumberPattern(number_pattern))
        const series = seriesOf({ number_pattern }, given)
        assert.deepEqual(placeOf(numberIn(series, place)), { series: series.name, position: place })
      }),
      { numRuns: 2000 },
    )
  })

  it('says that it shares numbers with another whenever one number is written by both', () => {
    fc.assert(
      fc.property(pattern, facts, position, pattern, facts, position, (a, ofA, at, b, ofB, place) => {
        const numberOf = (number_pattern: string, given: typeof ofA, where: number) =>
          numberIn(seriesOf({ number_pattern }, given), where)
        if (numberOf(a, ofA, at) === numberOf(b, ofB, place)) assert.ok(sharesNumbers(a, b), `${a} and ${b}`)
        assert.equal(sharesNumbers(a, b), sharesNumbers(b, a))
        assert.ok(sharesNumbers(a, a))
      }),
      { numRuns: 5000 },
    )
  })

  it('does not say so of patterns that never meet', () => {
    const department = hasDepartment('SOP-{department}-{0000}')
    assert.ok(department)
    for (const [a, b] of [
      ['SOP-{0000}', 'SOP-{year}-{0000}'],
      ['SOP-{year}-{0000}', 'SOP-{department}-{0000}'],
      ['SOP-{0000}', 'SOP.{0000}'],
      ['DEV-{year}-{0000}', 'DEV-26-{0000}'],
      ['A-{department}-{0000}', 'B-{department}-{0000}'],
    ] as const)
      assert.equal(sharesNumbers(a, b), false, `${a} and ${b}`)
  })
})

describe('a text that no pattern writes', () => {
  it('has no place in a series', () => {
    for (const text of ['SOP', 'SOP 12', '12', 'sop-12', 'SOP-12a', 'SOP-1234567890123456'])
      assert.equal(placeOf(text), undefined, text)
  })
})
