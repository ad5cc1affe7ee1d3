// Texts on pages: what was written in Markdown, as a reader of the PDF finds it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pagesOf } from '#test/builders/pdf.ts'
import { makePdfHere } from '#test/world/make-pdf.ts'
import { timed } from '#test/world/steadily.ts'
import { lexMarkdown } from '../markdown/lex.ts'
import { readMarkdown } from '../markdown/read.ts'
import { openPdfRenderer } from './rendition.ts'

const works = openPdfRenderer({ make: makePdfHere })
const write = async (markdown: string) => {
  const { bytes, pages } = await works.write({
    blocks: [{ kind: 'flow', flow: lexMarkdown(markdown) }],
    bands: { head: { left: 'A title', right: 'A template, version 3' }, foot: 'A company' },
    info: { title: 'x', subject: 'x', author: 'x', created_at: '2026-01-01T00:00:00Z' },
  })
  const read = await pagesOf(bytes)
  assert.equal(read.length, pages)
  return read
}
const wordsOf = (count: number, word = 'word') => Array.from({ length: count }, (_, at) => `${word}${at}`)
const bare = (text: string) => text.replace(/\s+/g, '')

describe('a text on pages', () => {
  it('says on each page what it is, and which page', async () => {
    const pages = await write(wordsOf(2_000).join(' '))
    assert.ok(pages.length > 1)
    for (const [at, page] of pages.entries())
      for (const text of ['A title', 'A template, version 3', 'A company', `Page ${at + 1} of ${pages.length}`])
        assert.ok(page.includes(text), page)
  })

  it('has headings, emphasis, lists, quotes, code and links with their words in order, and HTML as it was typed', async () => {
    const [page] = await write(
      '# One\n\nTwo **three** *four* ~~five~~ `six`\\\nseven\n\n- eight\n  1. nine\n  2. ten\n- [ ] eleven\n- [x] twelve\n\n> thirteen\n\n```\nfour teen\n```\n\n---\n\n[fifteen](https://example.com/16) <b>seventeen</b>\n\n<script>alert(18)</script>\n',
    )
    const expected = [
      ...[
        'One',
        'Two three four five six',
        'seven',
        '• eight',
        '1. nine',
        '2. ten',
        '☐ eleven',
        '☑ twelve',
        'thirteen',
      ],
      ...['four teen', 'fifteen (https://example.com/16) <b>seventeen</b>', '<script>alert(18)</script>'],
    ]
    let from = 0
    for (const each of expected) {
      const at = bare(page!).indexOf(bare(each), from)
      assert.ok(at >= from, `${each} in ${page}`)
      from = at
    }
  })

  it('repeats the head of a table on each page that it goes on to, and loses no row', async () => {
    const rows = wordsOf(150, 'row').map(row => `| ${row} | some text about it | |`)
    const pages = await write(['| Number | Text | Signed |', '|---|---|---|', ...rows].join('\n'))
    assert.ok(pages.length >= 3)
    for (const page of pages) assert.match(page, /Number Text Signed/)
    for (const row of wordsOf(150, 'row'))
      assert.ok(
        pages.some(page => page.includes(`${row} `)),
        row,
      )
  })

  it('cuts a cell that is higher than a page between its lines, and breaks a word that is wider than its column', async () => {
    const long = wordsOf(3_000).join(' ')
    const wide = 'w'.repeat(2_000)
    const pages = await write(`| A | B |\n|---|---|\n| ${long} | ${wide} |`)
    assert.ok(pages.length > 2)
    const all = pages.join(' ')
    for (const word of wordsOf(3_000)) assert.ok(all.includes(word), word)
    assert.equal(all.match(/w{2,}/g)?.join('').length, 2_000)
  })

  it('is made of whatever is odd: many columns, empty parts, deep lists, lines without end', async () => {
    const columns = Array.from({ length: 40 }, () => 'x')
    const row = `|${columns.join('|')}|`
    const odd = [
      `${row}\n|${columns.map(() => '---').join('|')}|\n${row}\n|`,
      '-\n-\n\n1.\n',
      '> \n',
      '```\n```',
      '#',
      '- a\n  - b\n    - c\n      - d\n        - e\n          > f\n          > | g |\n          > |---|\n          > | h |',
      'x'.repeat(10_000),
      `\`\`\`\n${'y'.repeat(5_000)}\n\`\`\``,
      '999999999. z',
    ]
    for (const each of odd) assert.ok((await write(each)).length >= 1, each.slice(0, 40))
    assert.equal(
      bare((await write(odd[6]!)).join(''))
        .match(/x{2,}/g)!
        .join('').length,
      10_000,
    )
    assert.ok((await write(odd.join('\n\n'))).length >= 2)
  })

  it('is not read for longer than a text takes, nor deeper than a person would nest it', async () => {
    assert.equal(await readMarkdown(['> '.repeat(40)]), undefined)
    assert.equal(await readMarkdown(['>'.repeat(50_000)]), undefined)
    const [read, taken_ms] = await timed(() =>
      readMarkdown(['_a_'.repeat(60_000)], { longest_ms: 500, most_memory_mb: 256 }),
    )
    assert.equal(read, undefined)
    // Its own work is limited to half a second, which by the clock may be ten times as many.
    assert.ok(taken_ms < 10_000, `${taken_ms} ms`)
    assert.deepEqual(await readMarkdown(['a', '# b']), [
      [{ kind: 'paragraph', runs: [{ text: 'a' }] }],
      [{ kind: 'heading', level: 1, runs: [{ text: 'b' }] }],
    ])
  })
})
