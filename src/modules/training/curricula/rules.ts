// Checks that the orders of all curricula together can be kept, as a pure function.

export interface OrderedPrograms {
  /** The name of the curriculum. */
  name: string
  programs: readonly { training_id: number; is_prerequisite: boolean }[]
}

/** A curriculum requires `first` before `second`. */
interface Requirement {
  first: number
  second: number
  curriculum: string
}

/** Only the last prerequisite of each program, because that one waits for the earlier ones. */
const requirementsOf = ({ name, programs }: OrderedPrograms): Requirement[] =>
  programs.flatMap(({ training_id }, i) => {
    const last = programs.slice(0, i).findLast(each => each.is_prerequisite)
    return last ? [{ first: last.training_id, second: training_id, curriculum: name }] : []
  })

/** A path of requirements that leads back to its first program, so that nobody could begin any of them. */
export function circleOf(curricula: readonly OrderedPrograms[]): Requirement[] | undefined {
  const edges = Map.groupBy(curricula.flatMap(requirementsOf), ({ first }) => first)
  const cleared = new Set<number>()
  const path: Requirement[] = []
  const placeOnPath = (program: number) => path.findIndex(({ first }) => first === program)
  const walk = (program: number): Requirement[] | undefined => {
    if (cleared.has(program)) return undefined
    for (const step of edges.get(program) ?? []) {
      path.push(step)
      const at = placeOnPath(step.second)
      const found = at >= 0 ? path.slice(at) : walk(step.second)
      if (found) return found
      path.pop()
    }
    cleared.add(program)
    return undefined
  }
  for (const program of edges.keys()) {
    const found = walk(program)
    if (found) return found
  }
  return undefined
}
