import type { ActionContext } from '#action'
import { mayApprove, readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { findRemoval, listRequested } from './queries.ts'
import { numberOf, titleOf } from './rules.ts'

/** The removals that the caller may decide now. */
export async function awaitingFileRemovals(
  { tx, actor }: Pick<ActionContext<unknown>, 'tx' | 'actor'>,
  { most }: { most: number },
) {
  const canDecide = actor.permissions.has('files.decide_removal') && actor.permissions.has('files.read_removals')
  if (!canDecide || !mayApprove(await readSettings(tx), actor)) return { removals: [], is_complete: true }
  const found = await listRequested(tx, actor.userId!, most + 1)
  return {
    removals: found
      .slice(0, most)
      .map(removal => ({ ...removal, number: numberOf(removal.id), title: `File of ${titleOf(removal)}` })),
    is_complete: found.length <= most,
  }
}

/** A request asks nobody any more once it is decided. */
export const requestsOfFileRemovals = {
  permission: 'files.decide_removal',
  async stillAsks(tx: Tx, _type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]> {
    return (await findRemoval(tx, id))?.status === 'requested' ? user_ids : []
  },
} as const
