import type { ActionContext } from '#action'
import { chainOf, findRoleByName, isAdminChain, lockGrants, readRoles } from '#modules/roles'
import type { Tx } from '#platform/db/database.ts'
import { addUser } from '../new-user.ts'
import { isLastAdmin } from '../people-queries.ts'
import { endSessions, findLogin, findUser, findUserByEmail, lockUser, updateUser } from '../queries.ts'
import type { User } from '../schema.ts'

/** A person as a provider describes them, already cleaned. */
export interface ProvidedPerson {
  /** What the user name begins with. */
  username: string
  email: string
  full_name: string | null
  /** Without it the role User. */
  role_id: number | null
}

/** After so many of the same name the next one is made by hand. */
const maxSameNames = 99

/** A user name that nobody has, and that stays the user's (21 CFR 11.100). */
async function freeName(tx: Tx, wanted: string): Promise<string | undefined> {
  for (let count = 1; count <= maxSameNames; count++) {
    const suffix = count === 1 ? '' : `.${count}`
    const name = `${wanted.slice(0, 64 - suffix.length)}${suffix}`
    if ((await findLogin(tx, name)) === undefined) return name
  }
  return undefined
}

/** Without a password, and with an address that does not log in. Undefined if no name is left. The address must be free in the tenant. */
export async function addProvidedUser(
  context: ActionContext<unknown>,
  { username, role_id, ...person }: ProvidedPerson,
): Promise<User | undefined> {
  const { tx } = context
  const free = await freeName(tx, username)
  const role = role_id ?? (await findRoleByName(tx, 'User'))?.id
  if (free === undefined || role === undefined) return undefined
  return addUser(context, {
    ...person,
    username: free,
    role_id: role,
    password_hash: null,
    must_change_password: false,
  })
}

/** The user of the tenant with this address. */
export const findHolderOfEmail = findUserByEmail

/**
 * Gives a user the role that the groups of a provider say, and ends their sessions. The last Admin stays one: nobody could give anybody a
 * role after that.
 */
export async function giveProvidedRole(
  { tx, services, record, afterCommit }: ActionContext<unknown>,
  userId: number,
  { role_id, reason }: { role_id: number; reason: string },
): Promise<'changed' | 'unchanged' | 'last_admin'> {
  // Most log-ins change nothing, and need not wait for each other.
  if ((await findUser(tx, userId))!.role_id === role_id) return 'unchanged'
  await lockGrants(tx)
  await lockUser(tx, userId)
  const before = (await findUser(tx, userId))!
  if (before.role_id === role_id || before.is_break_glass) return 'unchanged'
  const names = chainOf(await readRoles(tx), role_id).map(({ name }) => name)
  if (!isAdminChain(names) && before.is_active && (await isLastAdmin(tx, before))) return 'last_admin'
  await updateUser(tx, userId, { role_id })
  await endSessions(tx, userId)
  record('user.role_changed', userId, { before, after: (await findUser(tx, userId))!, reason, notify: [userId] })
  afterCommit(() => services.accounts.changed())
  return 'changed'
}
