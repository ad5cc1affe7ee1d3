// The work of people on CAPAs as it is handed over: CAPAs, their actions and their planned effectiveness reviews.
import type { ActionContext } from '#action'
import { conflict } from '#kernel/errors.ts'
import { todayOf, type WorkOfKind } from '#modules/accounts'
import { lockCase } from '#modules/casework'
import { updateAction } from '../action-queries.ts'
import { messages } from '../messages.ts'
import { countRevision, setFields } from '../queries.ts'
import { findReview, updateReview } from '../review-queries.ts'
import { planOf, requireReviewer } from '../reviews.ts'
import { assigneePermissions, isActionOver, isChangeable, isOver, noticeOf } from '../rules.ts'
import { loadCapa, nextRevision, recorded, storedActions, type Work } from '../view.ts'
import {
  countAssigned,
  countAssignedActions,
  countAssignedReviews,
  listAssigned,
  listAssignedActions,
  listAssignedReviews,
} from './queries.ts'

async function lockWork(context: ActionContext<unknown>, id: number): Promise<Work> {
  await lockCase(context.tx, 'capa', id)
  return loadCapa(context, id)
}

async function recordChange(
  context: ActionContext<unknown>,
  before: Work,
  { to, reason }: { to: number; reason: string },
) {
  const { id, number, revision } = before.row
  await countRevision(context.tx, id, { isContent: true })
  const after = await loadCapa(context, id)
  context.record('capa.updated', id, {
    number,
    before: { ...recorded(before), revision },
    after: { ...recorded(after), revision: nextRevision(before) },
    reason,
    assignees: [to],
  })
}

/** A CAPA that awaits its effectiveness review is read-only, so it stays with its owner. */
export const workOnCapas: WorkOfKind = {
  kind: 'capa',
  needs: assigneePermissions,
  list: listAssigned,
  count: countAssigned,
  async give(context, { id }, change) {
    const work = await lockWork(context, id)
    const { assigned_to, status, planned_reviewer } = work.row
    if (assigned_to?.id !== change.from || !isChangeable(status)) return false
    if (planned_reviewer === change.to) throw conflict(messages.capa_reviewer_is_owner())
    await setFields(context.tx, id, { assigned_to: change.to })
    await recordChange(context, work, change)
    return true
  },
}

export const workOnActions: WorkOfKind = {
  kind: 'capa_action',
  needs: assigneePermissions,
  list: listAssignedActions,
  count: countAssignedActions,
  async give(context, { id, record_id }, change) {
    const work = await lockWork(context, record_id)
    const action = storedActions(work).find(each => each.id === id)
    if (action?.assigned_to !== change.from || isActionOver(action.status) || !isChangeable(work.row.status))
      return false
    const { id: _, ...fields } = action
    await updateAction(context.tx, id, {
      ...fields,
      assigned_to: change.to,
      notice_on: noticeOf(action.due_date),
      completed_at: null,
      completed_by: null,
    })
    await recordChange(context, work, change)
    return true
  },
}

export const workOnReviews: WorkOfKind = {
  kind: 'effectiveness_review',
  needs: ['capa.read', 'effectiveness.update'],
  list: listAssignedReviews,
  count: countAssignedReviews,
  async give(context, { id, record_id }, { from, to, reason }) {
    const { tx, record } = context
    const work = await lockWork(context, record_id)
    const today = await todayOf(context)
    const review = await findReview(tx, record_id, id, today)
    if (review?.reviewer.id !== from || review.status !== 'planned' || isOver(work.row.status)) return false
    await requireReviewer(context, work, to)
    await updateReview(tx, id, { reviewer_id: to })
    const after = (await findReview(tx, record_id, id, today))!
    record('effectiveness_review.updated', id, {
      number: work.row.number,
      before: { ...planOf(review), revision: review.revision },
      after: { ...planOf(after), revision: after.revision },
      reason,
      assignees: [to],
    })
    return true
  },
}
