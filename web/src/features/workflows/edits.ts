// Edits of a workflow: each makes a definition from another one.
import {
  type Definition,
  type Gate,
  labelOf,
  type Rule,
  type State,
  sourcesOf,
  type Transition,
  type Trigger,
  triggerOf,
} from '../../records/workflow/definition.ts'

/** The name of something new. Nobody reads it: it only has to be another one. */
function nameFor(label: string, taken: readonly string[]): string {
  const letters = label
    .toLowerCase()
    .replaceAll(/[äöüß]/g, each => ({ ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' })[each]!)
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .replace(/_+$/, '')
    .slice(0, 34)
  const name = letters || 'step'
  // These mean something to the service, so that only what is meant so bears them.
  const isFree = (each: string) => !taken.includes(each) && !['reject', 'withdraw', 'cancel'].includes(each)
  for (let n = 1; ; n++) {
    const next = n === 1 ? name : `${name}_${n}`
    if (isFree(next)) return next
  }
}

const withSources = (transition: Transition, sources: string[]): Transition => ({
  ...transition,
  from: sources.length === 1 ? sources[0]! : sources,
})

/** Without references to approvals that are not there any more. */
function withoutDangling(definition: Definition): Definition {
  const gates = definition.transitions.filter(({ approval }) => approval).map(({ name }) => name)
  return {
    ...definition,
    transitions: definition.transitions.map(each => {
      const excluded = each.approval?.excludes_approvers_of
      if (!excluded || excluded.every(name => gates.includes(name))) return each
      return changed(each, {
        approval: gateWith(each.approval!, { excludes_approvers_of: excluded.filter(name => gates.includes(name)) }),
      })
    }),
  }
}

/** What is undefined or an empty list is not there. */
type Loose<T> = { [K in keyof T]?: T[K] | undefined }
const without = <T extends object>(value: T): T =>
  Object.fromEntries(
    Object.entries(value).filter(([, each]) => each !== undefined && !(Array.isArray(each) && each.length === 0)),
  ) as T
export const changed = (transition: Transition, change: Loose<Transition>): Transition =>
  without({ ...transition, ...change } as Transition)
export const gateWith = (gate: Gate, change: Loose<Gate>): Gate => without({ ...gate, ...change } as Gate)

export function addState(definition: Definition, label: string): { definition: Definition; name: string } {
  const { states } = definition
  const name = nameFor(
    label,
    states.map(each => each.name),
  )
  const at = states.findIndex(({ kind }) => kind === 'effective')
  const next: State = { name, label, kind: 'review' }
  return { name, definition: { ...definition, states: states.toSpliced(at < 0 ? states.length : at, 0, next) } }
}

export const changeState = (definition: Definition, name: string, change: Partial<State>): Definition => ({
  ...definition,
  states: definition.states.map(each => (each.name === name ? { ...each, ...change } : each)),
})

export const moveState = (definition: Definition, name: string, by: 1 | -1): Definition => {
  const at = definition.states.findIndex(each => each.name === name)
  const states = definition.states.toSpliced(at, 1)
  return { ...definition, states: states.toSpliced(at + by, 0, definition.states[at]!) }
}

/** With the transitions that lead into it, and those that lead out of it alone. */
export const removeState = (definition: Definition, name: string): Definition =>
  withoutDangling({
    states: definition.states.filter(each => each.name !== name),
    transitions: definition.transitions.flatMap(each => {
      const sources = sourcesOf(each)
      if (!sources.includes(name)) return each.to === name ? [] : [each]
      const left = sources.filter(source => source !== name)
      return each.to === name || left.length === 0 ? [] : [withSources(each, left)]
    }),
  })

const firstOf = ({ states }: Definition) => states.find(({ kind }) => kind === 'initial') ?? states[0]

/** Where approvals are awaited, approvers can reject. */
function withReject(definition: Definition): Definition {
  const { transitions } = definition
  const awaiting = [...new Set(transitions.filter(({ approval }) => approval).flatMap(each => sourcesOf(each)))]
  const reject = transitions.find(({ name }) => name === 'reject')
  const first = firstOf(definition)
  if (awaiting.length === 0 || !first) return definition
  if (!reject)
    return {
      ...definition,
      transitions: [
        ...transitions,
        withSources({ name: 'reject', from: '', to: first.name, comment_required: true }, awaiting),
      ],
    }
  const sources = sourcesOf(reject)
  const missing = awaiting.filter(state => !sources.includes(state))
  if (missing.length === 0) return definition
  return {
    ...definition,
    transitions: transitions.map(each => (each === reject ? withSources(reject, [...sources, ...missing]) : each)),
  }
}

export const newRule = (): Rule => ({ kind: 'role', who: 'QA', count: 1 })
const newGate = (): Gate => ({
  mode: 'parallel',
  signature_required: true,
  signature_type: 'approval',
  author_may_approve: false,
  rules: [newRule()],
})

export const changeTransition = (definition: Definition, name: string, change: Loose<Transition>): Definition => ({
  ...definition,
  transitions: definition.transitions.map(each => (each.name === name ? changed(each, change) : each)),
})

export function changeGate(definition: Definition, name: string, change: Loose<Gate>): Definition {
  const gate = definition.transitions.find(each => each.name === name)?.approval
  return gate ? changeTransition(definition, name, { approval: gateWith(gate, change) }) : definition
}

export function setSources(definition: Definition, name: string, sources: string[]): Definition {
  if (sources.length === 0) return definition
  const next = {
    ...definition,
    transitions: definition.transitions.map(each => (each.name === name ? withSources(each, sources) : each)),
  }
  return withReject(next)
}

/** It happens otherwise: what only belonged to the former way goes. */
export function setTrigger(definition: Definition, name: string, trigger: Exclude<Trigger, 'reject'>): Definition {
  const before = definition.transitions.find(each => each.name === name)
  if (!before || triggerOf(before) === trigger) return definition
  const bare = { automatic: undefined, approval: undefined }
  if (trigger === 'approval')
    return withReject(changeTransition(definition, name, { ...bare, approval: newGate(), permission: undefined }))
  if (trigger === 'by_hand') return withoutDangling(changeTransition(definition, name, bare))
  return withoutDangling(
    changeTransition(definition, name, {
      ...bare,
      automatic: trigger,
      permission: undefined,
      comment_required: undefined,
    }),
  )
}

/** Out of a state to the next one, by an approval where the state awaits none yet. */
export function addTransition(
  definition: Definition,
  from: string,
  label: string,
): { definition: Definition; name: string } {
  const { states, transitions } = definition
  const at = states.findIndex(each => each.name === from)
  const state = states[at]!
  const to = states[at + 1] ?? states[at - 1] ?? state
  const name = nameFor(
    label,
    transitions.map(each => each.name),
  )
  const isFirstGate =
    state.kind === 'review' && !transitions.some(each => each.approval && sourcesOf(each).includes(from))
  const transition: Transition = { name, label, from, to: to.name, ...(isFirstGate && { approval: newGate() }) }
  return { name, definition: withReject({ ...definition, transitions: [...transitions, transition] }) }
}

export const removeTransition = (definition: Definition, name: string): Definition =>
  withoutDangling({ ...definition, transitions: definition.transitions.filter(each => each.name !== name) })

/** Whether a label still is the one that the name of a transition says by itself. */
export const isOwnLabel = (transition: Transition, label: string) =>
  label === labelOf({ name: transition.name }) && transition.label === undefined
