/**
 * Gives people places so that as many as possible have one, each person one place. `places[r]` is how many rule `r` has, and
 * `candidates[i]` the rules that person `i` could take a place of. The answer is the rule of each person, if any.
 *
 * This is a maximum bipartite matching by augmenting paths: who has a place keeps one, perhaps of another rule, whoever comes
 * later. So the order in which people approve never decides whether an approval can be completed.
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

/** Whether different people, none of them of `without`, can take all the places; `people[r]` are those that rule `r` names. */
export function canFill(
  places: readonly number[],
  people: readonly ReadonlySet<number>[],
  without: ReadonlySet<number> = new Set(),
): boolean {
  const total = places.reduce((sum, count) => sum + count, 0)
  const rulesOf = new Map<number, number[]>()
  let wanted = 0
  for (const [rule, named] of people.entries()) {
    // Enough people for every place there is: this rule can always be met last, so large tenants cost nothing.
    if (named.size - without.size >= total) continue
    wanted += places[rule]!
    for (const person of named.difference(without)) rulesOf.set(person, [...(rulesOf.get(person) ?? []), rule])
  }
  return assign(places, [...rulesOf.values()]).filter(rule => rule !== undefined).length === wanted
}
