import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ndcg, recall } from '../bench/search-set/measures.ts'
import { documents, held_out, queries, withNumbers } from '../bench/search-set/read.ts'

describe('what the quality of the search is measured with', () => {
  const grades = new Map([
    ['a', 3],
    ['b', 2],
    ['c', 1],
  ])

  it('counts the best order as 1, and one without an answer as 0', () => {
    assert.equal(ndcg(['a', 'b', 'c', 'x'], grades, 10), 1)
    assert.equal(ndcg(['x', 'y'], grades, 10), 0)
    assert.equal(ndcg([], grades, 10), 0)
  })

  it('counts a better answer more, and higher up more', () => {
    // By hand: best = 7 + 3/log2(3) + 1/2 = 9.3928; the other way round 1 + 3/1.58496 + 7/2 = 6.3928.
    assert.ok(Math.abs(ndcg(['c', 'b', 'a'], grades, 10) - 6.3928 / 9.3928) < 1e-4)
    // a in the second place alone: 7/1.58496 = 4.4165.
    assert.ok(Math.abs(ndcg(['x', 'a'], grades, 10) - 4.4165 / 9.3928) < 1e-4)
    // For the first two alone: best = 7 + 1.8928, found 3.
    assert.ok(Math.abs(ndcg(['b', 'x', 'a'], grades, 2) - 3 / 8.8928) < 1e-4)
  })

  it('counts as found what answers at least a part', () => {
    assert.equal(recall(['c', 'b'], grades, 20), 0.5)
    assert.equal(recall(['x', 'a', 'b'], grades, 2), 0.5)
    assert.equal(recall(['a', 'b'], grades, 20), 1)
  })

  it('has documents and queries enough, every grade of one that is there, and a third set aside', () => {
    assert.ok(documents.length >= 60)
    assert.ok(queries.length >= 120)
    assert.equal(new Set(queries.map(({ text }) => text)).size, queries.length)
    const keys = new Set(documents.map(({ key }) => key))
    for (const { text, grades } of queries) {
      for (const [key, grade] of grades) {
        assert.ok(keys.has(key), `${text}: ${key}`)
        assert.ok([1, 2, 3].includes(grade), `${text}: ${key}`)
      }
      assert.ok(recall([...grades.keys()], grades, 20) === 1, `${text}: nothing answers it`)
    }
    assert.ok(held_out.size >= 40)
  })

  it('writes the numbers of documents as people type them', () => {
    assert.equal(
      withNumbers('{oos} or {media-fill loose}', key => (key === 'oos' ? 'SOP-0012' : 'VP-0003')),
      'SOP-0012 or vp 3',
    )
  })
})
