// Users that a migration imports.
import type { ActionContext } from '#action'
import { addUsers } from '../new-user.ts'
import { requireRoles } from '../users.ts'

export interface ImportedUser {
  username: string
  email: string
  full_name: string | null
  /** Without it the role User. */
  role_id: number | undefined
  is_active: boolean
  /** Where the row came from, for the audit trail. */
  from: object
}

/**
 * Without passwords: people come alive by an invitation or by their provider. The importer may give no role that they could not give by hand.
 * Answers ids in the order of the users.
 */
export async function addImportedUsers(
  context: ActionContext<unknown>,
  users: readonly ImportedUser[],
  migration_batch_id: number,
): Promise<number[]> {
  const roles = await requireRoles(
    context,
    users.map(({ role_id }) => role_id),
  )
  const added = await addUsers(
    context,
    users.map(({ from, is_active, ...user }, i) => ({
      ...{ ...user, role_id: roles[i]!, password_hash: null, must_change_password: true },
      imported: { migration_batch_id, is_active, from },
    })),
  )
  return added.map(({ id }) => id)
}
