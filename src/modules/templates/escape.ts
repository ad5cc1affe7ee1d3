import type { Piece } from './placeholders.ts'

/** The value of a variable: paragraphs of lines. Most values are one paragraph with one line. */
export type Filled = string[][]

/**
 * A line that Markdown renders as exactly these words. Punctuation is escaped only where it could have a meaning, so that the text stays
 * legible.
 */
const escapeLine = (line: string) =>
  line
    // A backslash is written as an entity, because tables count pairs of backslashes differently.
    .replace(/[\\`*_{}[\]<>#|~&!@]/g, mark => (mark === '\\' ? '&#92;' : `\\${mark}`))
    .replace(/:(?=\/|$)|(?<=w)\./gi, '\\$&')
    .replace(/^[-+=():.]/, '\\$&')
    .replace(/^(\d+)([.)])(?=\s|$)/, '$1\\$2')

const escapeFilled = (paragraphs: Filled) => paragraphs.map(lines => lines.map(escapeLine).join('\\\n')).join('\n\n')

interface Beside {
  /** The end of the value before it; undefined where there is none. */
  before: string | undefined
  isBeforeValue: boolean
  /** The text behind that value. */
  next: string
}

/** Text of the author beside a value, escaped so that the two together make no link, list number or entity. */
function besideValues(text: string, { before, isBeforeValue, next }: Beside) {
  let safe = text
  if (before !== undefined) safe = safe.replace(/^(@|:(?=\/))/, '\\$&')
  if (before !== undefined && /^\d+$|w$/i.test(before)) safe = safe.replace(/^[.)]/, '\\$&')
  if (isBeforeValue) safe = safe.replace(/(?<!\\)&(?=#?\w*$)/, '\\&')
  // `[x]` would become a ticked box or the name of a link.
  if (isBeforeValue && /^\](?!\()/.test(next)) safe = safe.replace(/(?<!\\)\[$/, '\\[')
  return safe
}

/** The body as Markdown with its variables filled in. Values become text only, never a heading, table, link or HTML. */
export function fillMarkdown(pieces: readonly Piece[], filledOf: (name: string) => Filled): string {
  return pieces
    .map((piece, at) => {
      if ('name' in piece) return escapeFilled(filledOf(piece.name))
      const [before, behind] = [pieces[at - 1], pieces[at + 2]]
      return besideValues(piece.text, {
        before: before && 'name' in before ? filledOf(before.name).at(-1)?.at(-1) : undefined,
        isBeforeValue: at < pieces.length - 1,
        next: behind && 'text' in behind ? behind.text : '',
      })
    })
    .join('')
}
