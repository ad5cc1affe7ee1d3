import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { circleOf, type OrderedPrograms } from './rules.ts'

const curriculum = (name: string, ...programs: (number | [number])[]): OrderedPrograms => ({
  name,
  programs: programs.map(each =>
    typeof each === 'number'
      ? { training_id: each, is_prerequisite: false }
      : { training_id: each[0], is_prerequisite: true },
  ),
})

const stepsOf = (...curricula: OrderedPrograms[]) =>
  circleOf(curricula)!.map(({ first, second, curriculum }) => `${first} before ${second} in ${curriculum}`)

describe('the orders of curricula', () => {
  it('can be kept where nothing stands before itself', () => {
    assert.equal(circleOf([]), undefined)
    assert.equal(circleOf([curriculum('A', [1], [2], 3), curriculum('B', [1], 3, 2)]), undefined)
    // Without a prerequisite an order asks for nothing.
    assert.equal(circleOf([curriculum('A', 1, 2), curriculum('B', 2, 1)]), undefined)
  })

  it('are named with the way from a program back to itself where one would wait for itself', () => {
    assert.deepEqual(stepsOf(curriculum('A', [1], 2), curriculum('B', [2], 3), curriculum('C', [4], [3], 1)), [
      '1 before 2 in A',
      '2 before 3 in B',
      '3 before 1 in C',
    ])
  })

  it('are named without the way that leads to the circle, and wherever the circle is', () => {
    const circle = [curriculum('B', [2], 3), curriculum('C', [3], 2)]
    assert.deepEqual(stepsOf(curriculum('A', [1], 2), ...circle), ['2 before 3 in B', '3 before 2 in C'])
    assert.deepEqual(stepsOf(curriculum('A', [9], 8), ...circle), ['2 before 3 in B', '3 before 2 in C'])
  })

  it('are looked through once, however many ways lead from one program to another', () => {
    const forks = Array.from({ length: 40 }, (_, n) => [3 * n, 3 * n + 1, 3 * n + 2, 3 * n + 3] as const)
    const curricula = forks.flatMap(([from, one, other, to]) => [
      ...[curriculum('A', [from], one), curriculum('B', [from], other)],
      ...[curriculum('C', [one], to), curriculum('D', [other], to)],
    ])
    assert.equal(circleOf(curricula), undefined)
  })

  it('can be kept exactly where there is a sequence that keeps to all of them', () => {
    const orders = fc.array(
      fc
        .tuple(fc.shuffledSubarray([1, 2, 3, 4, 5]), fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }))
        .map(([ids, flags]) => ({
          name: 'one',
          programs: ids.map((training_id, i) => ({ training_id, is_prerequisite: flags[i]! })),
        })),
      { maxLength: 4 },
    )
    /** Takes whatever has nothing left before it, until nothing is left. */
    const canBeKept = (all: OrderedPrograms[]) => {
      const before = all.flatMap(({ programs }) =>
        programs.flatMap(({ training_id }, i) =>
          programs
            .slice(0, i)
            .filter(each => each.is_prerequisite)
            .map(each => [each.training_id, training_id] as const),
        ),
      )
      let left = [1, 2, 3, 4, 5]
      for (;;) {
        const free = left.filter(id => !before.some(([first, second]) => second === id && left.includes(first)))
        if (free.length === 0) return left.length === 0
        left = left.filter(id => !free.includes(id))
      }
    }
    fc.assert(fc.property(orders, all => (circleOf(all) === undefined) === canBeKept(all)))
  })
})
