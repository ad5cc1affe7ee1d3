// Where in a workflow something is: what the service says of a definition, at the states and transitions that people know.
import { type Definition, labelOf, sourcesOf } from '../../records/workflow/definition.ts'

/** A state, or a transition as it stands under one of the states that it leads out of. */
export type Place = { kind: 'state'; name: string } | { kind: 'transition'; name: string; from: string }

export interface Fault {
  /** Undefined for what concerns the workflow as a whole. */
  place: Place | undefined
  /** The fields within the place: `approval`, `rules`, `0`, `who`. */
  rest: string[]
  text: string
}

interface Issue {
  parts: string[]
  code: string
  params: Record<string, unknown>
  detail: string
}

export const keyOf = ({ kind, name }: Place) => `${kind} ${name}`

export const partsOf = (pointer: string) => pointer.split('/').slice(1)

function placeOf([list, index]: string[], { states, transitions }: Definition): Place | undefined {
  if (list === 'states' && index !== undefined) {
    const state = states[Number(index)]
    return state && { kind: 'state', name: state.name }
  }
  const transition = list === 'transitions' && index !== undefined ? transitions[Number(index)] : undefined
  return transition && { kind: 'transition', name: transition.name, from: sourcesOf(transition)[0]! }
}

/** Names of states and steps as people know them, where the sentence has the service's own. */
function inLabels(text: string, params: Record<string, unknown>, { states, transitions }: Definition): string {
  const labels = new Map([
    ...transitions.map(each => [each.name, labelOf(each)] as const),
    ...states.map(({ name, label }) => [name, label] as const),
  ])
  const named = ['state', 'transition', 'step', 'steps'].flatMap(field => [params[field] ?? []].flat()).map(String)
  return named.reduce((said, name) => {
    const label = labels.get(name)
    return label === undefined ? said : said.replace(new RegExp(`(?<![\\w“„])${name}(?![\\w”])`), `“${label}”`)
  }, text)
}

/** The rights by the words that people know. */
export const withRights = (text: string, rights: Record<string, string>) =>
  text.replaceAll(/\b[a-z_]+\.[a-z_]+\b/g, name => (rights[name] ? `“${rights[name]}”` : name))

interface Saying {
  rights: Record<string, string>
  /** Sentences of these pages in the place of the service's, by their codes. */
  own: Record<string, (params: Record<string, string>) => string>
}

/** What is wrong with a definition, as the service found it in this very definition. */
export const faultsOf = (issues: Issue[], definition: Definition, { rights, own }: Saying): Fault[] =>
  issues.map(({ parts, code, params, detail }) => {
    const label = (name: unknown) =>
      definition.states.find(each => each.name === name)?.label ??
      labelOf(definition.transitions.find(each => each.name === name) ?? { name: String(name) })
    const sentence = own[code]?.({
      ...Object.fromEntries(Object.entries(params).map(([key, value]) => [key, String(value)])),
      ...(params.state !== undefined && { state: label(params.state) }),
    })
    return {
      place: placeOf(parts, definition),
      rest: parts.slice(2),
      text: sentence ?? withRights(inLabels(detail, params, definition), rights),
    }
  })

/** What is wrong with a field of a place, such as `approval/rules/0/who`. */
export const faultAt = (faults: readonly Fault[], ...path: (string | number)[]) => {
  const found = faults.filter(({ rest }) => path.every((part, i) => rest[i] === String(part)))
  return found.length > 0 ? found.map(({ text }) => text).join(' ') : undefined
}
