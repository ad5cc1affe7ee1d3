import { command, query } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { notFound } from '#kernel/errors.ts'
import { reasonOf } from '#kernel/message.ts'
import { messages as shared } from '#kernel/messages.ts'
import { IdParams } from '#kernel/schema.ts'
import { chainOf, explain, isAdminChain, linksOf, lockGrants, originsOf, readRoles, refuseUnheld } from '#modules/roles'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { endSessions, findGrants, updateUser } from './queries.ts'
import { User, UserPermissions, UserPermissionsFilter, UserPermissionsUpdate, UserRole } from './schema.ts'
import { mayApprove, readSettings } from './tenants/settings.ts'
import { refuseBreakGlass } from './tenants/sso-required.ts'
import { lockedUser, permissionsOf, readUser, refuseOneself, requireAnotherAdmin } from './users.ts'

export const assignRole = command({
  summary: 'Give a user another role',
  description: 'Ends their tokens: they log in again with what the role gives.',
  permission: 'roles.assign',
  input: { params: IdParams, body: UserRole },
  response: User,
  async run(context, { params, body: { role_id, change_reason } }) {
    const { tx, actor, services, record, afterCommit } = context
    refuseOneself(context, params.id, messages.user_own_role())
    await lockGrants(tx)
    const before = await lockedUser(context, params.id)
    if (!(await readRoles(tx)).has(role_id)) throw notFound('Role')
    if (role_id !== before.role_id) {
      await requireAnotherAdmin(tx, before)
      await refuseBreakGlass(tx, before.id)
    }
    refuseUnheld(actor, await permissionsOf(tx, params.id), await permissionsOf(tx, params.id, { role_id }))
    await updateUser(tx, params.id, { role_id })
    await endSessions(tx, params.id)
    const after = await readUser(tx, params.id)
    record('user.role_changed', after.id, { before, after, reason: change_reason ?? null, notify: [after.id] })
    afterCommit(() => services.accounts.changed())
    return after
  },
})

/** Decisions about records, which Admins take only where the company allows it (`mayApprove`). */
const deciding: readonly Permission[] = [
  'documents.approve',
  'documents.periodic_review',
  'training.verify',
  'deviations.approve',
  'deviations.close',
  'capa.approve_draft',
  'capa.verify',
  'capa.close',
  'effectiveness.update',
  'extensions.approve',
  'signatures.attest',
  'files.decide_removal',
]

/** Each permission with its reasons, as one asks about a person: why may they, or why not? */
async function explainPermissions(tx: Tx, id: number) {
  const [grants, roles, settings] = await Promise.all([findGrants(tx, id), readRoles(tx), readSettings(tx)])
  const { role_id, granted, denied } = grants!
  const names = chainOf(roles, role_id).map(({ name }) => name)
  const isRestricted = !mayApprove(settings, { isAdmin: isAdminChain(names) })
  return {
    roles: names,
    explained: explain([...linksOf(roles, role_id), { role: null, granted, denied }]).map(each => ({
      ...each,
      restricted_by:
        isRestricted && each.is_held && deciding.includes(each.permission)
          ? reasonOf(shared.admin_may_not_approve())
          : null,
    })),
  }
}

async function readPermissions(tx: Tx, id: number): Promise<UserPermissions> {
  const [grants, roles] = await Promise.all([findGrants(tx, id), readRoles(tx)])
  if (!grants) throw notFound('User')
  const { role_id, granted, denied, revision } = grants
  const origins = originsOf([...linksOf(roles, role_id), { role: null, granted, denied }])
  return {
    id,
    role: roles.get(role_id)!.name,
    granted,
    denied,
    permissions: origins.map(({ permission }) => permission),
    origins,
    revision,
  }
}

export const permissionsOfUser = query({
  summary: 'Read the permissions of a user and their origin',
  description:
    'With `explain`, each permission of the company, held or not: which roles and grants say what about it, and which setting takes it away.',
  permission: 'roles.read',
  input: { params: IdParams, query: UserPermissionsFilter },
  response: UserPermissions,
  run: async ({ tx }, { params, query }) => ({
    ...(await readPermissions(tx, params.id)),
    ...(query.explain && (await explainPermissions(tx, params.id))),
  }),
})

export const changePermissions = command({
  summary: 'Grant and deny single permissions to a user',
  description: 'Both lists are written whole. A denial wins over a grant, and both over the role (ROLE-02).',
  permission: 'permissions.grant',
  input: { params: IdParams, body: UserPermissionsUpdate },
  response: UserPermissions,
  async run(context, { params, body: { granted, denied, change_reason } }) {
    const { tx, actor, services, record, afterCommit } = context
    refuseOneself(context, params.id, messages.user_own_permissions())
    await lockGrants(tx)
    const user = await lockedUser(context, params.id)
    if (denied.length > 0) {
      await requireAnotherAdmin(tx, user)
      await refuseBreakGlass(tx, user.id)
    }
    refuseUnheld(actor, await permissionsOf(tx, params.id), await permissionsOf(tx, params.id, { granted, denied }))
    const before = await readPermissions(tx, params.id)
    await updateUser(tx, params.id, { granted, denied })
    const after = await readPermissions(tx, params.id)
    const recorded = ({ granted, denied, revision }: UserPermissions) => ({ granted, denied, revision })
    record('user.permissions_changed', params.id, {
      before: recorded(before),
      after: recorded(after),
      reason: change_reason ?? null,
      notify: [params.id],
    })
    afterCommit(() => services.accounts.changed())
    return after
  },
})
