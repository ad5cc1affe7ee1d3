import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attemptsLeft, openStates, transitionAfter } from './rules.ts'

it('a training is open until it is done or given up, and leaves one attempt at least while it is', () => {
  assert.deepEqual(openStates, ['assigned', 'in_progress'])
  assert.deepEqual(
    [0, 2, 3, 5].map(attempts => attemptsLeft({ max_attempts: 3 }, attempts)),
    [3, 1, 1, 1],
  )
})

describe('the result of an attempt', () => {
  const quiz = { passing_score: 80, max_attempts: 3 }
  const after = (
    score: number | null,
    attempts: number,
    state: Parameters<typeof transitionAfter>[0] = 'in_progress',
  ) => transitionAfter(state, { score, attempts }, score === null ? undefined : quiz)?.name

  it('completes a training without questions, or with the passing score', () => {
    assert.deepEqual([after(null, 0), after(null, 0, 'assigned')], ['complete', 'complete'])
    assert.deepEqual([after(80, 1), after(80, 1, 'assigned'), after(100, 3)], ['complete', 'complete', 'complete'])
  })

  it('fails it below the passing score at the last attempt, and only then', () => {
    assert.deepEqual([after(79, 1), after(79, 2), after(79, 3), after(0, 4)], [undefined, undefined, 'fail', 'fail'])
  })

  it('changes nothing that is over', () => {
    for (const state of ['completed', 'failed', 'waived', 'cancelled'] as const)
      assert.deepEqual([after(100, 1, state), after(0, 3, state)], [undefined, undefined])
  })
})
