import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cite, supportOf } from './citations.ts'
import type { Source } from './sources.ts'

const source = (mark: number, text: string): Source => ({
  mark,
  document_id: mark * 10,
  number: `SOP-000${mark}`,
  title: 'Gowning',
  version: '1.0',
  version_id: mark * 100,
  page: mark,
  heading: null,
  text,
})
const gowning = source(
  1,
  'Purpose of this procedure.\n\nGloves are changed every two hours. The hood covers all hair. Waste goes into the red bin.',
)
const cleaning = source(2, 'Floors are cleaned with disinfectant A on Mondays. Residues above 10 ppm are a deviation.')

describe('a citation (proves: AI-01)', () => {
  it('quotes of its source the sentence that the statement is about, as it stands there', () => {
    const { text, citations } = cite(
      'You change the gloves every two hours [1]. Residues of more than 10 ppm are a deviation. [2]',
      [gowning, cleaning],
    )
    assert.equal(text, 'You change the gloves every two hours [1]. Residues of more than 10 ppm are a deviation. [2]')
    assert.deepEqual(
      citations.map(({ mark, document_id, number, version, page, quote }) => ({
        mark,
        document_id,
        number,
        version,
        page,
        quote,
      })),
      [
        {
          mark: 1,
          document_id: 10,
          number: 'SOP-0001',
          version: '1.0',
          page: 1,
          quote: 'Gloves are changed every two hours.',
        },
        {
          mark: 2,
          document_id: 20,
          number: 'SOP-0002',
          version: '1.0',
          page: 2,
          quote: 'Residues above 10 ppm are a deviation.',
        },
      ],
    )
    for (const { mark, quote } of citations) assert.ok([gowning, cleaning][mark - 1]!.text.includes(quote))
  })

  it('names a source that was sent, or is not there', () => {
    const { text, citations } = cite('Gloves are changed every two hours [1][7], and so on [9, 1].', [gowning])
    assert.equal(text, 'Gloves are changed every two hours [1], and so on [1].')
    assert.deepEqual(
      citations.map(({ mark }) => mark),
      [1],
    )
  })

  it('is not there where its source has nothing in common with the statement', () => {
    const { text, citations } = cite('Paris is the capital of France [2].', [gowning, cleaning])
    assert.equal(text, 'Paris is the capital of France.')
    assert.deepEqual(citations, [])
  })

  it('quotes what stands in the source, whatever the model claims to quote', () => {
    const { citations } = cite('“Gloves are never changed” [1]', [gowning])
    assert.equal(citations[0]!.quote, 'Gloves are changed every two hours.')
  })

  it('of a long sentence is no more than can be read at a glance, and still stands in the source', () => {
    const long = source(1, `Gloves ${'are inspected and then '.repeat(100)}changed.`)
    const [citation] = cite('Gloves are inspected [1]', [long]).citations
    assert.ok(citation!.quote.length <= 400 && long.text.includes(citation!.quote))
  })

  it('is found in scripts without blanks between words', () => {
    assert.equal(
      supportOf('手袋は二時間ごとに交換する。床は月曜日に清掃する。', '手袋は二時間ごとに交換します') !== undefined,
      true,
    )
    assert.equal(supportOf('手袋は交換する。', 'Paris is a city'), undefined)
  })
})
