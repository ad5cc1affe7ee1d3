import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Limit } from './limit.ts'

describe('a limit', () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000)

  it('is reached by each name alone, and ends with its window', () => {
    const limit = new Limit({ most: 2, window_ms: 60_000 })
    assert.deepEqual([limit.count('a', at(0)), limit.secondsLeft('a', at(1))], [false, undefined])
    assert.deepEqual([limit.count('a', at(10)), limit.count('a', at(20))], [true, false])
    assert.deepEqual([limit.secondsLeft('a', at(20)), limit.secondsLeft('b', at(20))], [40, undefined])
    assert.deepEqual([limit.secondsLeft('a', at(60)), limit.count('a', at(60))], [undefined, false])
  })

  it('does not last when the clock is set back', () => {
    const limit = new Limit({ most: 1, window_ms: 60_000 })
    limit.count('a', at(3600))
    assert.equal(limit.secondsLeft('a', at(0)), undefined)
  })

  it('keeps a bounded number of names, and forgets those first that were counted longest ago', () => {
    const limit = new Limit({ most: 1, window_ms: 60_000 })
    for (let name = 0; name <= 50_000; name++) limit.count(String(name), at(0))
    assert.deepEqual([limit.secondsLeft('0', at(1)), limit.secondsLeft('50000', at(1))], [undefined, 59])
  })
})
