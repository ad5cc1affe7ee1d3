import type { Writing } from '#action'
import { type AppError, conflict } from '#kernel/errors.ts'
import { messages } from './messages.ts'
import { findUsers, insertCredentials, insertUsers } from './queries.ts'
import type { User } from './schema.ts'

interface NewUser {
  username: string
  email: string
  full_name?: string | null | undefined
  role_id: number
  /** Null for an account that a provider makes: it has no password, and its address does not log in. */
  password_hash: string | null
  must_change_password: boolean
  /** Of an imported user, who may have left before. */
  imported?: { migration_batch_id: number; is_active: boolean; from: object }
}

interface Adding {
  /** Invites the new users, so that their entries say it. */
  invite?: ((ids: readonly number[]) => Promise<void>) | undefined
  /** The refusal for the first user, by its place, whose name or address is taken. */
  refuse?: (place: number) => AppError
}

// Names are unique in the whole service, so the refusal must not reveal which one another tenant uses.
const taken = () => conflict(messages.username_or_email_taken())

/** The only place that creates users, so that none is without credentials and an audit entry. In their order. */
export async function addUsers(
  { tx, record }: Writing,
  users: readonly NewUser[],
  { invite, refuse = taken }: Adding = {},
): Promise<User[]> {
  const inserted = await insertUsers(
    tx,
    users.map(({ username, email, full_name = null, role_id, password_hash, imported }) => ({
      ...{ username, email, full_name, role_id, email_logs_in: password_hash !== null },
      ...{ is_active: imported?.is_active ?? true, migration_batch_id: imported?.migration_batch_id ?? null },
    })),
  )
  const ids = new Map(inserted.map(({ id, username }) => [username, id]))
  const missing = users.findIndex(({ username }) => !ids.has(username))
  if (missing >= 0) throw refuse(missing)
  await insertCredentials(
    tx,
    users.map(({ username, password_hash, must_change_password }) => ({
      ...{ user_id: ids.get(username)!, password_hash, must_change_password },
    })),
  )
  await invite?.([...ids.values()])
  const added = await findUsers(tx, [...ids.values()])
  const byName = new Map(added.map(user => [user.username, user]))
  for (const { username, imported } of users) {
    const user = byName.get(username)!
    if (imported) record('user.migrated', user.id, { after: { ...user, ...imported.from } })
    else record('user.created', user.id, { after: user })
  }
  return users.map(({ username }) => byName.get(username)!)
}

export async function addUser(writing: Writing, user: NewUser, options: Pick<Adding, 'invite'> = {}): Promise<User> {
  const [added] = await addUsers(writing, [user], options)
  return added!
}
