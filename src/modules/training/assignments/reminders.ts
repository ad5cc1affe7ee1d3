import { Type } from 'typebox'
import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { Id } from '#kernel/schema.ts'
import { holding, todayOf } from '#modules/accounts'
import { forEachDue, type Schedule } from '#modules/jobs'
import { messages } from '../messages.ts'
import { lockDue, openDue, setNotices } from './reminder-queries.ts'
import { chunksOf, maxAtOnce, maxPerRun, noticeAfter } from './rules.ts'

const remind = command({
  summary: 'Remind people of training that is due soon or overdue',
  permission: 'training.assign',
  input: { params: Type.Object({ ids: Type.Array(Id) }) },
  response: Type.Null(),
  async run(context, { params }) {
    const { tx, record } = context
    const today = await todayOf(context)
    const due = await lockDue(tx, params.ids, today, await holding(tx, 'training.read_all', 'u'))
    if (due.length === 0) throw conflict(messages.training_nothing_to_remind())
    await setNotices(
      tx,
      due.map(({ id, due_date }) => ({ id, notice_on: noticeAfter(today, due_date) })),
    )
    for (const { id, user_id, due_date, number, title, program_id, assigner } of due) {
      const isOverdue = due_date < today
      record(`training_assignment.${isOverdue ? 'overdue' : 'due_soon'}`, id, {
        number,
        after: { program_id, number, title, user_id, due_date, told_on: today },
        notify: isOverdue && assigner !== null ? [...new Set([user_id, assigner])] : [user_id],
      })
    }
    return null
  },
})

/** A week and a day before the due date; when overdue, on the day after and then weekly four times. */
export const remindOfTraining: Schedule = {
  name: 'training.reminders',
  every_minutes: 15,
  round: forEachDue({
    where: { task: 'training.reminders' },
    due: ({ services, read }) =>
      read(async tx =>
        chunksOf(await openDue(tx, await todayOf({ tx, services }), maxPerRun), maxAtOnce).map(ids => ({
          params: { ids },
        })),
      ),
    action: remind,
  }),
}
