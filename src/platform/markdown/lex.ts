import { Lexer, type Token, type Tokens } from 'marked'
import { type Flow, joined, type Run } from './flow.ts'

/** Deeper nesting is refused; nobody reads it. */
const maxLevels = 12

/** Throws the library's errors, and on endless nesting. */
export const lexMarkdown = (text: string): Flow[] => blocksOf(new Lexer({ gfm: true }).lex(text), 0)

function blocksOf(tokens: readonly Token[], level: number): Flow[] {
  if (level > maxLevels) throw new Error(`parts are within parts more than ${maxLevels} times`)
  return (tokens as Tokens.Generic[]).flatMap((token): Flow[] => {
    switch (token.type) {
      case 'heading':
        return [{ kind: 'heading', level: token.depth, runs: inlinesOf(token.tokens) }]
      case 'paragraph':
      case 'text':
        return [{ kind: 'paragraph', runs: inlinesOf(token.tokens ?? [token as Token]) }]
      case 'list':
        return [
          {
            kind: 'list',
            start: token.ordered ? Number(token.start) : null,
            items: (token as Tokens.List).items.map(item => itemOf(item, level)),
          },
        ]
      case 'blockquote':
        return [{ kind: 'quote', flow: blocksOf(token.tokens ?? [], level + 1) }]
      case 'table': {
        const { header, rows } = token as Tokens.Table
        const cell = ({ tokens }: Tokens.TableCell) => inlinesOf(tokens)
        return [{ kind: 'table', head: header.map(cell), rows: rows.map(row => row.map(cell)) }]
      }
      case 'code':
        return [{ kind: 'code', text: token.text }]
      case 'hr':
        return [{ kind: 'rule' }]
      case 'html':
        return [{ kind: 'paragraph', runs: joined([{ text: token.raw.trimEnd(), verbatim: true }]) }]
      default:
        return []
    }
  })
}

function itemOf({ tokens, task, checked }: Tokens.ListItem, level: number): Flow[] {
  const parts = blocksOf(
    tokens.filter(({ type }) => type !== 'checkbox'),
    level + 1,
  )
  if (!task) return parts
  const box: Run = { text: checked ? '☑ ' : '☐ ' }
  const [first, ...rest] = parts
  return first?.kind === 'paragraph'
    ? [{ ...first, runs: joined([box, ...first.runs]) }, ...rest]
    : [{ kind: 'paragraph', runs: [box] }, ...parts]
}

type Look = Omit<Run, 'text'>

function inlinesOf(tokens: readonly Token[] | undefined, look: Look = {}): Run[] {
  return joined(((tokens ?? []) as Tokens.Generic[]).flatMap(token => inlineOf(token, look)))
}

function inlineOf(token: Tokens.Generic, look: Look): Run[] {
  switch (token.type) {
    case 'strong':
      return inlinesOf(token.tokens, { ...look, bold: true })
    case 'em':
      return inlinesOf(token.tokens, { ...look, italic: true })
    case 'del':
      return inlinesOf(token.tokens, { ...look, strike: true })
    case 'codespan':
      return [{ ...look, text: token.text, code: true, verbatim: true }]
    case 'br':
      return [{ ...look, text: '\n' }]
    case 'link': {
      const runs = inlinesOf(token.tokens, { ...look, verbatim: true })
      const shown = runs.map(({ text }) => text).join('')
      const isShown = [shown, `mailto:${shown}`, `http://${shown}`].includes(token.href)
      return isShown ? runs : joined([...runs, { ...look, text: ` (${token.href})`, verbatim: true }])
    }
    case 'image':
      return [{ ...look, text: `[${token.text}] (${token.href})`, verbatim: true }]
    case 'html':
      return [{ ...look, text: token.text, verbatim: true }]
    case 'escape':
      return [{ ...look, text: token.text }]
    case 'text':
      if (token.tokens) return inlinesOf(token.tokens, look)
      return [{ ...look, text: withCharacters(token.text).replace(/[ \t]*\n[ \t]*/g, ' ') }]
    default:
      return []
  }
}

const named: Record<string, string> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', shy: '' },
  ...{ deg: '°', plusmn: '±', micro: 'µ', times: '×', divide: '÷', le: '≤', ge: '≥', ne: '≠', asymp: '≈' },
  ...{ ndash: '–', mdash: '—', hellip: '…', bull: '•', middot: '·', sect: '§', para: '¶', euro: '€' },
  ...{ copy: '©', reg: '®', trade: '™', larr: '←', rarr: '→', laquo: '«', raquo: '»' },
}

/** Replaces character references. An unknown one stays as it is. */
const withCharacters = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (typed, decimal, hexadecimal, name) => {
    if (name) return Object.hasOwn(named, name) ? named[name]! : typed
    const point = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16)
    const isCharacter = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
    return isCharacter ? String.fromCodePoint(point) : '\ufffd'
  })
