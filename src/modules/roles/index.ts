import { type Route, route } from '#http'
import {
  changeRole,
  createRole,
  listAllRoles,
  listPermissions,
  previewRole,
  removeRole,
  roleDetails,
} from './actions.ts'

export {
  findRoleByName,
  holdsPermission,
  listRoleHolders,
  listRoleHoldersWith,
  lockGrants,
  readRoles,
} from './queries.ts'
export {
  administratorsAmong,
  adminRoleName,
  chainOf,
  effectivePermissions,
  everybodys,
  explain,
  type Grants,
  grantsOfSystemRole,
  isAdminChain,
  linksOf,
  neverForServices,
  originsOf,
  platformRoleName,
  platformRoles,
  type RoleTable,
  refuseUnheld,
  systemRoles,
  withoutPersonal,
} from './rules.ts'
export { Denied, Granted, PermissionOrigin, PermissionSteps } from './schema.ts'

export const routes: Route[] = [
  route('GET', '/api/roles/', listAllRoles),
  route('POST', '/api/roles/', createRole, { status: 201 }),
  route('POST', '/api/roles/preview', previewRole),
  route('GET', '/api/roles/:id', roleDetails),
  route('PUT', '/api/roles/:id', changeRole),
  route('DELETE', '/api/roles/:id', removeRole, { status: 204 }),
  route('GET', '/api/permissions/', listPermissions),
]
