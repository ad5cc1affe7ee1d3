import type { Actor } from '#action'
import { transitionsFrom } from '#kernel/machine.ts'
import { mayApprove, readSettings } from '#modules/accounts'
import { involvementOf, listInvolvements } from '#modules/casework'
import type { Tx } from '#platform/db/database.ts'
import { listAwaiting } from './queries.ts'
import { canDecideClosure, deviationMachine } from './rules.ts'

/** The deviations whose closure this person may decide, by due date, with the transitions that they may take. */
export async function awaitingDeviations(tx: Tx, actor: Actor, { most }: { most: number }) {
  const ways = transitionsFrom(deviationMachine, 'pending_approval')
    .filter(({ permission }) => actor.permissions.has(permission))
    .map(({ name }) => name)
  if (ways.length === 0 || !actor.permissions.has('deviations.read')) return { ways, deviations: [], is_complete: true }
  const may_approve = mayApprove(await readSettings(tx), actor)
  const found = await listAwaiting(tx, most + 1)
  const involved = await listInvolvements(
    tx,
    'deviation',
    found.map(({ id }) => id),
  )
  const deviations = found.slice(0, most).filter(each => {
    const is_involved = involvementOf(involved.get(each.id) ?? [], actor.username) !== undefined
    return canDecideClosure({ ...each, is_involved, by: actor, may_approve })
  })
  return { ways, deviations, is_complete: found.length <= most }
}
