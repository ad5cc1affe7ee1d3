import { Type } from 'typebox'
import { type ActionContext, type Actor, command, type PrepareContext, query } from '#action'
import { listQuery } from '#action/list.ts'
import { refuseStale } from '#action/revision.ts'
import { conflict, forbidden, invalidField, notFound } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { IdParams } from '#kernel/schema.ts'
import { effectivePermissions, findRoleByName, linksOf, lockGrants, readRoles, refuseUnheld } from '#modules/roles'
import { endAllSessions } from '#modules/sessions'
import type { Tx } from '#platform/db/database.ts'
import { endPasswordLinks } from './link-queries.ts'
import { hashUnknownPassword, requestPasswordLink } from './log-in/password-links.ts'
import { messages } from './messages.ts'
import { addUser } from './new-user.ts'
import { acceptPassword, allHashes, previousOf } from './passwords.ts'
import { isLastAdmin } from './people-queries.ts'
import {
  clearAllFailures,
  countUsers,
  emailTaken,
  endSessions,
  findCredentials,
  findGrants,
  findUser,
  listUsers,
  lockCredentials,
  lockUser,
  replacePassword,
  storeTotp,
  updateUser,
  userSorts,
} from './queries.ts'
import { addressHeldUntil } from './rules.ts'
import {
  DeactivatedUser,
  Deactivation,
  KnownUser,
  PasswordReset,
  Reasoned,
  User,
  UserCreate,
  UserFilter,
  UserUpdate,
} from './schema.ts'
import { readSettings } from './tenants/settings.ts'
import { requireBreakGlassBeside, requirePasswords } from './tenants/sso-required.ts'
import { identityReset, listVerifiers, openersWith } from './verifiers.ts'

export async function readUser(tx: Tx, id: number): Promise<User> {
  const user = await findUser(tx, id)
  if (!user) throw notFound('User')
  return user
}

/** Locks the user until the end of the transaction, or throws the 404 or 409. */
export async function lockedUser(context: ActionContext<unknown>, id: number): Promise<User> {
  if (!(await lockUser(context.tx, id))) throw notFound('User')
  const user = await readUser(context.tx, id)
  await refuseStale(context, 'user', user)
  return user
}

/** The permissions of the user, with a changed role or changed grants if given. */
export async function permissionsOf(
  tx: Tx,
  id: number,
  change: Partial<{ role_id: number; granted: string[]; denied: string[] }> = {},
) {
  const [grants, roles] = await Promise.all([findGrants(tx, id), readRoles(tx)])
  if (!grants) throw notFound('User')
  const { role_id, granted, denied } = { ...grants, ...change }
  return effectivePermissions([...linksOf(roles, role_id), { granted, denied }])
}

export function refuseOneself({ actor }: ActionContext<unknown>, id: number, message: Message) {
  if (actor.userId === id) throw forbidden(message)
}

/** Under the lock of the grants, so that two Admins cannot take it from each other. */
export async function requireAnotherAdmin(tx: Tx, user: User) {
  if (user.is_active && (await isLastAdmin(tx, user)))
    throw conflict(messages.user_is_last_admin({ username: user.username }))
}

/** How people log in helps an attacker, so it is only for people who manage accounts and for Auditors. */
const readsLogins = ({ permissions }: Actor) => permissions.has('users.manage') || permissions.has('users.read_logins')

export function shownTo(actor: Actor, user: User): KnownUser {
  if (readsLogins(actor)) return user
  const {
    invitation,
    is_break_glass,
    totp_enrolled,
    must_change_password,
    failed_attempts,
    locked_until,
    last_login_at,
    ...rest
  } = user
  if (actor.permissions.has('users.verify_identity')) return rest
  const { identity_reset_at, identity_verified, ...known } = rest
  return known
}

const loginFieldsShown =
  'The log-in details are shown with the permission `users.manage` or `users.read_logins`, the verification of the identity with `users.verify_identity` too.'

