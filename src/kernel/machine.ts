import type { Permission, SignatureType } from './catalogue.ts'
import { conflict } from './errors.ts'
import { messages } from './messages.ts'

/** One line of a record's printed table of states: who may take it from where to where, and what must be so. */
export interface Move<State extends string, Guard extends string> {
  name: string
  from: readonly State[]
  to: State
  permission: Permission
  guards: readonly Guard[]
  needs_reason?: boolean
  /** It is made with a signature of this meaning; `when` says in words of which records, where not of all. */
  signature?: { type: SignatureType; when?: string }
}

/** The way of a kind of record through its states. All that the service asks, refuses and prints about it is read from here. */
export interface Machine<State extends string, Guard extends string> {
  /** What each state means. */
  states: Readonly<Record<State, string>>
  /** In which a record may begin. */
  initial: readonly State[]
  moves: readonly Move<State, Guard>[]
  /** What must be so, as a whole sentence that tells who tried what is missing. */
  guards: Readonly<Record<Guard, string>>
}

export const transitionsFrom = <S extends string, G extends string>({ moves }: Machine<S, G>, state: S) =>
  moves.filter(({ from }) => from.includes(state))

/** `from open it can become under_investigation, cancelled`. */
export function describeTransitionsFrom<S extends string, G extends string>(machine: Machine<S, G>, state: S): string {
  const ways = transitionsFrom(machine, state).map(({ to }) => to)
  return ways.length > 0 ? `from ${state} it can become ${ways.join(', ')}` : `${state} is final`
}

/** The move of a record from one state to another, or the 409 that says which there are. */
export function requireMove<S extends string, G extends string>(
  machine: Machine<S, G>,
  number: string,
  { from, to }: { from: S; to: S },
): Move<S, G> {
  const move = transitionsFrom(machine, from).find(each => each.to === to)
  if (!move) {
    const allowed = transitionsFrom(machine, from).map(each => each.to)
    throw conflict(messages.transition_not_allowed({ number, from, to, allowed }))
  }
  return move
}

/** Throws the 409 that names every guard of the move that does not hold. */
export function requireGuards<S extends string, G extends string>(
  { guards }: Machine<S, G>,
  number: string,
  move: Move<S, G>,
  holds: Readonly<Record<G, boolean>>,
) {
  const missing = move.guards.filter(guard => !holds[guard])
  if (missing.length > 0)
    throw conflict(
      messages.conditions_not_met({ number, to: move.to, conditions: missing.map(guard => guards[guard]), missing }),
    )
}
