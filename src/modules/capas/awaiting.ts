import type { Actor } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { mayApprove, readSettings } from '#modules/accounts'
import { involvementOf, listInvolvements } from '#modules/casework'
import type { Tx } from '#platform/db/database.ts'
import { type AwaitingCapa, listAwaitingClosure, listAwaitingPlans, listDrafts } from './queries.ts'
import { isApprovable } from './rules.ts'

interface Awaiting {
  /** CAPA-03: the drafts that this person may approve. */
  drafts: AwaitingCapa[]
  /** The plans that they may approve, and the CAPAs that they may close. */
  decisions: AwaitingCapa[]
  is_complete: boolean
}

/** The CAPAs about which this person may decide, by due date. */
export async function awaitingCapas(tx: Tx, actor: Actor, { most }: { most: number }): Promise<Awaiting> {
  const may_approve = mayApprove(await readSettings(tx), actor)
  if (!may_approve || !actor.permissions.has('capa.read')) return { drafts: [], decisions: [], is_complete: true }
  const read = async (permission: Permission, list: (tx: Tx, limit: number) => Promise<AwaitingCapa[]>) =>
    actor.permissions.has(permission) ? list(tx, most + 1) : []
  const drafts = await read('capa.approve_draft', listDrafts)
  const plans = await read('capa.approve_draft', listAwaitingPlans)
  const closures = await read('capa.close', listAwaitingClosure)
  const found = [...plans.slice(0, most), ...closures.slice(0, most)]
  const ids = found.map(({ id }) => id)
  const involved = await listInvolvements(tx, 'capa', ids)
  const by = { userId: actor.userId, isAdmin: actor.isAdmin, may_approve }
  return {
    drafts: drafts.slice(0, most).filter(each => isApprovable(each, by)),
    decisions: found
      .filter(({ id }) => involvementOf(involved.get(id) ?? [], actor.username) === undefined)
      .sort((a, b) => a.due_date.localeCompare(b.due_date) || a.id - b.id),
    is_complete: [drafts, plans, closures].every(({ length }) => length <= most),
  }
}