export const list = listQuery({
  summary: 'List users',
  description: loginFieldsShown,
  permission: 'users.read',
  filter: UserFilter,
  item: KnownUser,
  sorts: userSorts,
  sort: { field: 'username', direction: 'asc' },
  exported: {
    name: 'Users',
    event: 'user.list_exported',
    columns: [
      ['User ID', each => each.id],
      ['Username', each => each.username],
      ['Full name', each => each.full_name],
      ['E-mail', each => each.email],
      ['Role', each => each.role],
      ['Active', each => each.is_active],
      ['Invitation', each => each.invitation?.status ?? null],
      ['Last log-in (UTC)', each => each.last_login_at ?? null, 'moment'],
      ['Created (UTC)', each => each.created_at, 'moment'],
      ['Changed (UTC)', each => each.updated_at, 'moment'],
    ],
  },
  async find({ tx, actor, services }, query, sort) {
    const { is_locked, without_second_factor, source } = query
    // To narrow or to sort by what one may not read would tell it.
    const asks = [is_locked, without_second_factor, source].some(each => each !== undefined)
    if ((asks || sort.field === 'last_login_at') && !readsLogins(actor))
      throw forbidden(messages.user_log_in_details_permission_missing())
    const filter = { ...query, now: services.clock.now().toISOString() }
    return {
      list: async (limit, offset) =>
        (await listUsers(tx, filter, sort, limit, offset)).map(user => shownTo(actor, user)),
      count: () => countUsers(tx, filter),
    }
  },
})

export const details = query({
  summary: 'Read a user',
  description: loginFieldsShown,
  permission: 'users.read',
  input: { params: IdParams },
  response: KnownUser,
  run: async ({ tx, actor }, { params }) => shownTo(actor, await readUser(tx, params.id)),
})

interface UserInRole {
  username: string
  email: string
  full_name?: string | null | undefined
  role_id?: number | undefined
  password_hash: string
  must_change_password: boolean
}

/** The roles that new users get, or the refusal: without a role, the role User; another one needs the permission to assign it. */
export async function requireRoles(
  { tx, actor }: Pick<ActionContext<unknown>, 'tx' | 'actor'>,
  asked: readonly (number | undefined)[],
): Promise<number[]> {
  const defaultRole = await findRoleByName(tx, 'User')
  const ids = asked.map(role_id => {
    const id = role_id ?? defaultRole?.id
    if (id === undefined) throw notFound('Role')
    return id
  })
  if (ids.some(id => id !== defaultRole?.id) && !actor.permissions.has('roles.assign'))
    throw forbidden(messages.user_role_permission_missing())
  const roles = await readRoles(tx)
  for (const id of new Set(ids)) {
    if (!roles.has(id)) throw notFound('Role')
    refuseUnheld(actor, new Set(), effectivePermissions(linksOf(roles, id)))
  }
  return ids
}

export async function addUserInRole(
  context: ActionContext<unknown>,
  user: UserInRole,
  options: Parameters<typeof addUser>[2] = {},
): Promise<User> {
  const [role_id] = await requireRoles(context, [user.role_id])
  return addUser(context, { ...user, role_id: role_id! }, options)
}

export const create = command({
  summary: 'Create a user',
  description:
    'Without a role, the role User; another one needs the permission `roles.assign` too. The password is temporary: it must be changed at the first log-in, within 72 hours.',
  permission: 'users.manage',
  input: { body: UserCreate },
  response: User,
  async prepare({ read }, { body }) {
    const { password } = await read(readSettings)
    return acceptPassword(body.password, { ...body, min_length: password.min_length }, 'password')
  },
  async run(context, { body }) {
    // The operator at the command line and the demo act as the system.
    if (context.actor.userId !== null && body.must_change_password === false)
      throw invalidField('must_change_password', messages.user_must_change_password())
    return addUserInRole(context, {
      ...body,
      password_hash: context.prepared,
      must_change_password: body.must_change_password ?? true,
    })
  },
})

