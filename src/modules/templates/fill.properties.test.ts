// Whatever people type into a template stays what they typed.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Flow, mapRuns } from '#platform/markdown/flow.ts'
import { lexMarkdown } from '#platform/markdown/lex.ts'
import { withGlyphs } from '#platform/pdf/fonts.ts'
import { openPdfRenderer } from '#platform/pdf/rendition.ts'
import { pagesOf } from '#test/builders/pdf.ts'
import { makePdfHere } from '#test/world/make-pdf.ts'
import { type Filled, fillMarkdown } from './escape.ts'
import { flowOf } from './fill.ts'
import { markedBody, piecesOf } from './placeholders.ts'
import { checkValue, paragraphsOf } from './values.ts'

/** The same numbers for the same seed, so that what fails fails again. */
function chance(seed: number) {
  let state = seed
  const next = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
  return {
    below: (end: number) => Math.floor(next() * end),
    of: <T>(all: readonly T[]) => all[Math.floor(next() * all.length)]!,
  }
}
type Chance = ReturnType<typeof chance>

const hostile = [
  ...[
    '# x',
    '## x',
    '- x',
    '* x',
    '+ x',
    '1. x',
    '1) x',
    '1',
    '12',
    '1.',
    '> x',
    '|',
    'a | b',
    '|---|',
    '---',
    '===',
    '***',
    '___',
  ],
  ...[
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '</td>',
    '<!-- x',
    '&lt;b&gt;',
    '&#60;',
    '&amp',
    '&',
  ],
  ...[
    '[x](http://evil.example)',
    '![x](y)',
    '[x]: http://evil.example',
    '(http://evil.example)',
    '[x]',
    ']',
    '[',
    'x',
    '()',
  ],
  ...[
    'http://evil.example',
    'https://evil.example/?a=b',
    'www.evil.example',
    'w',
    'ww',
    '.evil.example',
    'http',
    '://evil',
    'a@b.example',
    '@b.example',
  ],
  ...[
    '`x`',
    '```',
    '~~~',
    '~~x~~',
    '**x**',
    '*',
    '_',
    '__x__',
    '*a',
    'b*',
    '\\',
    '\\\\',
    '\\*',
    '\\|',
    'C:\\temp\\',
    '{{other}}',
    '{{',
    '}}',
  ],
  ...[
    '    indented',
    '\tx',
    'a  b',
    'ends  ',
    '!',
    'Great!',
    '-5',
    '0.5',
    '50 °C ± 2 °C',
    'ISO 13485:2016',
    'Ünïcödé',
    '日本',
    '\u202e',
    ':',
    '=',
    '$x$',
    '^',
    '"',
    "'",
  ],
]
const words = ['Cleaning', 'of', 'the', 'blender', 'PB-02,', 'twice', 'a', 'day.', '10', '%']

function line(c: Chance): string {
  const parts = Array.from({ length: 1 + c.below(4) }, () => (c.below(3) === 0 ? c.of(words) : c.of(hostile)))
  const text = parts
    .join(c.of(['', ' ', ' ']))
    .trim()
    .replaceAll('\t', ' ')
  return text === '' || checkValue({ type: 'text', options: null }, text) ? 'x' : text
}
const longText = (c: Chance) =>
  Array.from({ length: 1 + c.below(6) }, () => line(c) + c.of(['\n', '\n\n', '\r\n', '\n \n\t\n'])).join('')

