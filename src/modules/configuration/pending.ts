import { type ActionContext, configurationKinds } from '#action'
import type { Tx } from '#platform/db/database.ts'
import { findChange, listPending } from './queries.ts'
import { numberOf } from './rules.ts'

/** The changes that the caller may decide now. */
export async function awaitingConfigurationChanges(
  { tx, actor, services }: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  { most }: { most: number },
) {
  const kinds = configurationKinds.filter(kind =>
    actor.permissions.has(services.configuration.commandOf(kind, 'update').permission),
  )
  if (kinds.length === 0 || !actor.permissions.has('configuration_changes.decide'))
    return { changes: [], is_complete: true }
  const found = await listPending(tx, kinds, actor.userId!, most + 1)
  return {
    changes: found.slice(0, most).map(change => ({ ...change, number: numberOf(change.id) })),
    is_complete: found.length <= most,
  }
}

/** A request to approve a change asks nobody any more once it is decided. */
export const requestsOfConfigurationChanges = {
  permission: 'configuration_changes.decide',
  async stillAsks(tx: Tx, _type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]> {
    return (await findChange(tx, id))?.status === 'pending' ? user_ids : []
  },
} as const
