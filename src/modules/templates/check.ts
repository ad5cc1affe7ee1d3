import { isDeepStrictEqual } from 'node:util'
import { type Issue, invalid, issueAt } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { type Flow, mapRuns, type Run } from '#platform/markdown/flow.ts'
import { readMarkdown } from '#platform/markdown/read.ts'
import { messages } from './messages.ts'
import {
  brackets,
  issueInBody,
  markedBody,
  type Piece,
  piecesOf,
  splitMarked,
  withoutBrackets,
} from './placeholders.ts'
import type { Variable, VariableInput } from './schema.ts'
import { builtins, checkValue } from './values.ts'

interface Draft {
  body: string
  variables: Variable[]
}

/** A template without errors, ready to be filled in. */
interface ValidTemplate extends Draft {
  pieces: Piece[]
  /** The body with its places marked. */
  flow: Flow[]
}

/** A variable with all fields in a fixed order, in which it is stored and compared. */
export const variableOf = (input: VariableInput): Variable => ({
  name: input.name,
  label: input.label,
  type: input.type,
  required: input.required ?? false,
  default: input.default ?? null,
  help: input.help ?? null,
  options: input.options ?? null,
})

const isBuiltin = (name: string) => Object.hasOwn(builtins, name)

function checkVariable(variable: Variable): [field: keyof Variable, message: Message][] {
  const { name, type, options, default: given } = variable
  const faults: ReturnType<typeof checkVariable> = []
  if (isBuiltin(name)) faults.push(['name', messages.template_variable_built_in({ name })])
  if (type === 'select' && !options) faults.push(['options', messages.template_options_required()])
  if (type !== 'select' && options) faults.push(['options', messages.template_options_not_allowed({ type })])
  const unprintable = options?.some(option => option !== option.trim() || checkValue({ type: 'text', options }, option))
  if (unprintable) faults.push(['options', messages.template_option_malformed()])
  if (given === null) return faults
  if (type === 'user' || type === 'document') faults.push(['default', messages.template_default_not_allowed({ type })])
  else if (given !== given.trim()) faults.push(['default', messages.template_default_has_blanks()])
  else if (!(type === 'date' && given === 'today')) {
    const fault = checkValue(variable, given)
    if (fault) faults.push(['default', fault])
  }
  return faults
}

/** The errors of the variables, and the differences between them and the placeholders of the body. */
function checkVariables(variables: readonly Variable[], pieces: readonly Piece[]): Issue[] {
  const at = (i: number, field: string, message: Message) => issueAt(['body', 'variables', i, field], message)
  const places = pieces.flatMap(piece => ('name' in piece ? [piece] : []))
  const used = new Set(places.map(({ name }) => name))
  const declared = new Set(variables.map(({ name }) => name))
  const seen = new Set<string>()
  return [
    ...variables.flatMap((variable, i) => {
      const { name } = variable
      const isFirst = !seen.has(name)
      seen.add(name)
      return [
        ...(isFirst ? [] : [at(i, 'name', messages.template_variable_repeated({ name }))]),
        ...(used.has(name) ? [] : [at(i, 'name', messages.template_variable_unused({ name }))]),
        ...checkVariable(variable).map(([field, message]) => at(i, field, message)),
      ]
    }),
    ...places
      .filter(({ name }) => !declared.has(name) && !isBuiltin(name))
      .map(({ name, line }) => issueInBody(messages.template_variable_undeclared({ name, line }))),
  ]
}

/** All runs of a text at all levels. */
function runsOf(flow: readonly Flow[]): Run[] {
  const all: Run[] = []
  mapRuns(flow, run => {
    all.push(run)
    return []
  })
  return all
}

const placesOf = (text: string) => splitMarked(text).flatMap(part => (typeof part === 'string' ? [] : [part.at]))

/** A variable may stand in running text only, and a long text only in a paragraph of its own. */
function checkPlaces(pieces: readonly Piece[], flow: readonly Flow[], variables: readonly Variable[]): Issue[] {
  const inWords = new Set(runsOf(flow).flatMap(({ text, verbatim }) => (verbatim ? [] : placesOf(text))))
  const alone = new Set(
    flow.flatMap(part => {
      const [only, ...others] = part.kind === 'paragraph' ? part.runs : []
      const parts = only && others.length === 0 && !only.verbatim ? splitMarked(only.text) : []
      return parts.length === 3 && parts[0] === '' && parts[2] === '' ? placesOf(only!.text) : []
    }),
  )
  const long = new Set(variables.filter(({ type }) => type === 'long_text').map(({ name }) => name))
  return pieces.flatMap((piece, at): Issue[] => {
    if (!('name' in piece)) return []
    const { name, line } = piece
    if (!inWords.has(at)) return [issueInBody(messages.template_variable_misplaced({ name, line }))]
    if (long.has(name) && !alone.has(at)) return [issueInBody(messages.template_long_text_not_alone({ name, line }))]
    return []
  })
}

/** The template ready to be filled in, or a 422 with all of its errors, each at its place. */
export async function requireValid({ body, variables }: Draft): Promise<ValidTemplate> {
  const { pieces, issues } = piecesOf(body)
  if (issues.length > 0) throw invalid(...issues.slice(0, maxIssues))
  const wrong = checkVariables(variables, pieces)
  if (wrong.length > 0) throw invalid(...wrong.slice(0, maxIssues))
  const read = await readMarkdown([markedBody(pieces), markedBody(pieces, brackets)])
  if (!read) throw invalid(issueInBody(messages.template_body_unreadable()))
  const [flow, inBrackets] = read as [Flow[], Flow[]]
  const misplaced = checkPlaces(pieces, flow, variables)
  if (misplaced.length > 0) throw invalid(...misplaced.slice(0, maxIssues))
  // Emphasis that begins within a word depends on the first letter of the value, so the text with other values would differ.
  const bare = mapRuns(inBrackets, run => [{ ...run, text: withoutBrackets(run.text) }])
  if (!isDeepStrictEqual(bare, flow)) throw invalid(issueInBody(messages.template_emphasis_within_word()))
  return { body, variables, pieces, flow }
}

const maxIssues = 100
