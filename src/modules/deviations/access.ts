import { taskOwner } from '#action'
import type { CaseAccess } from '#modules/casework'
import { findCase, moveDueDate } from './queries.ts'
import { isInvestigated, isOver, noticeOf } from './rules.ts'

export const deviationAccess: CaseAccess = {
  kind: 'deviation',
  path: '/api/deviations',
  permissions: { comment: 'deviations.comment', change: 'deviations.update' },
  isOver,
  async find(tx, id) {
    const found = await findCase(tx, id)
    if (!found) return undefined
    const { reported_by, ...record } = found
    const { assigned_to } = record
    return { ...record, people: assigned_to === null ? [reported_by] : [...new Set([reported_by, assigned_to])] }
  },
  own: {
    permission: 'deviations.create',
    isOf: (actor, { status, people, assigned_to }) =>
      (status === 'open' && people[0] === actor.userId) || (assigned_to === taskOwner(actor) && isInvestigated(status)),
  },
  moveDueDate: (tx, id, due_date) => moveDueDate(tx, id, { due_date, due_notice_on: noticeOf(due_date) }),
}
