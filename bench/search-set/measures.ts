type Grades = ReadonlyMap<string, number>

/** The value of a list of grades to a person who reads it from the top: 2^grade - 1, less the further down. */
const worth = (grades: readonly number[]) =>
  grades.reduce((sum, grade, place) => sum + (2 ** grade - 1) / Math.log2(place + 2), 0)

/** The value of this order as a share of the best possible one: 0 to 1. */
export function ndcg(found: readonly string[], grades: Grades, depth: number) {
  const best = worth([...grades.values()].toSorted((a, b) => b - a).slice(0, depth))
  return worth(found.slice(0, depth).map(key => grades.get(key) ?? 0)) / best
}

/** The share of the documents that answer at least a part which is among the first. */
export function recall(found: readonly string[], grades: Grades, depth: number) {
  const wanted = [...grades].filter(([, grade]) => grade >= 2).map(([key]) => key)
  const first = new Set(found.slice(0, depth))
  return wanted.filter(key => first.has(key)).length / wanted.length
}
