import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RateLimit } from './gcra.ts'

// proves: LIM-01
describe('a limit of requests', () => {
  const rate = { per_second: 2, burst: 4 }
  const takeMany = (limit: RateLimit, count: number, now: number, name = 'a') =>
    Array.from({ length: count }, () => limit.take(name, rate, now).isAllowed).filter(Boolean).length

  it('lets the burst pass at once, and then so many in a second', () => {
    const limit = new RateLimit()
    assert.equal(takeMany(limit, 10, 0), 4)
    assert.equal(takeMany(limit, 10, 499), 0)
    assert.equal(takeMany(limit, 10, 500), 1)
    assert.equal(takeMany(limit, 10, 1500), 2)
    // After a long rest it is the burst again, and no more.
    assert.equal(takeMany(limit, 10, 1_000_000), 4)
  })

  it('says how much is left, and when to come again', () => {
    const limit = new RateLimit()
    const rooms = Array.from({ length: 5 }, () => limit.take('a', rate, 0))
    assert.deepEqual(
      rooms.map(({ isAllowed, remaining, retry_seconds, full_seconds }) => [
        ...[isAllowed, remaining, retry_seconds, full_seconds],
      ]),
      [
        [true, 3, 0, 1],
        [true, 2, 0, 1],
        [true, 1, 0, 2],
        [true, 0, 0, 2],
        [false, 0, 1, 2],
      ],
    )
  })

  it('counts each name for itself, and looking counts nothing', () => {
    const limit = new RateLimit()
    assert.equal(takeMany(limit, 10, 0), 4)
    assert.equal(takeMany(limit, 10, 0, 'b'), 4)
    for (let count = 0; count < 10; count++) assert.ok(limit.look('c', rate, 0).isAllowed)
    assert.ok(!limit.look('a', rate, 0).isAllowed)
  })

  it('refuses nobody for long because the clock was set back', () => {
    const limit = new RateLimit()
    assert.equal(takeMany(limit, 10, 10_000_000), 4)
    assert.equal(takeMany(limit, 10, 0), 4)
  })

  it('keeps the names that asked last', () => {
    const limit = new RateLimit(2)
    for (const name of ['a', 'b', 'a']) takeMany(limit, 4, 0, name)
    takeMany(limit, 1, 0, 'c')
    assert.ok(!limit.look('b', rate, 0).isAllowed || limit.look('a', rate, 0).isAllowed)
    assert.equal([limit.look('a', rate, 0), limit.look('b', rate, 0)].filter(room => room.isAllowed).length, 1)
  })
})
