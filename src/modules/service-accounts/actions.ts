import { type ActionContext, type Actor, command, query } from '#action'
import { listQuery } from '#action/list.ts'
import { refuseStale } from '#action/revision.ts'
import { type Permission, tenantPermissions } from '#kernel/catalogue.ts'
import { conflict, forbidden, invalidField, notFound } from '#kernel/errors.ts'
import { NamedFilter } from '#kernel/paging.ts'
import { IdParams } from '#kernel/schema.ts'
import {
  countServiceAccounts,
  findAccount,
  findServiceAccount,
  insertServiceAccount,
  listServiceAccounts,
  lockServiceAccount,
  requireRecentLogin,
  type ServiceAccountRow,
  serviceAccountSorts,
  updateServiceAccount,
} from '#modules/accounts'
import { revokeAllKeys } from '#modules/api-keys'
import {
  effectivePermissions,
  findRoleByName,
  linksOf,
  lockGrants,
  neverForServices,
  type RoleTable,
  readRoles,
  refuseUnheld,
  withoutPersonal,
} from '#modules/roles'
import type { Tx } from '#platform/db/database.ts'
import { messages, reasons } from './messages.ts'
import { ServiceAccount, ServiceAccountCreate, ServiceAccountDeactivation, ServiceAccountUpdate } from './schema.ts'

export const managing: Permission = 'service_accounts.manage'

/** Whoever finds a browser open must not be able to give themselves a way in that lasts for a year. */
const recentMinutes = 10
export const requireOwnHand = ({ actor, services }: ActionContext<unknown>) =>
  requireRecentLogin(actor, services.clock.now(), recentMinutes)

interface Grants {
  role_id: number
  granted: readonly string[]
}
export const permissionsOf = (roles: RoleTable, { role_id, granted }: Grants): ReadonlySet<Permission> =>
  withoutPersonal(effectivePermissions([...linksOf(roles, role_id), { granted, denied: [] }]))

const shown = (roles: RoleTable, row: ServiceAccountRow): ServiceAccount => {
  const held = permissionsOf(roles, row)
  return { ...row, permissions: tenantPermissions.filter(each => held.has(each)) }
}

export async function readServiceAccount(
  { tx, services }: ActionContext<unknown>,
  id: number,
): Promise<ServiceAccount> {
  const [row, roles] = [await findServiceAccount(tx, id, services.clock.now()), await readRoles(tx)]
  if (!row) throw notFound('Service account')
  return shown(roles, row)
}

/** Locks the account until the end of the transaction, or throws the 404 or 409. */
export async function lockedServiceAccount(context: ActionContext<unknown>, id: number): Promise<ServiceAccount> {
  if (!(await lockServiceAccount(context.tx, id))) throw notFound('Service account')
  const account = await readServiceAccount(context, id)
  await refuseStale(context, 'user', account)
  if (!account.is_active) throw conflict(messages.service_account_inactive({ username: account.username }))
  return account
}

/** No machine holds them, so to ask for one is a mistake. */
export function refusePersonal(permissions: readonly string[]) {
  const personal = permissions.filter(each => (neverForServices as readonly string[]).includes(each)).sort()
  if (personal.length > 0) throw forbidden(messages.service_account_permission_personal({ permissions: personal }))
}

async function requireOwner(tx: Tx, id: number) {
  const owner = await findAccount(tx, id)
  if (!owner) throw notFound('User')
  if (!owner.is_active) throw invalidField('owner_id', messages.service_account_owner_inactive())
}

/** Under the lock of the grants. Nobody gives a machine what they do not hold (ROLE-04). */
async function requireGrants({ tx, actor }: { tx: Tx; actor: Actor }, before: Grants | undefined, after: Grants) {
  const roles = await readRoles(tx)
  if (!roles.has(after.role_id)) throw notFound('Role')
  refusePersonal(after.granted)
  refuseUnheld(actor, before ? permissionsOf(roles, before) : new Set(), permissionsOf(roles, after))
}

/** What the audit trail keeps: not what changes by use. */
const recorded = ({ permissions: _, live_keys, last_used_at, owner, ...account }: ServiceAccount) => ({
  ...account,
  kind: 'service',
  owner: owner.username,
})

