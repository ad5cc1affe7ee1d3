import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { partsFrom } from './job.ts'

describe('a job that assigns', () => {
  it('takes everybody once, in whatever parts they are', () => {
    const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)
    const parts = [
      { source: 'manual' as const, user_ids: range(1, 3) },
      { source: 'group' as const, source_id: 1, user_ids: [] },
      { source: 'group' as const, source_id: 2, user_ids: range(1000, 450) },
      { source: 'group' as const, source_id: 3, user_ids: range(5000, 7) },
    ]
    const taken: number[] = []
    for (let at = 0; at < 460; ) {
      const some = partsFrom(parts, at).flatMap(({ user_ids }) => user_ids)
      assert.ok(some.length > 0 && some.length <= 200)
      taken.push(...some)
      at += some.length
    }
    assert.deepEqual(
      taken,
      parts.flatMap(({ user_ids }) => user_ids),
    )
    assert.deepEqual(partsFrom(parts, 460), [])
  })
})
