import { type ActionContext, command } from '#action'
import { type Check, requireAll } from '#action/allowed.ts'
import { listReminded } from '#action/reminder-queries.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { messages } from '../messages.ts'
import { openStates } from '../rules.ts'
import { findAssignment, lockAssignments } from './queries.ts'
import { type Assignment, Reminded, Reminding } from './schema.ts'

export const toRemind = 'training.assign'

/** The conditions of a reminder by hand. */
export function checksOfReminding(
  { tx, actor, services }: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  { assignment_id, number, status, user }: Assignment,
): Check[] {
  return [
    () => {
      if (!openStates.includes(status)) throw conflict(messages.training_reminder_of_ended({ number, status }))
    },
    () => {
      if (user.id === actor.userId) throw conflict(messages.training_reminder_of_oneself())
    },
    async () => {
      const today = await todayOf({ tx, services })
      if ((await listReminded(tx, 'training_assignment.reminded', assignment_id, today)).length > 0)
        throw conflict(messages.training_already_reminded({ number, username: user.username }))
    },
  ]
}

export const remindTrainee = command({
  summary: 'Remind a person of a training',
  description: 'Notifies the trainee that the training is still to be done, at most once a day.',
  permission: toRemind,
  input: { params: IdParams, body: Reminding },
  response: Reminded,
  async run(context, { params: { id }, body: { comment = null } }) {
    const { tx, record } = context
    await lockAssignments(tx, [id])
    const today = await todayOf(context)
    const assignment = await findAssignment(tx, id, today)
    if (!assignment) throw notFound('Training assignment')
    await requireAll(checksOfReminding(context, assignment))
    const { training_id: program_id, number, title, user, due_date } = assignment
    record('training_assignment.reminded', id, {
      number,
      after: { program_id, number, title, user_id: user.id, due_date, reminded: [user.username], told_on: today },
      reason: comment,
      notify: [user.id],
    })
    return { reminded: [user] }
  },
})
