import type { Words } from '../words/en.ts'
import { paths } from './paths.ts'

export interface AdminPart {
  name: keyof Words['shell']['adminParts']
  path: string
  /** Pages of this part at addresses of their own. */
  others?: string[]
  /** Shown to people who hold one of them. Each of its requests asks for its own. */
  permissions: string[]
}

/** Who may do what. */
const people: AdminPart[] = [
  {
    name: 'users',
    path: paths.users,
    permissions: ['users.manage', 'users.verify_identity', 'users.read_logins', 'roles.assign', 'permissions.grant'],
  },
  { name: 'roles', path: paths.roles, permissions: ['roles.manage', 'settings.read'] },
  { name: 'groups', path: paths.groups, permissions: ['groups.manage', 'settings.read'] },
  { name: 'serviceAccounts', path: paths.serviceAccounts, permissions: ['service_accounts.manage'] },
  { name: 'identityProviders', path: paths.identityProviders, permissions: ['sso.manage'] },
]

/** By what rules records go their way. */
const rules: AdminPart[] = [
  { name: 'documentTypes', path: paths.documentTypes, permissions: ['document_types.manage', 'settings.read'] },
  { name: 'workflows', path: paths.workflows, permissions: ['workflow_templates.manage', 'settings.read'] },
  { name: 'forms', path: paths.forms, permissions: ['deviations.manage_forms', 'settings.read'] },
  { name: 'templates', path: paths.templates, permissions: ['templates.manage', 'settings.read'] },
  { name: 'changes', path: paths.changes, permissions: ['configuration_changes.decide', 'settings.read'] },
]

/** How the company's installation behaves, and what it did. */
const company: AdminPart[] = [
  { name: 'setUp', path: paths.setUp, permissions: ['settings.read'] },
  { name: 'settings', path: paths.settings, permissions: ['settings.read'] },
  { name: 'retention', path: paths.retention, others: [paths.disposals], permissions: ['retention.read'] },
  { name: 'legalHolds', path: paths.legalHolds, permissions: ['retention.read'] },
  { name: 'aiUse', path: paths.aiUse, permissions: ['settings.read'] },
  { name: 'imports', path: paths.imports, permissions: ['migration.read'] },
  { name: 'jobs', path: paths.jobs, permissions: ['settings.read'] },
  { name: 'messages', path: paths.messages, permissions: ['settings.read'] },
  { name: 'exports', path: paths.exports, permissions: ['tenant.export'] },
]

/** The parts of the administration, in the order of its pages. */
export const adminParts = { people, rules, company }

const mayRead = (permissions: string[]) => (part: AdminPart) =>
  part.permissions.some(each => permissions.includes(each))

/** The parts that somebody is shown, by their groups; a group of which nothing is left is left out. */
export const adminPartsOf = (permissions: string[]) =>
  (Object.keys(adminParts) as (keyof typeof adminParts)[])
    .map(group => ({ group, parts: adminParts[group].filter(mayRead(permissions)) }))
    .filter(({ parts }) => parts.length > 0)
