import type { Actor, Services } from '#action'
import { messages as validation } from '#http/messages.ts'
import { type Issue, invalid, issueAt } from '#kernel/errors.ts'
import { personInWords } from '#kernel/person.ts'
import { nameOfTenant, todayOf } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { type Flow, mapRuns } from '#platform/markdown/flow.ts'
import { type Filled, fillMarkdown } from './escape.ts'
import { messages } from './messages.ts'
import { type Piece, splitMarked } from './placeholders.ts'
import { findDocuments, findPeople } from './queries.ts'
import type { Values, Variable } from './schema.ts'
import { type Builtins, notFilledIn, paragraphsOf, takeValues } from './values.ts'

/** The template to fill in, and its values. */
export interface Asked {
  template: { name: string; version: number; variables: readonly Variable[] }
  values: Values
  title: string | undefined
  /** The place of the values in the request. */
  at: string[]
}

export interface Filling {
  builtins: Builtins
  filledOf: (name: string) => Filled
  /** Required, and not given. */
  missing: Variable[]
}

/** The text of every value, or a 422 with all wrong values. */
export async function resolve(
  context: { tx: Tx; actor: Actor; services: Services },
  { template, values: given, title, at }: Asked,
): Promise<Filling> {
  const { tx, actor } = context
  const { variables } = template
  const today = await todayOf(context)
  const { values, issues, missing } = takeValues(variables, given, { today, at })
  const ofType = (type: Variable['type']) =>
    variables.filter(variable => variable.type === type && values.has(variable.name))
  const notFound = (type: string, all: readonly Variable[], found: ReadonlyMap<number, string>): Issue[] =>
    all
      .filter(({ name }) => !found.has(Number(values.get(name))))
      .map(({ name }) => issueAt([...at, name], messages.template_value_not_found({ type })))
  const idsOf = (all: readonly Variable[]) => all.map(({ name }) => Number(values.get(name)))
  if (issues.length > 0) throw invalid(...issues.slice(0, 100))

  const [people, documents] = [ofType('user'), ofType('document')]
  const personNames = new Map(
    people.length === 0 ? [] : (await findPeople(tx, idsOf(people))).map(person => [person.id, personInWords(person)]),
  )
  const documentNames = new Map(
    documents.length === 0
      ? []
      : (await findDocuments(tx, actor, idsOf(documents))).map(each => [
          each.id,
          `${each.number} ${each.title} (version ${each.version})`,
        ]),
  )
  const unknown = [...notFound('user', people, personNames), ...notFound('document', documents, documentNames)]
  if (unknown.length > 0) throw invalid(...unknown)

  const builtins: Builtins = {
    today,
    company: await nameOfTenant(tx),
    user_full_name: actor.fullName ?? actor.username,
    title: title ?? template.name,
    template_name: template.name,
    template_version: String(template.version),
  }
  const filled = new Map<string, Filled>(Object.entries(builtins).map(([name, text]) => [name, [[oneLine(text)]]]))
  for (const { name, type } of variables) {
    const value = values.get(name)
    if (value === undefined) filled.set(name, [[notFilledIn]])
    else if (type === 'long_text') filled.set(name, paragraphsOf(value))
    else if (type === 'user') filled.set(name, [[oneLine(personNames.get(Number(value))!)]])
    else if (type === 'document') filled.set(name, [[oneLine(documentNames.get(Number(value))!)]])
    else filled.set(name, [[value]])
  }
  for (const { name, label } of missing) filled.set(name, [[`[${oneLine(label)}]`]])
  return { builtins, filledOf: name => filled.get(name)!, missing }
}

/** Names and titles of other records may have several lines. */
const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim() || notFilledIn

export const requireAll = ({ missing }: Filling, at: readonly string[]) => {
  if (missing.length === 0) return
  throw invalid(...missing.map(({ name }) => issueAt([...at, name], validation.missing())))
}

export const markdownOf = (pieces: readonly Piece[], { filledOf }: Filling) => fillMarkdown(pieces, filledOf)

/** The text with its placeholders filled in. Values are never parsed as Markdown. */
export function flowOf(flow: readonly Flow[], pieces: readonly Piece[], { filledOf }: Filling): Flow[] {
  const filledAt = (at: number) => {
    const piece = pieces[at]!
    return 'name' in piece ? filledOf(piece.name) : []
  }
  const fill = (part: Flow) =>
    mapRuns([part], run =>
      splitMarked(run.text).map(text => ({
        ...run,
        text: typeof text === 'string' ? text : linesOf(filledAt(text.at)).join('\n\n'),
      })),
    )
  return flow.flatMap(part => {
    const [only, ...others] = part.kind === 'paragraph' ? part.runs : []
    const parts = only && others.length === 0 ? splitMarked(only.text) : []
    const place = parts.length === 3 && parts[0] === '' && parts[2] === '' ? parts[1]! : ''
    if (typeof place === 'string') return fill(part)
    return linesOf(filledAt(place.at)).map((text): Flow => ({ kind: 'paragraph', runs: [{ ...only!, text }] }))
  })
}

const linesOf = (filled: Filled) => filled.map(lines => lines.join('\n'))
