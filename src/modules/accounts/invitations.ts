import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { effectivePermissions, linksOf, readRoles, refuseUnheld } from '#modules/roles'
import { hashUnknownPassword, requestPasswordLink } from './log-in/password-links.ts'
import { messages } from './messages.ts'
import { lockCredentials, replacePassword } from './queries.ts'
import { Reasoned, User, UserInvitation } from './schema.ts'
import { addUserInRole, lockedUser } from './users.ts'

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
    const user = await addUserInRole(context, { ...body, password_hash: prepared, must_change_password: true })
    await requestPasswordLink(tx, services, { userId: user.id, purpose: 'invitation' })
    return user
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
    record('user.invited_again', user.id, { reason: body.change_reason ?? null })
    return user
  },
})
