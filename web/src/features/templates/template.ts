// A content template while it is being written, and where in its text something is wrong.
import type { Answer, Given } from '../../api/client.ts'
import type { Issue } from '../../api/problem.ts'

export type Template = Answer<'GET /api/templates/{id}'>
type Sent = NonNullable<Given<'POST /api/templates/preview'>['body']['variables']>[number]
export type VariableType = Sent['type']

export const variableTypes = [
  ...(['text', 'long_text', 'number', 'date'] as const),
  ...(['user', 'document', 'select'] as const),
] satisfies VariableType[]

/** What every template has, whatever it declares. */
export const builtins = [
  ...(['title', 'today', 'company'] as const),
  ...(['user_full_name', 'template_name', 'template_version'] as const),
]
export const isBuiltin = (name: string) => builtins.some(each => each === name)

export interface DraftVariable {
  id: string
  name: string
  label: string
  type: VariableType
  required: boolean
  default: string
  help: string
  /** One on each line. */
  options: string
}

export const variablesOf = (variables: Template['variables']): DraftVariable[] =>
  variables.map(each => ({
    id: each.name,
    name: each.name,
    label: each.label,
    type: each.type,
    required: each.required,
    default: each.default ?? '',
    help: each.help ?? '',
    options: (each.options ?? []).join('\n'),
  }))

const linesOf = (text: string) => [
  ...new Set(
    text
      .split('\n')
      .map(line => line.trim())
      .filter(line => line !== ''),
  ),
]

/** As the service takes them. */
export const sentVariables = (variables: readonly DraftVariable[]): Sent[] =>
  variables.map(({ name, label, type, required, default: given, help, options }) => ({
    name,
    label: label.trim(),
    type,
    required,
    ...(given.trim() && { default: given.trim() }),
    ...(help.trim() && { help: help.trim() }),
    ...(type === 'select' && linesOf(options).length > 0 && { options: linesOf(options) }),
  }))

const letters: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' }

/** A name that stands in the text, made of what people call the variable. */
export function nameFor(label: string, taken: readonly string[]): string {
  const base =
    label
      .toLowerCase()
      .replaceAll(/[äöüß]/g, letter => letters[letter]!)
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[^a-z0-9]+/g, '_')
      .replaceAll(/^[_0-9]+|_+$/g, '')
      .slice(0, 50) || 'variable'
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}_${n}`
    if (!taken.includes(name) && !isBuiltin(name)) return name
  }
}

const placeOf = (name: string) => new RegExp(`(?<!\\\\)\\{\\{[ \\t]*${name}[ \\t]*\\}\\}`, 'g')

/** The text with each place of a variable under its new name. */
export const renamed = (body: string, from: string, to: string) => body.replace(placeOf(from), `{{${to}}}`)

export const holds = (body: string, name: string) => placeOf(name).test(body)

/** What is wrong: in the text from one character to another, or with a variable. */
export interface Fault {
  text: string
  code: string
  /** Of the text. */
  range?: [from: number, to: number]
  line?: number
  /** The name in the braces, as it stands there. */
  name?: string
  /** Of the variables: which one, and what of it. */
  variable?: number
  field?: string
}

/** The issues of a template by their places. The service names the line and what stands in it. */
export function faultsOf(body: string, issues: readonly Issue[]): Fault[] {
  const used = new Map<string, number>()
  return issues.flatMap(({ loc, msg: text, type: code = '', params = {} }): Fault[] => {
    const [, first, index, field] = loc
    if (first === 'variables' && index !== undefined)
      return [{ text, code, variable: Number(index), ...(field !== undefined && { field: String(field) }) }]
    if (first !== 'body') return []
    const { line, name, placeholder } = params as { line?: number; name?: string; placeholder?: string }
    if (line === undefined) return [{ text, code }]
    const place = { text, code, line, ...(name !== undefined && { name }) }
    const starts = startOfLine(body, line)
    if (starts === undefined) return [place]
    const end = body.indexOf('\n', starts)
    const until = end === -1 ? body.length : end
    const sought = name === undefined ? placeholder : undefined
    // The second of the same name on a line is the second issue.
    const key = `${line} ${name ?? sought ?? code}`
    const nth = used.get(key) ?? 0
    used.set(key, nth + 1)
    return [{ ...place, range: placeIn(body, starts, until, { name, sought, nth }) }]
  })
}

function startOfLine(body: string, line: number): number | undefined {
  let at = 0
  for (let n = 1; n < line; n++) {
    const next = body.indexOf('\n', at)
    if (next === -1) return undefined
    at = next + 1
  }
  return at
}

interface Sought {
  name: string | undefined
  sought: string | undefined
  nth: number
}

function placeIn(body: string, from: number, to: number, { name, sought, nth }: Sought): [number, number] {
  const line = body.slice(from, to)
  const found =
    name !== undefined
      ? [...line.matchAll(placeOf(name))].map(match => [match.index, match.index + match[0].length] as const)
      : sought !== undefined && line.includes(sought)
        ? [[line.indexOf(sought), line.indexOf(sought) + sought.length] as const]
        : []
  const [begin, end] = found[Math.min(nth, found.length - 1)] ?? [0, line.length]
  return [from + begin, from + Math.max(end, begin + 1)]
}

/** The text in pieces: plain, the place of a variable, or what is wrong. */
export interface Piece {
  text: string
  kind: 'text' | 'variable' | 'wrong'
}

export function piecesOf(body: string, faults: readonly Fault[]): Piece[] {
  const wrong = faults.flatMap(({ range }) => (range ? [range] : []))
  const marks = [
    ...wrong.map(([from, to]) => ({ from, to, kind: 'wrong' as const })),
    ...[...body.matchAll(/(?<!\\)\{\{[ \t]*[a-z][a-z0-9_]*[ \t]*\}\}/g)]
      .map(({ index, 0: text }) => ({ from: index, to: index + text.length, kind: 'variable' as const }))
      .filter(place => !wrong.some(([from, to]) => place.from < to && from < place.to)),
  ].sort((a, b) => a.from - b.from)
  const pieces: Piece[] = []
  let at = 0
  for (const { from, to, kind } of marks) {
    if (from < at) continue
    if (from > at) pieces.push({ text: body.slice(at, from), kind: 'text' })
    pieces.push({ text: body.slice(from, to), kind })
    at = to
  }
  if (at < body.length) pieces.push({ text: body.slice(at), kind: 'text' })
  return pieces
}
