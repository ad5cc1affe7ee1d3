import { awaitsExtension } from '#modules/casework'
import type { Tx } from '#platform/db/database.ts'
import { isOver } from './rules.ts'

/** The people of whom the deviation still needs the task that a notification of this type announced. */
async function stillAsks(tx: Tx, type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]> {
  const deviation = await tx
    .selectFrom('deviations')
    .select(['status', 'assigned_to'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!deviation) return []
  const { status, assigned_to } = deviation
  switch (type) {
    case 'deviation_reported':
      return status === 'open' ? user_ids : []
    case 'deviation_assigned':
      return isOver(status) || status === 'pending_approval' ? [] : user_ids.filter(each => each === assigned_to)
    case 'deviation_approval_requested':
      return status === 'pending_approval' ? user_ids : []
    case 'deviation_extension_requested':
      return (await awaitsExtension(tx, 'deviation', id)) ? user_ids : []
    default:
      return []
  }
}

export const requestsOfDeviations = { permission: 'deviations.read', stillAsks } as const
