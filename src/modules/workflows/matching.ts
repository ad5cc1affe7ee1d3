/**
 * Assigns people to the places of rules, so that as many people as possible have one. `places[r]` is the number of places of rule `r`, and
 * `candidates[i]` the rules that name person `i`. The answer is the rule of each person, if any.
 *
 * This is a maximum bipartite matching by augmenting paths: a person with a place keeps one, perhaps of another rule, so the order of
 * approvals never decides whether an approval can be completed.
 */
export function assign(
  places: readonly number[],
  candidates: readonly (readonly number[])[],
): readonly (number | undefined)[] {
  const holders: number[][] = places.map(() => [])
  const given: (number | undefined)[] = candidates.map(() => undefined)
  const seat = (person: number, tried: Set<number>): boolean => {
    for (const rule of candidates[person]!) {
      if (tried.has(rule)) continue
      tried.add(rule)
      const taken = holders[rule]!
      const moved = taken.length < places[rule]! ? taken.length : taken.findIndex(holder => seat(holder, tried))
      if (moved === -1) continue
      taken[moved] = person
      given[person] = rule
      return true
    }
    return false
  }
  for (const person of candidates.keys()) seat(person, new Set())
  return given
}

/** Checks that different people can fill all places; `people[r]` are those whom rule `r` names, and `without` are excluded. */
export function canFill(
  places: readonly number[],
  people: readonly ReadonlySet<number>[],
  without: ReadonlySet<number> = new Set(),
): boolean {
  const total = places.reduce((sum, count) => sum + count, 0)
  const rulesOf = new Map<number, number[]>()
  let wanted = 0
  for (const [rule, named] of people.entries()) {
    // With enough people for all places this rule can be met last, so large tenants cost nothing.
    if (named.size - without.size >= total) continue
    wanted += places[rule]!
    for (const person of named.difference(without)) rulesOf.set(person, [...(rulesOf.get(person) ?? []), rule])
  }
  return assign(places, [...rulesOf.values()]).filter(rule => rule !== undefined).length === wanted
}
