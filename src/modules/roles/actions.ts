import { Type } from 'typebox'
import { configurationCommand, query } from '#action'
import { refuseStale } from '#action/revision.ts'
import { type Permission, permissions, tenantPermissions } from '#kernel/catalogue.ts'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import {
  countRoles,
  deleteRole,
  findRole,
  insertRole,
  listNamedHolders,
  listRoleHolders,
  listRoles,
  lockGrants,
  readRoles,
  roleSorts,
  updateRole,
  usesOfRole,
} from './queries.ts'
import {
  administratorsAmong,
  areaOf,
  areasOfPermissions,
  chainOf,
  differenceBetween,
  differencesOf,
  effectivePermissions,
  everybodys,
  inheritanceFlaw,
  linksOf,
  neverForServices,
  originsOf,
  type RoleTable,
  refuseUnheld,
} from './rules.ts'
import {
  maxNamed,
  PermissionList,
  Role,
  RoleCreate,
  RoleFilter,
  RolePreview,
  RolePreviewInput,
  RoleSummary,
  RoleUpdate,
} from './schema.ts'

const maxRoles = 200

/** No role has it: that of a role which is not stored. */
const unstoredId = 0

async function readRole(tx: Tx, id: number): Promise<Role> {
  const [role, roles] = await Promise.all([findRole(tx, id), readRoles(tx)])
  if (!role) throw notFound('Role')
  const origins = originsOf(linksOf(roles, id))
  return { ...role, permissions: origins.map(({ permission }) => permission), origins }
}

function requireParent(roles: RoleTable, id: number | null | undefined) {
  if (id !== null && id !== undefined && !roles.has(id)) throw notFound('Role')
}

/** A denial hides the same grant, so a request with both is a mistake. */
function refuseContradiction(granted: readonly string[], denied: readonly string[]) {
  const both = granted.filter(each => denied.includes(each))
  if (both.length > 0) throw invalidField('denied', messages.role_granted_and_denied({ permissions: both }))
}

function refuseSystem({ is_system, name }: RoleSummary) {
  if (is_system) throw conflict(messages.role_is_system({ name }))
}

export const listAllRoles = query({
  summary: 'List roles',
  permission: 'roles.read',
  input: { query: RoleFilter },
  response: Page(RoleSummary),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, roleSorts, { field: 'name', direction: 'asc' })
    return pageOf(
      query,
      (limit, offset) => listRoles(tx, query, sort, limit, offset),
      () => countRoles(tx, query),
    )
  },
})

export const roleDetails = query({
  summary: 'Read a role with its effective permissions',
  description: 'Inherited permissions first, then what the role itself grants and denies: the nearer wins (ROLE-02).',
  permission: 'roles.read',
  input: { params: IdParams },
  response: Role,
  run: ({ tx }, { params }) => readRole(tx, params.id),
})

export const createRole = configurationCommand({
  configures: 'role',
  operation: 'create',
  summary: 'Create a role',
  permission: 'roles.manage',
  input: { body: RoleCreate },
  response: Role,
  async run(
    { tx, actor, services, record, afterCommit },
    { body: { name, description = '', inherits_role_id = null, granted = [], denied = [] } },
  ) {
    await lockGrants(tx)
    const roles = await readRoles(tx)
    if (roles.size >= maxRoles) throw conflict(messages.role_limit_reached({ maximum: maxRoles }))
    requireParent(roles, inherits_role_id)
    refuseContradiction(granted, denied)
    const inserted = await insertRole(tx, { name, description, inherits_role_id, granted, denied })
    if (!inserted) throw conflict(messages.role_name_taken({ name }))
    const role = await readRole(tx, inserted.id)
    const flaw = inheritanceFlaw(await readRoles(tx))
    if (flaw) throw invalidField('inherits_role_id', flaw)
    refuseUnheld(actor, new Set(), new Set(role.permissions as Permission[]))
    record('role.created', role.id, { after: withoutOrigins(role) })
    afterCommit(() => services.accounts.changed())
    return role
  },
})

