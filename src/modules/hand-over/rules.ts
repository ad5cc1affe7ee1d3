import type { PersonAtWork } from '#modules/accounts'

interface Chosen {
  leaver_id: number
  successor_id: number | null
  role: string | null
  /** How many items each person has taken. */
  given: Readonly<Record<number, number>>
}

/**
 * The people to whom an item is offered, in their order: the successor, then the people with the role, of whom those who have taken the
 * fewest items come first. People whose role inherits from it come after those, the further the later.
 */
export function takersInOrder(
  people: readonly PersonAtWork[],
  { leaver_id, successor_id, role, given }: Chosen,
): PersonAtWork[] {
  const others = people.filter(({ userId }) => userId !== leaver_id)
  const successor = others.filter(({ userId }) => userId === successor_id)
  const holders = others
    .map(person => ({
      person,
      inherits: role === null ? -1 : person.roles.indexOf(role),
      taken: given[person.userId] ?? 0,
    }))
    .filter(({ person, inherits }) => inherits >= 0 && person.userId !== successor_id)
    .sort((a, b) => a.inherits - b.inherits || a.taken - b.taken || a.person.userId - b.person.userId)
  return [...successor, ...holders.map(({ person }) => person)]
}
