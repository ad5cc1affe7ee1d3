import assert from 'node:assert/strict'
import { it } from 'node:test'
import { keywordsOf, monthsLater, nextLabel } from './rules.ts'

it('a review is due on the same day some months later, or on the last day of a month that is too short', () => {
  for (const [from, months, to] of [
    ['2026-03-15', 24, '2028-03-15'],
    ['2026-12-31', 2, '2027-02-28'],
    ['2027-12-31', 2, '2028-02-29'],
    ['2028-02-29', 12, '2029-02-28'],
    ['2026-10-31', 1, '2026-11-30'],
  ] as const)
    assert.equal(monthsLater(new Date(`${from}T23:59:59Z`), months), to)
})

it('a minor change counts on within the newest whole number, a major one begins the next', () => {
  const labels = [
    { major: 1, minor: 0 },
    { major: 2, minor: 0 },
    { major: 2, minor: 1 },
    { major: 1, minor: 9 },
  ]
  assert.deepEqual(nextLabel(labels, 'minor'), { major: 2, minor: 2 })
  assert.deepEqual(nextLabel(labels, 'major'), { major: 3, minor: 0 })
})

it('keywords are each there once, without the blanks around them', () => {
  assert.deepEqual(keywordsOf([' b', 'a', '', ' ', 'b ', 'B']), ['b', 'a', 'B'])
})