export const changeRole = configurationCommand({
  configures: 'role',
  operation: 'update',
  summary: 'Change a role',
  description: 'Its name stays: rules of workflows name roles. System roles cannot be changed.',
  permission: 'roles.manage',
  input: { params: IdParams, body: RoleUpdate },
  response: Role,
  async run(context, { params, body }) {
    const { tx, actor, services, record, afterCommit } = context
    await lockGrants(tx)
    const [before, roles] = await Promise.all([readRole(tx, params.id), readRoles(tx)])
    await refuseStale(context, 'role', before)
    refuseSystem(before)
    const { description = before.description, granted = before.granted, denied = before.denied } = body
    const inherits_role_id = body.inherits_role_id === undefined ? (before.inherits?.id ?? null) : body.inherits_role_id
    requireParent(roles, inherits_role_id)
    refuseContradiction(granted, denied)
    const changedRoles = new Map(roles).set(before.id, {
      id: before.id,
      name: before.name,
      inherits_role_id,
      granted,
      denied,
    })
    const flaw = inheritanceFlaw(changedRoles)
    if (flaw) throw invalidField('inherits_role_id', flaw)
    // Roles that inherit from it change too, and can gain permissions that this role denies itself.
    for (const id of roles.keys()) {
      if (chainOf(changedRoles, id).some(role => role.id === before.id)) {
        refuseUnheld(actor, effectivePermissions(linksOf(roles, id)), effectivePermissions(linksOf(changedRoles, id)))
      }
    }
    const holders = await listRoleHolders(tx)
    if (administratorsAmong(holders, roles).length > 0 && administratorsAmong(holders, changedRoles).length === 0)
      throw conflict(messages.role_of_last_admin({ name: before.name }))
    await updateRole(tx, before.id, { description, inherits_role_id, granted, denied })
    const role = await readRole(tx, before.id)
    record('role.updated', role.id, {
      before: withoutOrigins(before),
      after: withoutOrigins(role),
      reason: body.change_reason ?? null,
    })
    afterCommit(() => services.accounts.changed())
    return role
  },
})

export const removeRole = configurationCommand({
  configures: 'role',
  operation: 'delete',
  summary: 'Delete a role that nobody has',
  permission: 'roles.manage',
  input: { params: IdParams },
  response: Type.Null(),
  async run(context, { params }) {
    const { tx, services, record, afterCommit } = context
    await lockGrants(tx)
    const role = await readRole(tx, params.id)
    await refuseStale(context, 'role', role)
    refuseSystem(role)
    const uses = await usesOfRole(tx, role)
    if (Object.values(uses).some(count => count > 0)) throw conflict(messages.role_in_use({ name: role.name, ...uses }))
    await deleteRole(tx, role.id)
    record('role.deleted', role.id, { before: withoutOrigins(role) })
    afterCommit(() => services.accounts.changed())
    return null
  },
})

/** The audit trail omits the effective permissions, because they follow from the rest. */
const withoutOrigins = ({ origins: _origins, permissions: _permissions, user_count: _users, ...role }: Role) => role

export const previewRole = query({
  summary: 'Say what a change of a role would do',
  description:
    'Stores nothing. With `role_id` a change of that role, of which a field that is left out stays; without it a new role. Answers what the role would give, and which roles and active people would gain or lose which permissions.',
  permission: 'roles.manage',
  input: { body: RolePreviewInput },
  response: RolePreview,
  async run({ tx, actor }, { body }) {
    const roles = await readRoles(tx)
    const role = body.role_id === undefined ? undefined : await findRole(tx, body.role_id)
    if (body.role_id !== undefined && !role) throw notFound('Role')
    if (role) refuseSystem(role)
    const { granted = role?.granted ?? [], denied = role?.denied ?? [] } = body
    const inherits_role_id = body.inherits_role_id === undefined ? (role?.inherits?.id ?? null) : body.inherits_role_id
    requireParent(roles, inherits_role_id)
    refuseContradiction(granted, denied)
    const id = role?.id ?? unstoredId
    const changed = new Map(roles).set(id, { id, name: role?.name ?? '', inherits_role_id, granted, denied })
    const flaw = inheritanceFlaw(changed)
    if (flaw) throw invalidField('inherits_role_id', flaw)
    const given = (table: RoleTable, of: number) =>
      table.has(of) ? effectivePermissions(linksOf(table, of)) : new Set<Permission>()
    const touched = [...changed.keys()].filter(of => chainOf(changed, of).some(each => each.id === id))
    for (const of of touched) refuseUnheld(actor, given(roles, of), given(changed, of))
    const people = differencesOf(await listNamedHolders(tx), roles, changed)
    const differing = touched
      .filter(of => roles.has(of))
      .map(of => ({ id: of, name: roles.get(of)!.name, ...differenceBetween(given(roles, of), given(changed, of)) }))
      .filter(({ gained, lost }) => gained.length > 0 || lost.length > 0)
      .map(each => ({ ...each, people: people.filter(({ user }) => user.role_id === each.id).length }))
    const permissions = given(changed, id)
    return {
      permissions: [...permissions].sort(),
      ...differenceBetween(given(roles, id), permissions),
      roles: differing,
      people: people.slice(0, maxNamed).map(({ user: { id, username, full_name, role_id }, gained, lost }) => ({
        ...{ id, username, full_name, role: roles.get(role_id)!.name },
        ...{ gained, lost },
      })),
      people_total: people.length,
    }
  },
})

export const listPermissions = query({
  summary: 'List the permissions that a role or a user can hold',
  permission: 'roles.read',
  input: {},
  response: PermissionList,
  run: async () => ({ items: permissionsByArea, total: permissionsByArea.length }),
})

const permissionsByArea = areasOfPermissions
  .flatMap(area => tenantPermissions.filter(name => areaOf(name) === area))
  .map((name, order) => ({
    ...{ name, description: permissions[name], area: areaOf(name), order },
    is_grantable: name !== everybodys,
    for_services: !neverForServices.includes(name),
  }))
