import { type Permission, tenantPermissions } from '#kernel/catalogue.ts'
import { forbidden } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { messages } from './messages.ts'

/** The permissions that a role or a user adds to, and removes from, the inherited ones. */
export interface Grants {
  granted: readonly string[]
  denied: readonly string[]
}

interface SystemRole {
  inherits: string | null
  description: string
  grants: readonly Permission[]
}

const platformRole = 'Platform operator'
export const adminRoleName = 'Admin'

/**
 * ROLE-05: the roles of every tenant, with the permissions that each adds to the inherited ones. They are not in the database, so that
 * a release with a new permission brings it to every tenant.
 */
export const systemRoles: Record<string, SystemRole> = {
  User: {
    inherits: null,
    description: 'Reads effective documents, does training, reports deviations, signs',
    grants: [
      'account.manage_own',
      'documents.read',
      'documents.download',
      'documents.comment',
      'documents.hold_copies',
      'documents.transition',
      'document_types.read',
      'search.use',
      'training.read_own',
      'training.complete',
      'deviations.create',
      'deviations.read',
      'deviations.comment',
      'signatures.create',
      'signatures.read',
      'groups.read',
      'deputies.read',
      'deputies.manage_own',
      'notifications.read',
      'notifications.manage',
      'jobs.read',
      'dashboard.read',
      'extensions.request',
    ],
  },
  Author: {
    inherits: 'User',
    description: 'Writes and submits documents, works on CAPAs',
    grants: [
      'documents.create',
      'documents.update',
      'documents.submit',
      'workflow_templates.read',
      'templates.read',
      'templates.use',
      'capa.read',
      'capa.create',
      'capa.update',
      'capa.comment',
      'ai.use',
      'users.read',
    ],
  },
  QA: {
    inherits: 'Author',
    description: 'Reviews and approves documents, manages deviations, CAPAs and training',
    grants: [
      'documents.read_drafts',
      'documents.read_obsolete',
      'documents.review',
      'documents.approve',
      'documents.configure_approval',
      'documents.make_effective',
      'documents.periodic_review',
      'documents.print_controlled',
      'training.read_all',
      'training.assign',
      'training.bulk_assign',
      'training.verify',
      'training.manage',
      'deviations.update',
      'deviations.assess',
      'deviations.investigate',
      'deviations.approve',
      'deviations.close',
      'capa.approve_draft',
      'capa.manage_actions',
      'capa.verify',
      'capa.close',
      'effectiveness.create',
      'effectiveness.update',
      'extensions.approve',
      'signatures.attest',
      'audit.read',
      'configuration_changes.read',
      'files.read_removals',
      'files.request_removal',
      'retention.read',
      'retention.propose_disposal',
      'roles.read',
      'dashboard.stats',
    ],
  },
  'QA Manager': {
    inherits: 'QA',
    description: 'Sets up workflows, types and forms, exports the audit trail, makes documents obsolete',
    grants: [
      'workflow_templates.manage',
      'document_types.manage',
      'configuration_changes.decide',
      'files.decide_removal',
      'retention.hold',
      'retention.approve_disposal',
      'deviations.manage_forms',
      'deviations.reopen',
      'templates.manage',
      'training.waive',
      'documents.obsolete',
      'signatures.void',
      'audit.export',
      'audit.review',
      'deputies.manage',
      'settings.read',
      'users.verify_identity',
      'migration.read',
      'migration.accept',
    ],
  },
  Auditor: {
    inherits: 'User',
    description: 'Reads everything, drafts and the audit trail too, and changes nothing',
    grants: [
      'documents.read_drafts',
      'documents.read_obsolete',
      'workflow_templates.read',
      'templates.read',
      'training.read_all',
      'capa.read',
      'audit.read',
      'audit.export',
      'configuration_changes.read',
      'files.read_removals',
      'migration.read',
      'retention.read',
      'roles.read',
      'users.read',
      'users.read_logins',
      'settings.read',
      'dashboard.stats',
    ],
  },
  [adminRoleName]: {
    inherits: 'QA Manager',
    description: 'Manages users, roles, groups and settings; holds every permission of the tenant',
    grants: tenantPermissions,
  },
}

