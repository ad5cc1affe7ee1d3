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
import { builtins, faultOf } from './values.ts'

interface Draft {
  body: string
  variables: Variable[]
}

/** Something of a template that a text can be made of. */
interface Sound extends Draft {
  pieces: Piece[]
  /** The body with its places marked. */
  flow: Flow[]
}

/** Every field, in one order: what is stored and what is compared. */
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

function faultsOf(variable: Variable): [field: keyof Variable, message: Message][] {
  const { name, type, options, default: given } = variable
  const faults: ReturnType<typeof faultsOf> = []
  if (isBuiltin(name)) faults.push(['name', messages.template_variable_built_in({ name })])
  if (type === 'select' && !options) faults.push(['options', messages.template_options_required()])
  if (type !== 'select' && options) faults.push(['options', messages.template_options_not_allowed({ type })])
  const unprintable = options?.some(option => option !== option.trim() || faultOf({ type: 'text', options }, option))
  if (unprintable) faults.push(['options', messages.template_option_malformed()])
  if (given === null) return faults
  if (type === 'user' || type === 'document')
    faults.push(['default', messages.template_default_not_allowed({ type })])
  else if (given !== given.trim()) faults.push(['default', messages.template_default_has_blanks()])
  else if (!(type === 'date' && given === 'today')) {
    const fault = faultOf(variable, given)
    if (fault) faults.push(['default', fault])
  }
  return faults
}

/** What is wrong with the variables, and between them and the places of the body. */
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
        ...faultsOf(variable).map(([field, message]) => at(i, field, message)),
      ]
    }),
    ...places
      .filter(({ name }) => !declared.has(name) && !isBuiltin(name))
      .map(({ name, line }) => issueInBody(messages.template_variable_undeclared({ name, line }))),
  ]
}

/** All runs of a text, wherever they are. */
function runsOf(flow: readonly Flow[]): Run[] {
  const all: Run[] = []
  mapRuns(flow, run => {
    all.push(run)
    return []
  })
  return all
}

const placesOf = (text: string) => splitMarked(text).flatMap(part => (typeof part === 'string' ? [] : [part.at]))

/** Where a variable may stand: in the words of the text, and one of many lines alone in its paragraph. */
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

/** The template as one that texts can be made of, or a 422 with everything that is wrong with it, each at its place. */
export async function requireSound({ body, variables }: Draft): Promise<Sound> {
  const { pieces, issues } = piecesOf(body)
  if (issues.length > 0) throw invalid(...issues.slice(0, most_issues))
  const wrong = checkVariables(variables, pieces)
  if (wrong.length > 0) throw invalid(...wrong.slice(0, most_issues))
  const read = await readMarkdown(markedBody(pieces), markedBody(pieces, brackets))
  if (!read) throw invalid(issueInBody(messages.template_body_unreadable()))
  const [flow, inBrackets] = read as [Flow[], Flow[]]
  const misplaced = checkPlaces(pieces, flow, variables)
  if (misplaced.length > 0) throw invalid(...misplaced.slice(0, most_issues))
  // What is emphasised from within a word on is so only while a value begins with a letter.
  const bare = mapRuns(inBrackets, run => [{ ...run, text: withoutBrackets(run.text) }])
  if (!isDeepStrictEqual(bare, flow)) throw invalid(issueInBody(messages.template_emphasis_within_word()))
  return { body, variables, pieces, flow }
}

const most_issues = 100