export const list = listQuery({
  summary: 'List service accounts',
  description: 'The accounts of machines: their owners, what they may do, and when they were last used.',
  permission: managing,
  filter: NamedFilter,
  item: ServiceAccount,
  sorts: serviceAccountSorts,
  sort: { field: 'username', direction: 'asc' },
  exported: {
    name: 'Service accounts',
    event: 'user.service_account_list_exported',
    columns: [
      ['User ID', each => each.id],
      ['Username', each => each.username],
      ['Full name', each => each.full_name],
      ['Owner', each => each.owner.full_name ?? each.owner.username],
      ['Owner active', each => each.owner.is_active],
      ['Role', each => each.role],
      ['Permissions', each => each.permissions.join(' ')],
      ['Active', each => each.is_active],
      ['Live keys', each => each.live_keys],
      ['Last use (UTC)', each => each.last_used_at, 'moment'],
      ['Created (UTC)', each => each.created_at, 'moment'],
      ['Changed (UTC)', each => each.updated_at, 'moment'],
    ],
  },
  async find({ tx, services }, filter, sort) {
    const roles = await readRoles(tx)
    const now = services.clock.now()
    return {
      list: async (limit, offset) =>
        (await listServiceAccounts(tx, filter, sort, { limit, offset, now })).map(row => shown(roles, row)),
      count: () => countServiceAccounts(tx, filter),
    }
  },
})

export const details = query({
  summary: 'Read a service account',
  permission: managing,
  input: { params: IdParams },
  response: ServiceAccount,
  run: (context, { params: { id } }) => readServiceAccount(context, id),
})

export const create = command({
  summary: 'Create a service account',
  description:
    'An account for a machine: it has an owner, logs in nowhere, and asks with keys of its own. It never signs, decides about records or manages accounts, whatever its role says. Needs a log-in of the last ten minutes.',
  permission: managing,
  input: { body: ServiceAccountCreate },
  response: ServiceAccount,
  async run(context, { body: { username, full_name, role_id, granted = [], owner_id, requests_per_second = null } }) {
    requireOwnHand(context)
    const { tx, actor, record } = context
    await lockGrants(tx)
    await requireOwner(tx, owner_id)
    const role = role_id ?? (await findRoleByName(tx, 'User'))?.id
    if (role === undefined) throw notFound('Role')
    await requireGrants({ tx, actor }, undefined, { role_id: role, granted })
    const account = { username, full_name, role_id: role, granted, owner_id, requests_per_second }
    const inserted = await insertServiceAccount(tx, account)
    if (!inserted) throw conflict(messages.service_account_name_taken())
    const made = await readServiceAccount(context, inserted.id)
    record('user.service_account_created', made.id, { after: recorded(made), notify: [owner_id] })
    return made
  },
})

export const change = command({
  summary: 'Change a service account',
  description:
    'The user name stays. Other permissions hold for its keys from the next request on. Needs a log-in of the last ten minutes.',
  permission: managing,
  input: { params: IdParams, body: ServiceAccountUpdate },
  response: ServiceAccount,
  async run(context, { params: { id }, body: { revision: _, change_reason: reason = null, ...asked } }) {
    requireOwnHand(context)
    const { tx, actor, services, record, afterCommit } = context
    await lockGrants(tx)
    const before = await lockedServiceAccount(context, id)
    const { role_id = before.role_id, granted = before.granted, owner_id } = asked
    if (owner_id !== undefined) await requireOwner(tx, owner_id)
    await requireGrants({ tx, actor }, before, { role_id, granted })
    await updateServiceAccount(tx, id, asked)
    const after = await readServiceAccount(context, id)
    const changed = { before: recorded(before), after: recorded(after), reason }
    // The database asks for these entries of every account.
    if (role_id !== before.role_id) record('user.role_changed', id, changed)
    if (String(granted) !== String(before.granted)) record('user.permissions_changed', id, changed)
    record('user.service_account_updated', id, { ...changed, notify: [after.owner.id] })
    afterCommit(() => services.accounts.changed())
    return after
  },
})

export const deactivate = command({
  summary: 'Deactivate a service account',
  description: 'Revokes its keys at once. It stays on record, and is not activated again: create another one.',
  permission: managing,
  input: { params: IdParams, body: ServiceAccountDeactivation },
  response: ServiceAccount,
  async run(context, { params: { id }, body: { change_reason: reason = null } }) {
    const { tx, actor, services, record, afterCommit } = context
    await lockGrants(tx)
    const before = await lockedServiceAccount(context, id)
    await updateServiceAccount(tx, id, { is_active: false })
    const revoke_reason = reasons.reason_key_of_deactivated_account().text
    const keys = await revokeAllKeys(tx, id, { at: services.clock.now(), by: actor.userId, reason: revoke_reason })
    for (const key of keys)
      record('api_key.revoked', key, { after: { service_account: before.username }, reason: revoke_reason })
    const after = await readServiceAccount(context, id)
    record('user.service_account_deactivated', id, {
      ...{ before: recorded(before), after: recorded(after), reason, notify: [before.owner.id] },
    })
    afterCommit(() => services.accounts.changed())
    return after
  },
})
