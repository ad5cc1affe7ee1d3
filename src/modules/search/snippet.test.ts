import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { marksOf } from './snippet.ts'
import type { SearchedWord } from './terms.ts'

const word = (any: string): SearchedWord => ({
  ...{ any, typed: [any], other: [], prefix: [], is_asked: true, share: null, text: '', can_be_mistyped: false },
})

// proves: SRCH-01
describe('a snippet', () => {
  it('marks the words that have a found stem, by the positions of the index', () => {
    const mark = marksOf([word("('polici')"), word("('clean' <-> 'line')")])
    const vector = "'clean':2,6 'cleaned':6 'cleaning':2 'is':5 'line':3 'lines':3 'policies':1 'polici':1 'was':4"
    assert.equal(
      mark('Policies: cleaning lines was is cleaned', vector),
      '<mark>Policies</mark>: <mark>cleaning</mark> <mark>lines</mark> was is <mark>cleaned</mark>',
    )
  })

  it('marks no word such as "and" beside others', () => {
    const and: SearchedWord = { ...word("'and'"), is_asked: false, share: 'stop' }
    const mark = (words: SearchedWord[]) => marksOf(words)('hood and mask', "'and':2 'hood':1 'mask':3")
    assert.equal(mark([word("'hood'"), and, word("'mask'")]), '<mark>hood</mark> and <mark>mask</mark>')
    assert.equal(mark([{ ...and, is_asked: true, share: null }]), 'hood <mark>and</mark> mask')
  })

  it('takes a position for itself, and not for the beginning of another', () => {
    const mark = marksOf([word("'one'")])
    assert.equal(mark('one two three', "'one':1 'two':12 'three':21,31"), '<mark>one</mark> two three')
  })

  it('marks words with accents and letters of their own, and not parts of words', () => {
    const mark = marksOf([word("'ruckstand' | 'mass'")])
    const vector = "'ruckstand':1 'ruckstande':1 'mass':2 'masse':4"
    assert.equal(mark('Rückstände, Maß und Masse', vector), '<mark>Rückstände</mark>, <mark>Maß</mark> und Masse')
  })

  it('marks words that begin so, and numbers with their point', () => {
    const mark = marksOf([word("'calib':*"), word("'1.3'")])
    const vector = "'at':2 'calibration':1 'calibr':1 '1.3':3 '3':4"
    assert.equal(mark('Calibration at 1.3 3', vector), '<mark>Calibration</mark> at <mark>1.3</mark> 3')
  })

  it('marks nothing for the beginning of every word', () => {
    assert.equal(marksOf([word("'':*")])('one two', "'one':1 'two':2"), 'one two')
  })

  it('escapes the text', () => {
    assert.equal(marksOf([word("'b'")])('<a> & "b"', "'a':1 'b':2"), '&lt;a&gt; &amp; &quot;<mark>b</mark>&quot;')
  })

  it('has the two parts with the most different words, in the order of the text', () => {
    const filler = (count: number) => Array.from({ length: count }, () => 'x').join(' ')
    const body = `steam ${filler(80)} steam air ${filler(80)} water ${filler(80)}`
    const html = marksOf([word("'steam'"), word("'air'"), word("'water'")])(body, "'air':84 'steam':1,83 'water':165")
    assert.match(html, /^x .*<mark>steam<\/mark> <mark>air<\/mark> .* … .*<mark>water<\/mark> .* x$/)
    assert.equal(html.replace(' …', '').split(' ').length, 64)
  })

  it('is the beginning of a text that was found by its title', () => {
    assert.equal(marksOf([word("'steam'")])('Nothing of it is here', "'noth':1"), 'Nothing of it is here')
  })
})
