import type { Permission } from '#kernel/catalogue.ts'
import type { PersonAtWork } from '#modules/accounts'

/** Who is asked after whom, where one ignores what is asked. */
const ranks = ['User', 'Author', 'QA', 'QA Manager', 'Admin']

/** A role of the tenant's own counts as the highest that it inherits from. */
const rankOf = ({ roles }: Pick<PersonAtWork, 'roles'>) => Math.max(0, ...roles.map(role => ranks.indexOf(role)))

/** The people of the next role above with anybody who may read the record; none above the highest. */
export function nextInCharge(people: readonly PersonAtWork[], ignoredBy: number, permission: Permission): number[] {
  const reader = people.find(({ userId }) => userId === ignoredBy) ?? { roles: [] }
  for (let rank = rankOf(reader) + 1; rank < ranks.length; rank++) {
    const found = people.filter(each => rankOf(each) === rank && each.permissions.has(permission))
    if (found.length > 0) return found.map(({ userId }) => userId)
  }
  return []
}
