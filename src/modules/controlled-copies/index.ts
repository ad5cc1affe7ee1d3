import type { Actor } from '#action'
import { type Route, route } from '#http'
import type { Tx } from '#platform/db/database.ts'
import { managing } from './access.ts'
import { confirm, details, issue, list, recall, reconcile, transfer, values } from './actions.ts'
import { print } from './print.ts'
import { listUnreconciled } from './queries.ts'

export { heldCopies } from './hand-over.ts'
export { listRecordedCopies, markOfCopies } from './queries.ts'
export { controlledCopies } from './recall.ts'
export { copyReminders, requestsOfCopies } from './reminders.ts'

/** The copies that await reconciliation by the actor. */
export async function awaitingCopies(tx: Tx, actor: Actor, { most }: { most: number }) {
  if (!actor.permissions.has(managing)) return { copies: [], is_complete: true }
  const copies = await listUnreconciled(tx, actor.userId, most + 1)
  return { copies: copies.slice(0, most), is_complete: copies.length <= most }
}

export const routes: Route[] = [
  route('POST', '/api/documents/:id/controlled-copies', issue, {
    status: 201,
    location: '/api/controlled-copies/:copy_id',
  }),
  route('GET', '/api/controlled-copies/', list),
  route('GET', '/api/controlled-copies/values', values),
  route('GET', '/api/controlled-copies/:id', details),
  route('POST', '/api/controlled-copies/:id/print', print),
  route('POST', '/api/controlled-copies/:id/recall', recall),
  route('POST', '/api/controlled-copies/:id/transfer', transfer),
  route('POST', '/api/controlled-copies/:id/confirm', confirm),
  route('POST', '/api/controlled-copies/:id/reconcile', reconcile),
]
