// The pure functions of comparing and discussing.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compare } from '../web/src/features/documents/compare.ts'
import { chosenVersions, compareSearch } from '../web/src/features/documents/compare-search.ts'
import { documentSearch } from '../web/src/features/documents/document-search.ts'
import { type Passage, passagesOf, type Row, stretchesOf } from '../web/src/features/documents/passages.ts'
import { draftOf, openThreads, quoteIn, threadsOf, whyNotOf } from '../web/src/features/documents/threads.ts'

const passages = (...texts: string[]): Passage[] => texts.map(text => ({ page: null, text }))
/** A row in short: `-five-+ten+`, whole passages too. */
const short = ({ before, after, isChanged }: Row) => {
  const side = (of: Row['before'], mark: string) =>
    of?.parts.map(({ text, isChanged }) => (isChanged ? mark + text + mark : text)).join('') ?? ''
  return isChanged ? `${side(before, '-')}|${side(after, '+')}` : side(before, '-')
}
const textOf = (side: Row['before']) => side!.parts.map(({ text }) => text).join('')

describe('the comparison of two texts (proves: DOC-03)', () => {
  it('says which words went and which came', () => {
    const rows = compare(
      passages('Rinse for five minutes.', 'Dry it.', 'Sign.'),
      passages('Rinse for ten minutes.', 'Dry it.', 'Sign.', 'File the record.'),
    )
    assert.deepEqual(rows.map(short), [
      'Rinse for -five- minutes.|Rinse for +ten+ minutes.',
      'Dry it.',
      'Sign.',
      '|+File the record.+',
    ])
  })

  it('pairs passages that are the same, changed, and no others', () => {
    const rows = compare(
      passages('Open the valve slowly.', 'Something else entirely was here.', 'Close the valve.'),
      passages('A preface of new words.', 'Open the red valve slowly.', 'Close the valve.'),
    )
    assert.deepEqual(rows.map(short), [
      '|+A preface of new words.+',
      'Open the valve slowly.|Open the +red +valve slowly.',
      '-Something else entirely was here.-|',
      'Close the valve.',
    ])
  })

  it('finds the same passages on other pages, and nothing in a text that is the same', () => {
    const before = [1, 1, 2].map((page, at) => ({ page, text: `Step ${at}` }))
    const after = [1, 2, 3].map((page, at) => ({ page, text: `Step ${at}` }))
    const rows = compare(before, after)
    assert.ok(rows.every(({ isChanged }) => !isChanged))
    assert.deepEqual([rows[2]!.before!.page, rows[2]!.after!.page], [2, 3])
  })

  it('loses and invents no word, whatever the texts are', () => {
    const text = fc.array(fc.stringMatching(/^[a-c]{1,2}( [a-c]{1,2}){0,6}\.?$/), { maxLength: 12 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        const rows = compare(passages(...a), passages(...b))
        assert.deepEqual(
          rows.filter(({ before }) => before).map(({ before }) => textOf(before)),
          a,
        )
        assert.deepEqual(
          rows.filter(({ after }) => after).map(({ after }) => textOf(after)),
          b,
        )
        for (const row of rows.filter(({ isChanged }) => !isChanged))
          assert.equal(textOf(row.before), textOf(row.after))
      }),
      { numRuns: 300 },
    )
  })

  it('ends in time for a long text that was written anew', () => {
    const book = (word: string) => passages(...Array.from({ length: 1500 }, (_, n) => `${word} ${n} ${word}${n % 7}`))
    const begun = performance.now()
    assert.equal(compare(book('alpha'), book('beta')).length, 3000)
    assert.ok(performance.now() - begun < 5000)
  })
})

describe('the passages of a text', () => {
  it('are its paragraphs, whatever their lines are, and the sentences of very long ones', () => {
    const sentences = Array.from({ length: 20 }, (_, n) => `In step ${n} the operator rinses the vessel once.`)
    const pages = [
      { number: 1, paragraphs: [{ text: 'Rinse\nthe   vessel.' }, { text: ' \n' }] },
      { number: 2, paragraphs: [{ text: sentences.join(' ') }] },
    ]
    assert.deepEqual(passagesOf(pages), [
      { page: 1, text: 'Rinse the vessel.' },
      ...sentences.map(text => ({ page: 2, text })),
    ])
  })

  it('that are far from each change are folded', () => {
    const rows = Array.from({ length: 30 }, (_, at): Row => {
      const side = { page: null, parts: [{ text: String(at), isChanged: at === 10 }] }
      return { before: side, after: side, isChanged: at === 10 }
    })
    assert.deepEqual(
      stretchesOf(rows).map(({ at, rows, isFolded }) => [at, rows.length, isFolded]),
      [
        [0, 7, true],
        [7, 7, false],
        [14, 16, true],
      ],
    )
    assert.deepEqual(stretchesOf([]), [])
  })
})

describe('addresses', () => {
  it('of a comparison: the versions that are named, or the newest with the one before', () => {
    assert.deepEqual(compareSearch({ from: '1.0', to: '../2' }), { from: '1.0' })
    const labels = ['2.0', '1.1', '1.0']
    assert.deepEqual(chosenVersions(labels, {}), { from: '1.1', to: '2.0' })
    assert.deepEqual(chosenVersions(labels, { to: '1.1' }), { from: '1.0', to: '1.1' })
    assert.deepEqual(chosenVersions(labels, { from: '2.0' }), { from: '2.0', to: '1.1' })
    assert.equal(chosenVersions(['1.0'], {}), undefined)
  })

  it('of a document: a page of its file, and a day or moment', () => {
    assert.deepEqual(documentSearch({ page: '12', as_of: '2026-02-01' }), { page: 12, as_of: '2026-02-01' })
    assert.deepEqual(documentSearch({ page: '0', as_of: 'yesterday' }), {})
    assert.deepEqual(documentSearch({ as_of: '2026-02-01T10:00:00.000Z' }), { as_of: '2026-02-01T10:00:00.000Z' })
  })
})

describe('threads', () => {
  type Given = Parameters<typeof threadsOf>[0][number]
  const comment = (id: number, parent_id: number | null, resolved_at: string | null = null): Given => ({
    ...{ id, document_id: 7, version: '1.0', round: 1, parent_id, text: 'Why?', page: null, quote: null, mentions: [] },
    ...{ replies: 0, created_at: '2026-01-01T00:00:00Z', created_by: { id: 1, username: 'petra', full_name: null } },
    ...{ edited_at: null, resolved_at, resolved_by: null, reply: null },
    you: { may: ['reply'], why_not: { resolve: [{ detail: 'No.', code: 'no', params: {} }] } },
  })

  it('hold their replies, and count as one', () => {
    const given = [comment(1, null), comment(2, null, '2026-01-01'), comment(3, 1), comment(4, 2), comment(5, 1)]
    assert.deepEqual(
      threadsOf(given).map(({ first, replies }) => [first.id, replies.map(({ id }) => id)]),
      [
        [1, [3, 5]],
        [2, [4]],
      ],
    )
    assert.equal(openThreads(given), 1)
    assert.equal(whyNotOf(given[0]!, 'reply'), undefined)
    assert.equal(whyNotOf(given[0]!, 'resolve'), 'No.')
  })

  it('begin at a quote, which is kept as a draft', () => {
    const quote = { page: 3, text: 'Dry it thoroughly.' }
    assert.deepEqual(quoteIn(draftOf(quote)), quote)
    assert.equal(quoteIn(''), undefined)
  })
})
