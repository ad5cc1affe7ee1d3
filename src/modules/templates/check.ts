import { isDeepStrictEqual } from 'node:util'
import { type Issue, invalid } from '#kernel/errors.ts'
import { type Flow, mapRuns, type Run } from '#platform/markdown/flow.ts'
import { readMarkdown } from '#platform/markdown/read.ts'
import {
  brackets,
  issueAtLine,
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

function faultsOf(variable: Variable): [field: keyof Variable, msg: string, type?: string][] {
  const { name, type, options, default: given } = variable
  const faults: ReturnType<typeof faultsOf> = []
  if (isBuiltin(name)) faults.push(['name', `Every template has {{${name}}}: give this one another name`])
  if (type === 'select' && !options) faults.push(['options', 'A select needs its options', 'missing'])
  if (type !== 'select' && options)
    faults.push(['options', `Only a select has options, not a ${type}`, 'extra_forbidden'])
  const unprintable = options?.some(option => option !== option.trim() || faultOf({ type: 'text', options }, option))
  if (unprintable) faults.push(['options', 'An option is one line, without blanks around it'])
  if (given === null) return faults
  if (type === 'user' || type === 'document') faults.push(['default', `A ${type} has no default`, 'extra_forbidden'])
  else if (given !== given.trim()) faults.push(['default', 'has blanks around it'])
  else if (!(type === 'date' && given === 'today')) {
    const fault = faultOf(variable, given)
    if (fault) faults.push(['default', fault])
  }
  return faults
}

/** What is wrong with the variables, and between them and the places of the body. */
function checkVariables(variables: readonly Variable[], pieces: readonly Piece[]): Issue[] {
  const at = (i: number, field: string, msg: string, type = 'value_error'): Issue => ({
    loc: ['body', 'variables', i, field],
    msg,
    type,
  })
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
        ...(isFirst ? [] : [at(i, 'name', `There are two variables ${name}`)]),
        ...(used.has(name) ? [] : [at(i, 'name', `{{${name}}} does not stand in the body`)]),
        ...faultsOf(variable).map(([field, msg, type]) => at(i, field, msg, type)),
      ]
    }),
    ...places
      .filter(({ name }) => !declared.has(name) && !isBuiltin(name))
      .map(({ name, line }) => issueAtLine(line, `{{${name}}} is not declared among the variables`)),
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
    if (!inWords.has(at))
      return [issueAtLine(line, `{{${name}}} cannot stand in code, HTML, a link or the definition of one`)]
    if (long.has(name) && !alone.has(at))
      return [issueAtLine(line, `{{${name}}} is a long text, which stands alone in a paragraph of its own`)]
    return []
  })
}

const unreadable: Issue = {
  loc: ['body', 'body'],
  msg: 'cannot be read as Markdown: it takes too long, or its parts are within parts more than 12 times',
  type: 'value_error',
}

/** The template as one that texts can be made of, or a 422 with everything that is wrong with it, each at its place. */
export async function requireSound({ body, variables }: Draft): Promise<Sound> {
  const { pieces, issues } = piecesOf(body)
  if (issues.length > 0) throw invalid(...issues.slice(0, most_issues))
  const wrong = checkVariables(variables, pieces)
  if (wrong.length > 0) throw invalid(...wrong.slice(0, most_issues))
  const read = await readMarkdown(markedBody(pieces), markedBody(pieces, brackets))
  if (!read) throw invalid(unreadable)
  const [flow, inBrackets] = read as [Flow[], Flow[]]
  const misplaced = checkPlaces(pieces, flow, variables)
  if (misplaced.length > 0) throw invalid(...misplaced.slice(0, most_issues))
  // What is emphasised from within a word on is so only while a value begins with a letter.
  const bare = mapRuns(inBrackets, run => [{ ...run, text: withoutBrackets(run.text) }])
  if (!isDeepStrictEqual(bare, flow))
    throw invalid({
      ...unreadable,
      msg: 'has emphasis that begins or ends at a variable within a word: put a blank there',
    })
  return { body, variables, pieces, flow }
}

const most_issues = 100
