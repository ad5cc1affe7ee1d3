import { type Issue, issueAt } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { messages } from './messages.ts'

/** A piece of a body: text of the author, or the placeholder of a variable. */
export type Piece = { text: string } | { name: string; line: number }

const nameShape = /^[a-z][a-z0-9_]{0,59}$/

/** Unicode noncharacters, which no text contains, mark the placeholders while the text is parsed as Markdown. */
const [opening, closing] = ['\ufdd0', '\ufdd1']

export const issueInBody = (message: Message): Issue => issueAt(['body', 'body'], message)

/** The body cut at its `{{name}}`. A backslash before the braces makes them text. */
export function piecesOf(body: string): { pieces: Piece[]; issues: Issue[] } {
  const pieces: Piece[] = []
  const issues: Issue[] = []
  const marks = /\\[\s\S]|\{\{|\}\}|[\ufdd0\ufdd1]/g
  const literal = /\\\{\{[^{}\n]*\}\}/y
  const place = /\{\{[ \t]*([^{}\n]*?)[ \t]*\}\}/y
  let from = 0
  let line = 1
  let counted = 0
  for (let mark = marks.exec(body); mark; mark = marks.exec(body)) {
    const [what] = mark
    if (what.startsWith('\\')) {
      literal.lastIndex = mark.index
      if (literal.test(body)) marks.lastIndex = literal.lastIndex
      continue
    }
    for (let at = body.indexOf('\n', counted); at !== -1 && at < mark.index; at = body.indexOf('\n', at + 1)) line += 1
    counted = mark.index
    place.lastIndex = mark.index
    const found = what === '{{' ? place.exec(body) : null
    if (what === '}}') issues.push(issueInBody(messages.template_braces_not_opened({ line })))
    else if (what !== '{{') issues.push(issueInBody(messages.template_character_reserved({ line })))
    else if (!found) issues.push(issueInBody(messages.template_braces_not_closed({ line })))
    else {
      const [placeholder, name] = found as unknown as [string, string]
      marks.lastIndex = place.lastIndex
      if (nameShape.test(name)) {
        pieces.push({ text: body.slice(from, mark.index) }, { name, line })
        from = place.lastIndex
      } else issues.push(issueInBody(messages.template_variable_misnamed({ placeholder, line })))
    }
  }
  pieces.push({ text: body.slice(from) })
  return { pieces: pieces.filter(piece => 'name' in piece || piece.text !== ''), issues }
}

/** The body with a mark for each placeholder, which Markdown treats as a word. */
export const markedBody = (pieces: readonly Piece[], around: [string, string] = ['', '']) =>
  pieces
    .map((piece, at) => ('name' in piece ? `${around[0]}${opening}${at}${closing}${around[1]}` : piece.text))
    .join('')

const mark = new RegExp(`${opening}(\\d+)${closing}`)

/** A marked text as its words and the placeholders between them. */
export const splitMarked = (text: string): (string | { at: number })[] =>
  text.split(mark).map((part, at) => (at % 2 === 1 ? { at: Number(part) } : part))

/** Brackets around each mark show whether the parse depends on the first character of a value. */
export const brackets: [string, string] = ['\\(', '\\)']
const bracketed = new RegExp(`\\((${opening}\\d+${closing})\\)`, 'g')
export const withoutBrackets = (text: string) => text.replace(bracketed, '$1')
