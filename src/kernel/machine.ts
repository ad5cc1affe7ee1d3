import type { Permission, SignatureType } from './catalogue.ts'
import { conflict } from './errors.ts'
import { messages } from './messages.ts'

/** A transition of a kind of record: its states, permission and conditions. */
export interface Transition<State extends string, Guard extends string> {
  name: string
  from: readonly State[]
  to: State
  permission: Permission
  guards: readonly Guard[]
  needs_reason?: boolean
  /** The meaning of its signature. `when` describes the records that need one, if not all do. */
  signature?: { type: SignatureType; when?: string }
}

/** The states and transitions of a kind of record, from which the service decides and docs/records.md is generated. */
export interface Machine<State extends string, Guard extends string> {
  /** The meaning of each state. */
  states: Readonly<Record<State, string>>
  /** The states in which a record may begin. */
  initial: readonly State[]
  transitions: readonly Transition<State, Guard>[]
  /** The remedy of each condition, such as `Assign it to someone first`. */
  guards: Readonly<Record<Guard, string>>
}

export const transitionsFrom = <S extends string, G extends string>({ transitions }: Machine<S, G>, state: S) =>
  transitions.filter(({ from }) => from.includes(state))

/** The transitions on the shortest path from one state to another; none if there is no path. */
export function findPath<S extends string, G extends string>(
  machine: Machine<S, G>,
  from: S,
  to: S,
): readonly Transition<S, G>[] {
  const visited = new Set([from])
  let paths: { state: S; path: readonly Transition<S, G>[] }[] = [{ state: from, path: [] }]
  while (paths.length > 0) {
    const found = paths.find(({ state }) => state === to)
    if (found) return found.path
    paths = paths.flatMap(({ state, path }) =>
      transitionsFrom(machine, state)
        .filter(each => !visited.has(each.to))
        .map(each => {
          visited.add(each.to)
          return { state: each.to, path: [...path, each] }
        }),
    )
  }
  return []
}

/** `from open it can become under_investigation, cancelled`. */
export function describeTransitionsFrom<S extends string, G extends string>(machine: Machine<S, G>, state: S): string {
  const targets = transitionsFrom(machine, state).map(({ to }) => to)
  return targets.length > 0 ? `from ${state} it can become ${targets.join(', ')}` : `${state} is final`
}

/** The transition of a record to another state, or the 409 that lists the possible ones. */
export function requireTransition<S extends string, G extends string>(
  machine: Machine<S, G>,
  number: string,
  { from, to }: { from: S; to: S },
): Transition<S, G> {
  const transition = transitionsFrom(machine, from).find(each => each.to === to)
  if (!transition) {
    const allowed = transitionsFrom(machine, from).map(each => each.to)
    throw conflict(messages.transition_not_allowed({ number, from, to, allowed }))
  }
  return transition
}

/** Throws the 409 with every condition of the transition that does not hold. */
export function requireGuards<S extends string, G extends string>(
  { guards }: Machine<S, G>,
  number: string,
  { to, guards: conditions }: Transition<S, G>,
  holds: Readonly<Record<G, boolean>>,
) {
  const missing = conditions.filter(guard => !holds[guard])
  if (missing.length > 0)
    throw conflict(
      messages.conditions_not_met({ number, to, conditions: missing.map(guard => guards[guard]), missing }),
    )
}
