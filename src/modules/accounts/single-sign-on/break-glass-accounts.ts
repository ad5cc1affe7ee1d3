import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { adminRoleName, findRoleByName, lockGrants } from '#modules/roles'
import { messages } from '../messages.ts'
import { hasIdentities, listBreakGlass, lockCredentials, setBreakGlass } from '../queries.ts'
import { BreakGlass, User } from '../schema.ts'
import { requireBreakGlassBeside } from '../tenants/sso-required.ts'
import { lockedUser, readUser } from '../users.ts'

/** Few enough that each is known. */
const maxBreakGlass = 3

export const changeBreakGlass = command({
  summary: 'Make an account one that gets in without a provider, or end that',
  description: `At most ${maxBreakGlass} accounts: active Admins with a password and a second factor, linked to no provider. Each of their log-ins is told to every Admin, and ends after an hour.`,
  permission: 'sso.manage',
  input: { params: IdParams, body: BreakGlass },
  response: User,
  async run(context, { params: { id }, body: { is_break_glass, change_reason } }) {
    const { tx, record } = context
    await lockGrants(tx)
    const before = await lockedUser(context, id)
    const credentials = await lockCredentials(tx, id)
    if (credentials.is_break_glass === is_break_glass) throw conflict(messages.break_glass_unchanged())
    if (is_break_glass) {
      if ((await listBreakGlass(tx)).length >= maxBreakGlass)
        throw conflict(messages.break_glass_too_many({ maximum: maxBreakGlass }))
      // That role itself: one that inherits from it can be changed to inherit from nothing.
      const admin = await findRoleByName(tx, adminRoleName)
      const isReady =
        credentials.is_active &&
        before.role_id === admin?.id &&
        credentials.password_hash !== null &&
        !credentials.must_change_password &&
        credentials.totp_confirmed_at !== null
      if (!isReady) throw conflict(messages.break_glass_not_ready())
      if (await hasIdentities(tx, id)) throw conflict(messages.break_glass_linked())
    } else await requireBreakGlassBeside(tx, id)
    await setBreakGlass(tx, id, is_break_glass)
    const after = await readUser(tx, id)
    record('user.break_glass_changed', id, { before, after, reason: change_reason ?? null, notify: [id] })
    return after
  },
})
