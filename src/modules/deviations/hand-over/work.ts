import type { WorkOfKind } from '#modules/accounts'
import { lockCase } from '#modules/casework'
import { countAssigned, listAssigned, updateDeviation } from '../queries.ts'
import { assigneePermissions, isInvestigated } from '../rules.ts'
import { recorded, requireDeviation } from '../view.ts'

/** A deviation that awaits its closure stays with its assignee: a new one could no longer close it. */
export const workOnDeviations: WorkOfKind = {
  kind: 'deviation',
  needs: assigneePermissions,
  list: listAssigned,
  count: countAssigned,
  async give(context, { id }, { from, to, reason }) {
    const { tx, record } = context
    await lockCase(tx, 'deviation', id)
    const before = await requireDeviation(context, id)
    if (before.assignee_id !== from || !isInvestigated(before.status)) return false
    await updateDeviation(tx, before, { assigned_to: to }, { isContent: true })
    const after = await requireDeviation(context, id)
    record('deviation.updated', id, {
      number: before.number,
      before: recorded(before),
      after: recorded(after),
      reason,
      assignees: [to],
    })
    return true
  },
}
