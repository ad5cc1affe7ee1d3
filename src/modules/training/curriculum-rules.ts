// Which orders of programs can be kept, as a function of values only.

export interface OrderedPrograms {
  /** Of the curriculum. */
  name: string
  /** In their order. */
  programs: readonly { training_id: number; is_prerequisite: boolean }[]
}

/** One program stands before another in a curriculum. */
interface Before {
  first: number
  second: number
  curriculum: string
}

/** Of each program only what it waits for last: that one waits for those before it. */
const beforesOf = ({ name, programs }: OrderedPrograms): Before[] =>
  programs.flatMap(({ training_id }, i) => {
    const last = programs.slice(0, i).findLast(each => each.is_prerequisite)
    return last ? [{ first: last.training_id, second: training_id, curriculum: name }] : []
  })

/** A program that, over one or several curricula, would stand before itself, as the way from it back to it: nobody could begin it. */
export function circleOf(curricula: readonly OrderedPrograms[]): Before[] | undefined {
  const ways = Map.groupBy(curricula.flatMap(beforesOf), ({ first }) => first)
  const cleared = new Set<number>()
  const way: Before[] = []
  const isOnWay = (program: number) => way.findIndex(({ first }) => first === program)
  const walk = (program: number): Before[] | undefined => {
    if (cleared.has(program)) return undefined
    for (const step of ways.get(program) ?? []) {
      way.push(step)
      const at = isOnWay(step.second)
      const found = at >= 0 ? way.slice(at) : walk(step.second)
      if (found) return found
      way.pop()
    }
    cleared.add(program)
    return undefined
  }
  for (const program of ways.keys()) {
    const found = walk(program)
    if (found) return found
  }
  return undefined
}