/** Blocks with a place for a value in each; those of one line are called v0, v1, … and the long ones l0, l1, … */
function template(c: Chance) {
  let [lines, longs] = [0, 0]
  const v = () => `{{v${lines++}}}`
  const block = () => {
    switch (c.below(14)) {
      case 0:
        return `# ${v()}`
      case 1:
        return `## Head ${v()} end`
      case 2:
        return `{{l${longs++}}}`
      case 3:
        return `- ${v()}\n- x ${v()}\n  1. ${v()}. x\n  2. y`
      case 4:
        return `> ${v()}\n> ${v()}`
      case 5:
        return `| ${v()} | b |\n|---|---|\n| ${v()} | x${v()}y |\n|${v()}|${v()}${v()}|`
      case 6:
        return `**${v()}** and *${v()}* or ~~${v()}~~`
      case 7:
        return `${v()}\n===\n\n${v()}`
      case 8:
        return `${v()}. x ${v()}) y (${v()}): [${v()}] ${v()}://x ${v()}@b.example [see]${v()}`
      case 9:
        return `[fine](http://fine.example)${v()} & ${v()} &${v()}; \\{{not}} <b>raw</b>`
      case 10:
        return `${v()}${v()}${v()}. x`
      case 11:
        return `- [${v()}] x\n- [ ] ${v()}`
      case 12:
        return `1. ${v()}\n\n   ${v()}`
      default:
        return `x\n${v()}\ny ${v()}\nz`
    }
  }
  const body = Array.from({ length: 1 + c.below(8) }, block).join('\n\n')
  return { body, lines, longs }
}

const textsOf = (flow: readonly Flow[]) => {
  const all: string[] = []
  mapRuns(flow, ({ text }) => {
    all.push(text)
    return []
  })
  return all.join(' ')
}

describe('a content template filled in (proves: TMPL-01)', () => {
  it('is the same text as Markdown and on paper, and no value becomes a heading, a list, a table, a link or HTML', () => {
    for (let seed = 1; seed <= 4_000; seed++) {
      const c = chance(seed)
      const { body, lines, longs } = template(c)
      const filled = new Map<string, Filled>()
      for (let i = 0; i < lines; i++) filled.set(`v${i}`, [[line(c)]])
      for (let i = 0; i < longs; i++) {
        const paragraphs = paragraphsOf(longText(c))
        filled.set(`l${i}`, paragraphs.length > 0 ? paragraphs : [['x']])
      }
      const { pieces, issues } = piecesOf(body)
      assert.deepEqual(issues, [], body)
      const filledOf = (name: string) => filled.get(name)!
      const filling = { filledOf, missing: [], builtins: {} as never }
      const onPaper = flowOf(lexMarkdown(markedBody(pieces)), pieces, filling)
      const content = fillMarkdown(pieces, filledOf)
      assert.deepEqual(lexMarkdown(content), onPaper, `seed ${seed}\n${body}\n-----\n${content}`)
      const all = textsOf(onPaper)
      for (const paragraphs of filled.values())
        for (const each of paragraphs.flat()) assert.ok(all.includes(each), `seed ${seed}: ${each}`)
    }
  })

  it('has every value on its pages, letter by letter', async () => {
    const works = openPdfRenderer({ make: makePdfHere })
    const bare = (text: string) => withGlyphs(text.replace(/\s+/g, ''), 'regular')
    for (let seed = 1; seed <= 12; seed++) {
      const c = chance(seed * 7_919)
      const all = Array.from({ length: 40 }, () => template(c))
      let names = 0
      const body = all
        .map(({ body }) => body.replace(/\{\{([vl])\d+\}\}/g, (_, kind) => `{{${kind}${names++}}}`))
        .join('\n\n')
      const { pieces } = piecesOf(body)
      const filled = new Map<string, Filled>()
      for (const piece of pieces)
        if ('name' in piece)
          filled.set(piece.name, [
            [
              piece.name.startsWith('l')
                ? paragraphsOf(`${longText(c)}x`)
                    .flat()
                    .join(' ')
                : line(c),
            ],
          ])
      const flow = flowOf(lexMarkdown(markedBody(pieces)), pieces, {
        filledOf: name => filled.get(name)!,
        missing: [],
        builtins: {} as never,
      })
      const { bytes, pages } = await works.write({
        blocks: [{ kind: 'flow', flow }],
        info: { title: 'x', subject: 'x', author: 'x', created_at: '2026-01-01T00:00:00Z' },
      })
      assert.ok(pages > 1)
      const text = (await pagesOf(bytes)).join('').replace(/\s+/g, '')
      for (const [name, [[value]]] of filled as Map<string, [[string]]>)
        assert.ok(text.includes(bare(value)), `seed ${seed}, ${name}: ${value}`)
    }
  })
})
