type Grades = ReadonlyMap<string, number>

/** What a list of grades is worth to who reads it from above: 2^grade - 1, the less the further down. */
const worth = (grades: readonly number[]) =>
  grades.reduce((sum, grade, place) => sum + (2 ** grade - 1) / Math.log2(place + 2), 0)

/** Of what the best possible order would be worth, what this one is: 0 to 1. */
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