export const change = command({
  summary: 'Change a user',
  description:
    'The user name stays: it identifies the person in the records, and is given to nobody else (21 CFR 11.100).',
  permission: 'users.manage',
  input: { params: IdParams, body: UserUpdate },
  response: User,
  async run(context, { params, body: { email, full_name, change_reason } }) {
    const { tx, actor, services, record, afterCommit } = context
    const before = await lockedUser(context, params.id)
    const isNewAddress = email !== undefined && email !== before.email
    if (email !== undefined && isNewAddress && (await emailTaken(tx, email, params.id)))
      throw conflict(messages.email_taken())
    await updateUser(tx, params.id, {
      ...(email !== undefined && { email }),
      ...(full_name !== undefined && { full_name }),
      ...(isNewAddress && {
        email_changed_at: services.clock.now().toISOString(),
        account_openers: await openersWith(tx, params.id, actor.userId!),
      }),
    })
    // A link that was asked for before belongs to the former address.
    if (isNewAddress) await endPasswordLinks(tx, params.id, services.clock.now())
    const after = await readUser(tx, params.id)
    record('user.updated', after.id, {
      before,
      after,
      reason: change_reason ?? null,
      notify: isNewAddress ? [after.id] : [],
    })
    afterCommit(() => services.accounts.changed())
    return after
  },
})

export async function setActive(
  context: ActionContext<unknown>,
  id: number,
  { is_active, reason }: { is_active: boolean; reason: string | null },
): Promise<User> {
  const { tx, actor, services, record, afterCommit } = context
  await lockGrants(tx)
  const before = await lockedUser(context, id)
  const { username } = before
  if (before.is_active === is_active)
    throw conflict(
      is_active ? messages.user_already_active({ username }) : messages.user_already_deactivated({ username }),
    )
  if (is_active) refuseUnheld(actor, new Set(), await permissionsOf(tx, id))
  else {
    await requireAnotherAdmin(tx, before)
    await requireBreakGlassBeside(tx, id)
  }
  await updateUser(tx, id, { is_active })
  await endSessions(tx, id)
  await endPasswordLinks(tx, id, services.clock.now())
  const after = await readUser(tx, id)
  record(is_active ? 'user.reactivated' : 'user.deactivated', id, { before, after, reason })
  afterCommit(() => services.accounts.changed())
  return after
}

export const deactivate = command({
  summary: 'Deactivate a user',
  description:
    'Ends their tokens at once. A user is never deleted: the records name them. `GET /api/users/{id}/open-work` lists what is open; it is handed over to `successor_id`, and what this person may not do to people with the role `hand_over_role` of the settings. `GET /api/dashboard/orphaned-items` shows what nobody takes.',
  permission: 'users.manage',
  input: { params: IdParams, body: Deactivation },
  response: DeactivatedUser,
  async run(context, { params: { id }, body: { successor_id, change_reason: reason = null } }) {
    refuseOneself(context, id, messages.user_own_deactivation())
    const user = await setActive(context, id, { is_active: false, reason })
    return { ...user, hand_over: await context.services.startHandOver(context, user, { successor_id, reason }) }
  },
})

export const reactivate = command({
  summary: 'Reactivate a user',
  permission: 'users.manage',
  input: { params: IdParams, body: Reasoned },
  response: User,
  run: (context, { params: { id }, body: { change_reason: reason = null } }) =>
    setActive(context, id, { is_active: true, reason }),
})

/** Whoever sets a password knows it, so an Admin sets none where the user can choose one by a link. */
async function passwordForReset({ read, services }: PrepareContext, id: number, password: string | undefined) {
  if (services.post) {
    if (password !== undefined) throw invalidField('temporary_password', messages.password_link_by_mail())
    return hashUnknownPassword()
  }
  if (password === undefined) throw invalidField('temporary_password', messages.temporary_password_missing())
  const [credentials, settings] = await read(tx => Promise.all([findCredentials(tx, id), readSettings(tx)]))
  if (!credentials) throw notFound('User')
  return acceptPassword(
    password,
    {
      ...credentials,
      min_length: settings.password.min_length,
      previousHashes: allHashes(credentials),
    },
    'temporary_password',
  )
}

