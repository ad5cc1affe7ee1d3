import { Type } from 'typebox'
import { command } from '#action'
import { daysLater } from '#kernel/day.ts'
import { conflict } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { caseMessages, filterReaders, listPermitted } from '#modules/casework'
import { forEachDue, type Schedule } from '#modules/jobs'
import { listNotices, planNotice } from './queries.ts'
import { isOver } from './rules.ts'
import { lockForWork } from './view.ts'

const remindOfDueDate = command({
  summary: 'Tell of a deviation that is due soon or overdue',
  permission: 'deviations.update',
  input: { params: IdParams },
  response: Type.Null(),
  async run(context, { params }) {
    const { tx, record } = context
    const row = await lockForWork(context, params.id)
    const { id, number, status, due_date, due_notice_on, assignee_id, reporter_id } = row
    const today = await todayOf(context)
    if (isOver(status) || due_notice_on === null || due_notice_on > today)
      throw conflict(caseMessages.record_reminder_not_due())
    const isOverdue = due_date < today
    await planNotice(tx, id, isOverdue ? null : daysLater(due_date, 1))
    // A deviation without an assignee is up to the assessors.
    const people = await filterReaders(tx, 'deviation', [assignee_id ?? reporter_id])
    const assessors = assignee_id === null || isOverdue ? await listPermitted(tx, 'deviation', 'deviations.assess') : []
    record(isOverdue ? 'deviation.overdue' : 'deviation.due_soon', id, {
      number,
      after: { due_date },
      notify: [...new Set([...people, ...assessors])],
    })
    return null
  },
})

const maxAtOnce = 100

/** One reminder before each due date, and one after it. */
export const deviationReminders: Schedule = {
  name: 'deviations.tell_of_due_dates',
  every_minutes: 15,
  round: forEachDue({
    where: { task: 'deviations.tell_of_due_dates' },
    due: ({ services, read }) =>
      read(async tx => {
        const notices = await listNotices(tx, await todayOf({ tx, services }), maxAtOnce)
        return notices.map(({ id }) => ({ params: { id } }))
      }),
    action: remindOfDueDate,
  }),
}
