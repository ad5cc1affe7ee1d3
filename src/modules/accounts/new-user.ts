import type { Writing } from '#action'
import { conflict } from '#kernel/errors.ts'
import { messages } from './messages.ts'
import { findUser, insertCredentials, insertUser } from './queries.ts'
import type { User } from './schema.ts'

interface NewUser {
  username: string
  email: string
  full_name?: string | null | undefined
  role_id: number
  password_hash: string
  must_change_password: boolean
}

/** The only place that creates users, so that none is without credentials and an audit entry. */
export async function addUser(
  { tx, record }: Writing,
  { password_hash, must_change_password, full_name = null, username, email, role_id }: NewUser,
): Promise<User> {
  const inserted = await insertUser(tx, { username, email, full_name, role_id })
  // Names are unique in the whole service, so the refusal must not reveal which one another tenant uses.
  if (!inserted) throw conflict(messages.username_or_email_taken())
  await insertCredentials(tx, { user_id: inserted.id, password_hash, must_change_password })
  const user = (await findUser(tx, inserted.id))!
  record('user.created', user.id, { after: user })
  return user
}
