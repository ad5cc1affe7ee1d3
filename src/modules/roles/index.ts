import { type Route, route } from '#http'
import { changeRole, createRole, listAllRoles, listPermissions, removeRole, roleDetails } from './actions.ts'

export { findRoleByName, lockGrants, readRoles } from './queries.ts'
export {
  chainOf,
  effectivePermissions,
  everybodys,
  type Grants,
  grantsOfSystemRole,
  linksOf,
  originsOf,
  platformRoleName,
  platformRoles,
  refuseUnheld,
  systemRoles,
} from './rules.ts'
export { Denied, Granted, PermissionOrigin } from './schema.ts'

/** `changed` is called after each commit that changes permissions. */
export const routes = (changed: () => void): Route[] => [
  route('GET', '/api/roles/', listAllRoles),
  route('POST', '/api/roles/', createRole(changed), { status: 201 }),
  route('GET', '/api/roles/:id', roleDetails),
  route('PUT', '/api/roles/:id', changeRole(changed)),
  route('DELETE', '/api/roles/:id', removeRole(changed), { status: 204 }),
  route('GET', '/api/permissions/', listPermissions),
]