/** The only role of the platform's own tenant; it sees the installation, but no records of a tenant. */
export const platformRoles: Record<string, SystemRole> = {
  [platformRole]: {
    inherits: null,
    description: 'Operates the installation and its tenants',
    grants: ['account.manage_own', 'platform.read_status', 'platform.manage_tenants'],
  },
}
export const platformRoleName = platformRole

/** Inherited permissions that a system role denies: an auditor reads everything and changes nothing. */
const systemDenials: Record<string, readonly Permission[]> = {
  Auditor: [
    'documents.comment',
    'documents.hold_copies',
    'documents.transition',
    'deviations.create',
    'deviations.comment',
    'training.complete',
    'signatures.create',
    'extensions.request',
    'deputies.manage_own',
  ],
}

export const grantsOfSystemRole = (name: string): Grants => ({
  granted: (systemRoles[name] ?? platformRoles[name])?.grants ?? [],
  denied: systemDenials[name] ?? [],
})

/**
 * Whether a service account can hold the permission, whatever its role says: a machine never signs, never decides about records or people,
 * and never manages accounts. A new permission is decided about here, or it does not compile.
 */
const openToServices: Record<Permission, boolean> = {
  'documents.read': true,
  'documents.read_drafts': true,
  'documents.read_obsolete': true,
  'documents.create': true,
  'documents.update': true,
  'documents.submit': true,
  'documents.review': false,
  'documents.approve': false,
  'documents.configure_approval': true,
  'documents.make_effective': true,
  'documents.obsolete': false,
  'documents.download': true,
  'documents.periodic_review': false,
  'documents.print_controlled': true,
  'documents.hold_copies': false,
  'documents.comment': true,
  'documents.transition': true,
  'document_types.read': true,
  'document_types.manage': true,
  'workflow_templates.read': true,
  'workflow_templates.manage': true,
  'configuration_changes.read': true,
  'configuration_changes.decide': false,
  'templates.read': true,
  'templates.use': true,
  'templates.manage': true,
  'search.use': true,
  'ai.use': true,
  'ai.manage': true,
  'training.read_own': true,
  'training.read_all': true,
  'training.assign': true,
  'training.bulk_assign': true,
  'training.complete': false,
  'training.waive': false,
  'training.verify': false,
  'training.manage': true,
  'deviations.read': true,
  'deviations.create': true,
  'deviations.update': true,
  'deviations.assess': true,
  'deviations.investigate': true,
  'deviations.approve': false,
  'deviations.close': false,
  'deviations.reopen': false,
  'deviations.comment': true,
  'deviations.manage_forms': true,
  'capa.read': true,
  'capa.create': true,
  'capa.update': true,
  'capa.comment': true,
  'capa.approve_draft': false,
  'capa.manage_actions': true,
  'capa.verify': false,
  'capa.close': false,
  'effectiveness.create': true,
  'effectiveness.update': false,
  'extensions.request': true,
  'extensions.approve': false,
  'signatures.create': false,
  'signatures.attest': false,
  'signatures.read': true,
  'signatures.void': false,
  'audit.read': true,
  'audit.export': true,
  'audit.review': false,
  'dashboard.read': true,
  'dashboard.stats': true,
  'files.read_removals': true,
  'files.request_removal': true,
  'files.decide_removal': false,
  'migration.read': true,
  'migration.manage': false,
  'migration.accept': false,
  'retention.read': true,
  'retention.hold': false,
  'retention.propose_disposal': false,
  'retention.approve_disposal': false,
  'deputies.read': true,
  'deputies.manage_own': false,
  'deputies.manage': false,
  'groups.read': true,
  'groups.manage': true,
  'notifications.read': true,
  'notifications.manage': true,
  'jobs.read': true,
  'roles.read': false,
  'roles.manage': false,
  'roles.assign': false,
  'permissions.grant': false,
  'users.read': false,
  'users.read_logins': false,
  'users.review_access': false,
  'users.verify_identity': false,
  'users.manage': false,
  'service_accounts.manage': false,
  'sso.manage': false,
  'account.manage_own': false,
  'tenant.export': false,
  'settings.read': true,
  'settings.manage': false,
  'platform.read_status': false,
  'platform.manage_tenants': false,
}
export const neverForServices = (Object.keys(openToServices) as Permission[]).filter(each => !openToServices[each])

