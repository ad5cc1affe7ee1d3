import { notFound } from '#kernel/errors.ts'
import type { CaseAccess } from '#modules/casework'
import { findCase, moveDueDate } from './queries.ts'
import { isOver, noticeOf } from './rules.ts'

export const deviationAccess: CaseAccess = {
  kind: 'deviation',
  path: '/api/deviations',
  permissions: { read: 'deviations.read', comment: 'deviations.comment', change: 'deviations.update' },
  async find(tx, id, options) {
    const found = await findCase(tx, id, options)
    if (!found) throw notFound('Deviation')
    const { reported_by, assigned_to, ...record } = found
    const people = assigned_to === null ? [reported_by] : [...new Set([reported_by, assigned_to])]
    return { ...record, kind: 'deviation', isOver: isOver(record.status), people }
  },
  own: {
    permission: 'deviations.create',
    isOf: ({ userId }, { status, people }) => status === 'open' && people[0] === userId,
  },
  moveDueDate: (tx, id, due_date) => moveDueDate(tx, id, { due_date, due_notice_on: noticeOf(due_date) }),
}
