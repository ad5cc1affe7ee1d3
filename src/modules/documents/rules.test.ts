import assert from 'node:assert/strict'
import { it } from 'node:test'
import { keywordsOf, nextLabel, noticeOf } from './rules.ts'

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

it('a review is told of thirty days ahead, and on its day where that is nearer', () => {
  assert.equal(noticeOf('2026-12-31', '2026-01-01'), '2026-12-01')
  assert.equal(noticeOf('2026-12-31', '2026-11-30'), '2026-12-01')
  assert.equal(noticeOf('2026-12-31', '2026-12-01'), '2026-12-31')
  assert.equal(noticeOf('2026-12-31', '2026-12-30'), '2026-12-31')
})

it('keywords are each there once, without the blanks around them', () => {
  assert.deepEqual(keywordsOf([' b', 'a', '', ' ', 'b ', 'B']), ['b', 'a', 'B'])
})
