import type { ActionContext } from '#action'
import { notFound } from '#kernel/errors.ts'
import { refuseUnheld } from '#modules/roles'
import type { Tx } from '#platform/db/database.ts'
import { findUser, lockUser, updateUser } from '../queries.ts'
import type { User } from '../schema.ts'
import { lockedUser, permissionsOf } from '../users.ts'
import { openersWith } from '../verifiers.ts'

/** The user until the end of the transaction: a 404 for none. */
export async function lockUserById(tx: Tx, id: number): Promise<User> {
  if (!(await lockUser(tx, id))) throw notFound('User')
  return (await findUser(tx, id))!
}

/**
 * Whoever links a user to a subject can log in as them, so they give nobody a permission that they do not hold, and can never say who
 * the user is.
 */
export async function openAccount(context: ActionContext<unknown>, id: number): Promise<User> {
  const { tx, actor } = context
  const user = await lockedUser(context, id)
  refuseUnheld(actor, new Set(), await permissionsOf(tx, id))
  await updateUser(tx, id, { account_openers: await openersWith(tx, id, actor.userId!) })
  return user
}