/** Of what a role and single grants give, what a service account has. */
export const withoutPersonal = (held: ReadonlySet<Permission>): ReadonlySet<Permission> =>
  new Set([...held].filter(each => openToServices[each]))

/** Nobody can be denied it, because without it a person could not even change their own password. */
export const everybodys: Permission = 'account.manage_own'

/**
 * ROLE-02: applies grants and denials along the chain, from the farthest role to the role itself and at last the user. The nearer one
 * wins; at the same distance a denial wins.
 */
export function effectivePermissions(chain: readonly Grants[]): ReadonlySet<Permission> {
  const held = new Set<string>([everybodys])
  for (const { granted, denied } of chain) {
    for (const each of granted) held.add(each)
    for (const each of denied) if (each !== everybodys) held.delete(each)
  }
  return held as ReadonlySet<string> as ReadonlySet<Permission>
}

export interface Origin {
  permission: Permission
  /** The role that grants it; null if it was granted to the user. */
  role: string | null
}

/** Each effective permission by name, with the nearest role that grants it; `role` is null for the user's own grants. */
export function originsOf(chain: readonly (Grants & { role: string | null })[]): Origin[] {
  const giver = (permission: Permission) =>
    (chain.findLast(({ granted }) => granted.includes(permission)) ?? chain.at(-1)!).role
  return [...effectivePermissions(chain)].sort().map(permission => ({ permission, role: giver(permission) }))
}

/** One role of the chain, or the person, that says something about a permission. */
export interface Step {
  /** null for what was granted or denied to the person. */
  role: string | null
  effect: 'granted' | 'denied'
}

export interface Explanation {
  permission: Permission
  is_held: boolean
  /** From the farthest role to the person: the last one decides. */
  steps: Step[]
}

/** Each permission of a tenant, held or not, with everybody who says something about it. */
export function explain(chain: readonly (Grants & { role: string | null })[]): Explanation[] {
  const held = effectivePermissions(chain)
  return tenantPermissions.map(permission => ({
    permission,
    is_held: held.has(permission),
    steps: chain.flatMap(({ role, granted, denied }): Step[] => [
      ...(granted.includes(permission) ? [{ role, effect: 'granted' as const }] : []),
      ...(denied.includes(permission) && permission !== everybodys ? [{ role, effect: 'denied' as const }] : []),
    ]),
  }))
}

export interface Difference {
  gained: Permission[]
  lost: Permission[]
}

/** What somebody holds after a change and did not before, and the other way round. */
export const differenceBetween = (before: ReadonlySet<Permission>, after: ReadonlySet<Permission>): Difference => ({
  gained: [...after].filter(each => !before.has(each)).sort(),
  lost: [...before].filter(each => !after.has(each)).sort(),
})

/** What each of these people gains and loses where one table of roles becomes another; who is not touched is left out. */
export const differencesOf = <U extends RoleHolder>(users: readonly U[], before: RoleTable, after: RoleTable) =>
  users
    .map(user => ({
      user,
      ...differenceBetween(
        effectivePermissions([...linksOf(before, user.role_id), user]),
        effectivePermissions([...linksOf(after, user.role_id), user]),
      ),
    }))
    .filter(({ gained, lost }) => gained.length > 0 || lost.length > 0)

export interface RoleLink extends Grants {
  id: number
  name: string
  inherits_role_id: number | null
}
export type RoleTable = ReadonlyMap<number, RoleLink>

/** A role of which this is the chain, its own name first, is Admin or inherits from it. */
export const isAdminChain = (names: readonly string[]) => names.includes(adminRoleName)

