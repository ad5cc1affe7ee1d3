import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chunksOf, noticeAfter, renewalOn } from './rules.ts'

describe('the days on which somebody is told of a training', () => {
  it('are a week and a day before it is due, the day after, and weekly four times more', () => {
    const days: (string | null)[] = ['2026-03-01']
    while (days.at(-1) !== null) days.push(noticeAfter(days.at(-1)!, '2026-03-20'))
    assert.deepEqual(days.slice(1), [
      '2026-03-13',
      '2026-03-19',
      '2026-03-21',
      '2026-03-28',
      '2026-04-04',
      '2026-04-11',
      '2026-04-18',
      null,
    ])
  })
  it('never include the one on which it is assigned', () => {
    assert.equal(noticeAfter('2026-03-19', '2026-03-20'), '2026-03-21')
    assert.equal(noticeAfter('2026-03-20', '2026-03-20'), '2026-03-21')
  })
  it('are 30 days ahead of the end of a qualification, or half of a short one', () => {
    assert.equal(renewalOn('2026-01-01', '2027-01-01'), '2026-12-02')
    assert.equal(renewalOn('2026-01-01', '2026-02-01'), '2026-01-17')
  })
})

it('people are taken in parts of a size, each once and the last part as long as it is', () => {
  assert.deepEqual(chunksOf([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]])
  assert.deepEqual(chunksOf([1, 2], 2), [[1, 2]])
  assert.deepEqual(chunksOf([], 2), [])
})
