import type { ActionContext } from '#action'
import { mayApprove, readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { findDisposal, listProposed } from './queries.ts'

/** The disposals that the caller may decide now. */
export async function awaitingDisposals(
  { tx, actor }: Pick<ActionContext<unknown>, 'tx' | 'actor'>,
  { most }: { most: number },
) {
  const canDecide = actor.permissions.has('retention.approve_disposal') && actor.permissions.has('retention.read')
  if (!canDecide || !mayApprove(await readSettings(tx), actor)) return { disposals: [], is_complete: true }
  const found = await listProposed(tx, actor.userId!, most + 1)
  return {
    disposals: found.slice(0, most).map(each => ({ ...each, title: each.reason })),
    is_complete: found.length <= most,
  }
}

/** A proposal asks nobody any more once it is decided. */
export const requestsOfDisposals = {
  permission: 'retention.approve_disposal',
  async stillAsks(tx: Tx, _type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]> {
    return (await findDisposal(tx, id))?.status === 'proposed' ? user_ids : []
  },
} as const
