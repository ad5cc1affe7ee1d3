import type { RawBuilder } from 'kysely'
import type { Permission } from '#kernel/catalogue.ts'
import { personInWords } from '#kernel/person.ts'
import {
  administratorsAmong,
  chainOf,
  effectivePermissions,
  holdsPermission,
  isAdminChain,
  linksOf,
  listRoleHolders,
  listRoleHoldersWith,
  type RoleTable,
  readRoles,
} from '#modules/roles'
import type { Tx } from '#platform/db/database.ts'
import { mayApprove, readSettings } from './tenants/settings.ts'

/** The permissions of an active user. */
export interface PersonAtWork {
  userId: number
  role: string
  /** The user's own role first, then those that it inherits from. */
  roles: readonly string[]
  /** The role is Admin, or inherits from it. */
  isAdmin: boolean
  permissions: ReadonlySet<Permission>
}

/** All active people of the tenant. */
export async function listPeople(tx: Tx): Promise<PersonAtWork[]> {
  const [roles, users] = await Promise.all([readRoles(tx), listRoleHolders(tx)])
  return peopleAtWork(roles, users)
}

/** Those of them who hold the permission: of a large company, few are read. */
export async function listPeopleWith(tx: Tx, permission: Permission): Promise<PersonAtWork[]> {
  const roles = await readRoles(tx)
  return peopleAtWork(roles, await listRoleHoldersWith(tx, permission, rolesGiving(roles, permission)))
}

const rolesGiving = (roles: RoleTable, permission: Permission) =>
  [...roles.keys()].filter(id => effectivePermissions(linksOf(roles, id)).has(permission))

function peopleAtWork(roles: RoleTable, users: Awaited<ReturnType<typeof listRoleHolders>>): PersonAtWork[] {
  const ofRole = new Map<number, Omit<PersonAtWork, 'userId'>>()
  const byRole = (role_id: number) => {
    const known = ofRole.get(role_id)
    if (known) return known
    const names = chainOf(roles, role_id).map(({ name }) => name)
    const permissions = effectivePermissions(linksOf(roles, role_id))
    const made = { role: names[0]!, roles: names, isAdmin: isAdminChain(names), permissions }
    ofRole.set(role_id, made)
    return made
  }
  return users.map(user => ({
    userId: user.id,
    ...byRole(user.role_id),
    // Most have what their role gives.
    ...((user.granted.length > 0 || user.denied.length > 0) && {
      permissions: effectivePermissions([...linksOf(roles, user.role_id), user]),
    }),
  }))
}

/** The ids of the active users who hold all of these permissions. */
export const listHolders = async (tx: Tx, ...permissions: Permission[]): Promise<number[]> =>
  (await listPeople(tx)).filter(each => permissions.every(one => each.permissions.has(one))).map(({ userId }) => userId)

/** Those of them who may decide about records, which Admins may only where the company allows it. */
export async function listDeciders(tx: Tx, ...permissions: Permission[]): Promise<number[]> {
  const settings = await readSettings(tx)
  const people = (await listPeople(tx)).filter(each => permissions.every(one => each.permissions.has(one)))
  return people.filter(each => mayApprove(settings, each)).map(({ userId }) => userId)
}

/** An SQL condition: the row of `users`, by its alias in the statement, holds the permission. */
export async function holding(tx: Tx, permission: Permission, users: string): Promise<RawBuilder<boolean>> {
  return holdsPermission(users, permission, rolesGiving(await readRoles(tx), permission))
}

/** Active users with the role Admin, or one that inherits from it. */
export async function listAdmins(tx: Tx): Promise<number[]> {
  const roles = await readRoles(tx)
  const users = await listRoleHolders(tx)
  return users.filter(({ role_id }) => isAdminRole(roles, role_id)).map(({ id }) => id)
}

const isAdminRole = (roles: RoleTable, id: number) => isAdminChain(chainOf(roles, id).map(({ name }) => name))

/** The person is an Admin, and no other active Admin could administer users. */
export async function isLastAdmin(tx: Tx, { id, role_id }: { id: number; role_id: number }): Promise<boolean> {
  const [roles, users] = await Promise.all([readRoles(tx), listRoleHolders(tx)])
  return isAdminRole(roles, role_id) && !administratorsAmong(users, roles).some(other => other.id !== id)
}

export async function nameOf(tx: Tx, id: number): Promise<string | undefined> {
  const user = await tx.selectFrom('users').select(['username', 'full_name']).where('id', '=', id).executeTakeFirst()
  return user && personInWords(user)
}

export const findAccount = (tx: Tx, id: number) =>
  tx
    .selectFrom('users')
    .select(['id', 'username', 'full_name', 'is_active', 'revision'])
    .where('id', '=', id)
    .where('kind', '=', 'person')
    .executeTakeFirst()
