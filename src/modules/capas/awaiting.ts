import type { Actor } from '#action'
import { readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { listDrafts } from './queries.ts'
import { isApprovable } from './rules.ts'

/** CAPA-03: the drafts that this person may approve, by due date. */
export async function awaitingDrafts(tx: Tx, actor: Actor, { most }: { most: number }) {
  if (!actor.permissions.has('capa.approve_draft') || !actor.permissions.has('capa.read'))
    return { drafts: [], is_complete: true }
  const settings = await readSettings(tx)
  const found = await listDrafts(tx, most + 1)
  return {
    drafts: found.slice(0, most).filter(each => isApprovable(each, actor, settings)),
    is_complete: found.length <= most,
  }
}
