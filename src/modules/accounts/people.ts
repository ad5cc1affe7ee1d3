import type { Permission } from '#kernel/catalogue.ts'
import { chainOf, effectivePermissions, linksOf, readRoles } from '#modules/roles'
import type { Tx } from '#platform/db/database.ts'

/** An active user, as far as it matters to who may do what. */
export interface PersonAtWork {
  userId: number
  role: string
  /** The user's own role first, then those that it inherits from. */
  roles: readonly string[]
  permissions: ReadonlySet<Permission>
}

/** Everybody who can work in the tenant now. */
export async function listPeople(tx: Tx): Promise<PersonAtWork[]> {
  const [roles, users] = await Promise.all([
    readRoles(tx),
    tx
      .selectFrom('users')
      .select(['id', 'role_id', 'granted', 'denied'])
      .where('is_active', '=', true)
      .orderBy('id')
      .execute(),
  ])
  return users.map(user => {
    const names = chainOf(roles, user.role_id).map(({ name }) => name)
    return {
      userId: user.id,
      role: names[0]!,
      roles: names,
      permissions: effectivePermissions([...linksOf(roles, user.role_id), user]),
    }
  })
}
