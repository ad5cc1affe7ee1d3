import type { Permission } from '#kernel/catalogue.ts'
import { effectivePermissions, type Grants, grantsOfSystemRole } from '#modules/roles'
import type { Tx } from '#platform/db/database.ts'

/** An active user, as far as it matters to who may do what. */
export interface PersonAtWork {
  userId: number
  role: string
  /** The user's own role first, then those that it inherits from. */
  roles: readonly string[]
  permissions: ReadonlySet<Permission>
}

interface RoleRow extends Grants {
  id: number
  name: string
  is_system: boolean
  inherits_role_id: number | null
}

/** Everybody who can work in the tenant now. */
export async function listPeople(tx: Tx): Promise<PersonAtWork[]> {
  const [roles, users] = await Promise.all([
    tx.selectFrom('roles').select(['id', 'name', 'is_system', 'inherits_role_id', 'granted', 'denied']).execute(),
    tx.selectFrom('users').select(['id', 'role_id', 'granted', 'denied']).where('is_active', '=', true).orderBy('id').execute(),
  ])
  const byId = new Map<number, RoleRow>(roles.map(role => [role.id, role]))
  return users.map(user => {
    const chain = chainOf(byId, user.role_id)
    const farthestFirst = chain.toReversed().map(role => (role.is_system ? grantsOfSystemRole(role.name) : role))
    return { userId: user.id, role: chain[0]!.name, roles: chain.map(({ name }) => name), permissions: effectivePermissions([...farthestFirst, user]) }
  })
}

function chainOf(roles: ReadonlyMap<number, RoleRow>, id: number): RoleRow[] {
  const chain: RoleRow[] = []
  for (let role = roles.get(id); role; role = role.inherits_role_id === null ? undefined : roles.get(role.inherits_role_id)) chain.push(role)
  return chain
}
