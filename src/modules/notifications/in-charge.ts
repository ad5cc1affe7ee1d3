import type { Permission } from '#kernel/catalogue.ts'
import type { PersonAtWork } from '#modules/accounts'
import { adminRoleName } from '#modules/roles'

/** The order in which an unread request goes up. */
const ranks = ['User', 'Author', 'QA', 'QA Manager', adminRoleName]

/** A tenant's own role counts as the highest system role that it inherits from. */
const rankOf = ({ roles }: Pick<PersonAtWork, 'roles'>) => Math.max(0, ...roles.map(role => ranks.indexOf(role)))

/** The people of the next higher role in which anybody may read the record. */
export function nextInCharge(people: readonly PersonAtWork[], ignoredBy: number, permission: Permission): number[] {
  const reader = people.find(({ userId }) => userId === ignoredBy) ?? { roles: [] }
  for (let rank = rankOf(reader) + 1; rank < ranks.length; rank++) {
    const found = people.filter(each => rankOf(each) === rank && each.permissions.has(permission))
    if (found.length > 0) return found.map(({ userId }) => userId)
  }
  return []
}