export const resetPassword = command({
  summary: 'Reset the password of a user',
  description:
    'Where the service sends e-mail, the user gets a link that works once, within 30 minutes, to choose a password; elsewhere a temporary password, to be changed at the next log-in, within 72 hours. Ends the password and the tokens of the account, revokes its passkeys, and unlocks it. The user cannot sign until a person who neither created nor reset the account has verified their identity.',
  permission: 'users.manage',
  input: { params: IdParams, body: PasswordReset },
  response: User,
  prepare: (context, { params, body }) => passwordForReset(context, params.id, body.temporary_password),
  async run(context, { params, body: { remove_totp = false, change_reason } }) {
    const { tx, actor, services, record, afterCommit, prepared: hash } = context
    if (actor.userId === params.id) throw conflict(messages.user_own_password_reset())
    if (remove_totp) await lockGrants(tx)
    const before = await lockedUser(context, params.id)
    // Whoever sets a password can log in with it.
    refuseUnheld(actor, new Set(), await permissionsOf(tx, params.id))
    const now = services.clock.now()
    const { email_changed_at } = (await lockUser(tx, params.id))!
    const until = services.post && addressHeldUntil({ email_changed_at, last_login_at: before.last_login_at }, now)
    if (until !== undefined) throw conflict(messages.user_address_changed_recently({ until }))
    const credentials = await lockCredentials(tx, params.id)
    if (!credentials.is_break_glass) await requirePasswords(tx)
    if (remove_totp) await requireBreakGlassBeside(tx, params.id)
    await replacePassword(tx, params.id, {
      from: credentials.password_hash,
      to: hash,
      previous: previousOf(credentials),
      must_change_password: true,
      at: now,
    })
    await clearAllFailures(tx, params.id)
    await updateUser(tx, params.id, await identityReset(tx, params.id, actor.userId!, now))
    if (remove_totp && credentials.totp_secret) {
      await storeTotp(tx, params.id, null)
      record('user.totp_removed', params.id, {
        before: { totp_enrolled: before.totp_enrolled },
        after: { totp_enrolled: false },
        reason: change_reason ?? null,
        notify: [params.id],
      })
    }
    await services.passkeys.revokeAll({ tx, record }, params.id, { at: now, by: actor.userId })
    // Last, because the end of sessions by any of the above would end the link.
    if (services.post) await requestPasswordLink(tx, services, { userId: params.id, purpose: 'reset' })
    const after = await readUser(tx, params.id)
    record('user.password_reset', params.id, {
      before,
      after,
      reason: change_reason ?? null,
      notify: [params.id],
      // With a link they are asked when the user has chosen a password.
      assignees: services.post ? [] : await listVerifiers(tx, params.id),
    })
    afterCommit(() => services.accounts.changed())
    return after
  },
})

export const endSessionsOfUser = command({
  summary: 'End all sessions of a user',
  description: 'Browsers and access tokens, at once; the user is told. They can log in again.',
  permission: 'users.manage',
  input: { params: IdParams, body: Reasoned },
  response: Type.Null(),
  async run(context, { params: { id }, body: { change_reason: reason = null } }) {
    const { tx, actor, services, record, afterCommit } = context
    await lockedUser(context, id)
    const end = { at: services.clock.now(), by: actor.userId, reason: 'ended_by_admin' } as const
    const sessions = await endAllSessions(tx, id, end)
    // It ends the tokens of an earlier release too, which have no session.
    await endSessions(tx, id)
    record('auth.session_ended', id, { after: { sessions, cause: end.reason }, reason, notify: [id] })
    afterCommit(() => services.accounts.changed())
    return null
  },
})

/** For the command line alone: an Admin resets the password instead, which tells the user and blocks signing. */
export const unlockUser = command({
  summary: 'End the locks of a user',
  permission: 'users.manage',
  input: { params: IdParams },
  response: Type.Object({ was_locked: Type.Boolean() }),
  async run(context, { params }) {
    const { tx, services, record } = context
    const before = await lockedUser(context, params.id)
    await lockCredentials(tx, params.id)
    await clearAllFailures(tx, params.id)
    const after = await readUser(tx, params.id)
    record('user.unlocked', params.id, { before, after, notify: [params.id] })
    return {
      was_locked: before.locked_until !== null && Date.parse(before.locked_until) > services.clock.now().getTime(),
    }
  },
})
