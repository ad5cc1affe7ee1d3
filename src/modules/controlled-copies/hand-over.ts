import type { WorkOfKind } from '#modules/accounts'
import { finish, lockForWork } from './access.ts'
import { holderPermissions, requireHolder } from './holders.ts'
import { countHeld, listHeld, updateCopy } from './queries.ts'
import { isOpen } from './states.ts'

/** The holder answers for the copy until it is returned. */
export const heldCopies: WorkOfKind = {
  kind: 'controlled_copy',
  needs: holderPermissions,
  list: listHeld,
  count: countHeld,
  async give(context, { id }, { from, to, reason }) {
    const copy = await lockForWork(context, id)
    if (copy.holder.id !== from || copy.confirmed_at !== null || !isOpen(copy.status)) return false
    await requireHolder(context, copy.document, to, { isInUse: copy.status === 'issued' })
    await updateCopy(context.tx, id, { holder_id: to })
    await finish(context, copy, { event: 'controlled_copy.transferred', reason, assignees: [to] })
    return true
  },
}
