import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Asked, type Candidate, judge, ranked } from './rules.ts'

const asked = (change: Partial<Asked> = {}): Asked => ({
  ...{ text: 'the seal leaked', title: 'Seal leaked', items: [], category: null, root_cause_category: null },
  ...change,
})
const candidate = (change: Partial<Candidate> = {}): Candidate => ({
  ...{ deviation_id: 1, words: [], text_score: 0, title_score: 0, items: [] },
  ...{ category: null, root_cause_category: null, meaning: null },
  ...change,
})
const all = { items: ['A', 'B'], category: 'process', root_cause_category: 'equipment' }
const scoreOf = (of: Partial<Asked>, found: Partial<Candidate>) => judge(asked(of), candidate(found)).score
const whyOf = (of: Partial<Asked>, found: Partial<Candidate>) =>
  judge(asked(of), candidate(found)).why.map(({ text }) => text)

describe('how alike two deviations are', () => {
  it('is the weighted mean of what they share, in thousandths', () => {
    assert.equal(scoreOf(all, { ...all, text_score: 1, title_score: 1 }), 1)
    assert.equal(scoreOf(all, {}), 0)
    for (const [found, score] of [
      [{ text_score: 1 }, 0.5],
      [{ title_score: 1 }, 0.2],
      [{ items: ['A', 'B'] }, 0.15],
      [{ items: ['A'] }, 0.075],
      [{ category: 'process' }, 0.075],
      [{ root_cause_category: 'equipment' }, 0.075],
      [{ category: 'people', root_cause_category: 'method' }, 0],
      [{ text_score: 0.3333, title_score: 0.5 }, 0.267],
    ] as const)
      assert.equal(scoreOf(all, found as Partial<Candidate>), score)
  })

  it('is not held down by what was not asked for', () => {
    assert.equal(scoreOf({}, { text_score: 1, title_score: 1, ...all }), 1)
    assert.equal(scoreOf({}, { text_score: 1 }), 0.714)
    assert.equal(scoreOf({ category: 'process' }, { text_score: 1, title_score: 1 }), 0.903)
    assert.equal(scoreOf({ root_cause_category: 'equipment' }, { text_score: 1, title_score: 1 }), 0.903)
    assert.equal(scoreOf({ items: ['A'] }, { text_score: 1, title_score: 1 }), 0.824)
  })

  it('counts meaning as much as words where a model knows it, and says by which it was found', () => {
    const near = candidate({ meaning: 1 })
    const { why, ...judged } = judge(asked(), near)
    assert.deepEqual(judged, { score: 0.417, matched: ['semantic'] })
    assert.deepEqual(
      why.map(({ code }) => code),
      ['similar_meaning'],
    )
    assert.deepEqual(judge(asked(), candidate({ meaning: 0, text_score: 1 })).matched, ['text'])
    assert.equal(scoreOf({}, { meaning: 1, text_score: 1, title_score: 1 }), 1)
    assert.ok(scoreOf({}, { meaning: 0.5, text_score: 0.5 }) > scoreOf({}, { meaning: 0, text_score: 0.5 }))
  })

  it('is one at most', () => assert.equal(scoreOf({}, { text_score: 1.4, title_score: 1 }), 1))

  it('is said in words, of which some are named, and of nothing that is not shared', () => {
    assert.deepEqual(whyOf(all, {}), [])
    assert.deepEqual(whyOf({}, { category: null, root_cause_category: null }), [], 'nothing is not shared')
    const words = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
    assert.deepEqual(whyOf(all, { ...all, words, title_score: 0.5 }), [
      'words: a, b, c, d, e, f, g, h',
      'title',
      'item: A',
      'item: B',
      'category: process',
      'root cause: equipment',
    ])
    assert.deepEqual(whyOf(all, { title_score: 0.49, category: 'people', root_cause_category: 'method' }), [])
  })
})

it('the most alike come first, of equals the newer', () => {
  const found = [
    { id: 1, score: 0.5 },
    { id: 2, score: 0.9 },
    { id: 3, score: 0.5 },
  ]
  assert.deepEqual(
    ranked(found).map(({ id }) => id),
    [2, 3, 1],
  )
})
