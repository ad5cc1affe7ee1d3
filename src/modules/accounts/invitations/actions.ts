import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { effectivePermissions, linksOf, lockGrants, readRoles, refuseUnheld } from '#modules/roles'
import { hashUnknownPassword, requestPasswordLink, requestPasswordLinks } from '../log-in/password-links.ts'
import { messages } from '../messages.ts'
import { lockCredentials, replacePassword } from '../queries.ts'
import { Reasoned, User, UserInvitation } from '../schema.ts'
import { requirePasswords } from '../tenants/sso-required.ts'
import { addUserInRole, lockedUser, readUser, setActive } from '../users.ts'

const invitationLife = 'The e-mail has a link that works once, within 48 hours, to choose a password.'

export const invite = command({
  summary: 'Invite a user by e-mail',
  description: `Creates the user, and nobody else knows a password of theirs. ${invitationLife}`,
  permission: 'users.manage',
  input: { body: UserInvitation },
  response: User,
  async prepare({ services }) {
    if (!services.post) throw conflict(messages.mail_not_set_up())
    return hashUnknownPassword()
  },
  async run(context, { body }) {
    const { tx, services, prepared } = context
    await requirePasswords(tx)
    const user = { ...body, password_hash: prepared, must_change_password: true }
    return addUserInRole(context, user, {
      invite: users => requestPasswordLinks(tx, services, { users, purpose: 'invitation' }),
    })
  },
})

export const inviteAgain = command({
  summary: 'Invite a user again',
  description: `For a user who has not used the invitation. ${invitationLife} The link before no longer works.`,
  permission: 'users.manage',
  input: { params: IdParams, body: Reasoned },
  response: User,
  prepare: hashUnknownPassword,
  async run(context, { params, body }) {
    const { tx, services, actor, record, prepared } = context
    const user = await lockedUser(context, params.id)
    refuseUnheld(actor, new Set(), effectivePermissions(linksOf(await readRoles(tx), user.role_id)))
    if (!user.is_active) throw conflict(messages.user_already_deactivated({ username: user.username }))
    if (user.last_login_at !== null || !user.must_change_password)
      throw conflict(messages.invitation_not_open({ username: user.username }))
    await requirePasswords(tx)
    // A temporary password would stay known to whoever set it.
    const credentials = await lockCredentials(tx, user.id)
    await replacePassword(tx, user.id, {
      from: credentials.password_hash,
      to: prepared,
      previous: credentials.previous_hashes,
      must_change_password: true,
      at: services.clock.now(),
    })
    await requestPasswordLink(tx, services, { userId: user.id, purpose: 'invitation' })
    const after = await readUser(tx, user.id)
    record('user.invited_again', user.id, { before: user, after, reason: body.change_reason ?? null })
    return after
  },
})

export const withdrawInvitation = command({
  summary: 'Withdraw the invitation of a user',
  description:
    'For a user who has not chosen a password. Ends the link and deactivates the account, because its owner could ask for another link. The user name stays theirs: to invite the person after all, reactivate the user and invite them again.',
  permission: 'users.manage',
  input: { params: IdParams, body: Reasoned },
  response: User,
  async run(context, { params, body: { change_reason: reason = null } }) {
    // Before the user, as every change of who is active.
    await lockGrants(context.tx)
    const { username, invitation, last_login_at, must_change_password } = await lockedUser(context, params.id)
    if (!invitation || last_login_at !== null || !must_change_password)
      throw conflict(messages.invitation_none({ username }))
    const after = await setActive(context, params.id, { is_active: false, reason })
    context.record('user.invitation_withdrawn', params.id, { after: { invitation: after.invitation }, reason })
    return after
  },
})
