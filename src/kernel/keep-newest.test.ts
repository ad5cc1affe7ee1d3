import assert from 'node:assert/strict'
import { it } from 'node:test'
import { keepNewest } from './keep-newest.ts'

it('forgets the entry that was kept longest ago', () => {
  const map = new Map<string, number>()
  for (const [place, key] of ['a', 'b', 'a', 'c'].entries()) keepNewest(map, key, place, 2)
  assert.deepEqual(
    [...map],
    [
      ['a', 2],
      ['c', 3],
    ],
  )
})