/** Without these nobody can give anybody a permission. */
const administering: readonly Permission[] = ['users.manage', 'roles.assign', 'permissions.grant']

interface RoleHolder extends Grants {
  role_id: number
}

/** Admins who can still administer users: those who inherit from Admin, and were not denied the permissions for it. */
export const administratorsAmong = <U extends RoleHolder>(users: readonly U[], roles: RoleTable): U[] =>
  users.filter(user => {
    if (!isAdminChain(chainOf(roles, user.role_id).map(({ name }) => name))) return false
    const held = effectivePermissions([...linksOf(roles, user.role_id), user])
    return administering.every(each => held.has(each))
  })

/** Limits inheritance, because each request walks the chain. */
const maxChainLength = 10

/** The role itself first, then those that it inherits from. Ends where a chain comes back to itself or is too long. */
export function chainOf(roles: RoleTable, id: number): RoleLink[] {
  const chain: RoleLink[] = []
  for (
    let role = roles.get(id);
    role && chain.length <= maxChainLength;
    role = role.inherits_role_id === null ? undefined : roles.get(role.inherits_role_id)
  )
    chain.push(role)
  return chain
}

/** The chain in the order that `effectivePermissions` and `originsOf` need: the farthest role first. */
export const linksOf = (roles: RoleTable, id: number) =>
  chainOf(roles, id)
    .toReversed()
    .map(({ name, granted, denied }) => ({ role: name, granted, denied }))

/** Finds a chain of inheritance that comes back to itself or is too long. */
export function inheritanceFlaw(roles: RoleTable): Message | undefined {
  for (const { id, name } of roles.values()) {
    const chain = chainOf(roles, id)
    if (new Set(chain.map(role => role.id)).size < chain.length) return messages.role_inherits_from_itself({ name })
    if (chain.length > maxChainLength) return messages.role_inheritance_too_deep({ name, maximum: maxChainLength - 1 })
  }
  return undefined
}

/** ROLE-04: nobody gives a permission that they do not hold, neither by a grant nor by removing a denial. */
export function refuseUnheld(
  actor: { permissions: ReadonlySet<Permission> },
  before: ReadonlySet<Permission>,
  after: ReadonlySet<Permission>,
) {
  const unheld = [...after].filter(each => !before.has(each) && !actor.permissions.has(each)).sort()
  if (unheld.length === 0) return
  throw forbidden(messages.permissions_not_held({ permissions: unheld }))
}

/** Where a role or a grant belongs on a page that lists all permissions: people look for an area first. */
export const areasOfPermissions = [
  'documents',
  'training',
  'deviations',
  'capa',
  'signatures',
  'audit',
  'rules',
  'people',
  'company',
  'assistant',
  'own',
] as const
type PermissionArea = (typeof areasOfPermissions)[number]

/** By what stands before the dot. A permission that opens something of one's own is among `own`. */
const areaOfPrefix: Record<string, PermissionArea> = {
  documents: 'documents',
  search: 'documents',
  files: 'documents',
  retention: 'documents',
  training: 'training',
  deviations: 'deviations',
  capa: 'capa',
  effectiveness: 'capa',
  extensions: 'capa',
  signatures: 'signatures',
  audit: 'audit',
  document_types: 'rules',
  workflow_templates: 'rules',
  configuration_changes: 'rules',
  templates: 'rules',
  groups: 'people',
  roles: 'people',
  permissions: 'people',
  users: 'people',
  service_accounts: 'people',
  sso: 'people',
  settings: 'company',
  tenant: 'company',
  migration: 'company',
  ai: 'assistant',
  dashboard: 'own',
  deputies: 'own',
  notifications: 'own',
  jobs: 'own',
  account: 'own',
}
export const areaOf = (permission: Permission): PermissionArea => {
  const area = areaOfPrefix[permission.slice(0, permission.indexOf('.'))]
  if (!area) throw new Error(`no area has the permission ${permission}`)
  return area
}
