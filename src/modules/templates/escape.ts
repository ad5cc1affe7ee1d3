import type { Piece } from './placeholders.ts'

/** What stands in the place of a variable: one line, or several paragraphs of several lines each. */
export type Filled = string[][]

/**
 * A line that reads in Markdown as exactly these words. Any punctuation may have a backslash before it; here it has one only where
 * it could begin or end something, so that what people type stays legible.
 */
const escapeLine = (line: string) =>
  line
    // A backslash by its number: pairs of them are counted otherwise in a table.
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

/** A text of the author, next to a value: with its end or beginning no address, number of a list or reference may come of it. */
function besideValues(text: string, { before, isBeforeValue, next }: Beside) {
  let safe = text
  if (before !== undefined) safe = safe.replace(/^(@|:(?=\/))/, '\\$&')
  if (before !== undefined && /^\d+$|w$/i.test(before)) safe = safe.replace(/^[.)]/, '\\$&')
  if (isBeforeValue) safe = safe.replace(/(?<!\\)&(?=#?\w*$)/, '\\&')
  // `[x]` is a box that is ticked, or the name of a link.
  if (isBeforeValue && /^\](?!\()/.test(next)) safe = safe.replace(/(?<!\\)\[$/, '\\[')
  return safe
}

/** The body as Markdown with its variables filled in. Whatever is in them is text: no heading, table, link or HTML comes of it. */
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
