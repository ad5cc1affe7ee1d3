import { type ActionContext, type Actor, command } from '#action'
import { type Check, requireAll } from '#action/allowed.ts'
import { refuseStale } from '#action/revision.ts'
import { forbidden, notFound } from '#kernel/errors.ts'
import { requireTransition } from '#kernel/machine.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { messages } from '../messages.ts'
import { openStates, trainingMachine, trainingTransitions } from '../rules.ts'
import { findAssignment, type LockedAssignment, lockAssignments, updateEnded } from './queries.ts'
import { Assignment, Reasoned } from './schema.ts'

/** Ends the open ones of these assignments, at most some hundred, each with its own audit entry, and answers how many. */
export async function endOpen(
  { tx, record }: Pick<ActionContext<unknown>, 'tx' | 'record'>,
  ids: readonly number[],
  status: 'waived' | 'cancelled',
  reason: string,
): Promise<number> {
  const open = (await lockAssignments(tx, ids)).filter(each => openStates.includes(each.status))
  if (open.length === 0) return 0
  await updateEnded(
    tx,
    open.map(({ id }) => id),
    status,
    reason,
  )
  for (const { id, user_id, status: before, revision, program_id, number, title, due_date } of open)
    record(`training_assignment.${status}`, id, {
      number,
      before: { status: before, revision },
      after: { status, program_id, number, title, user_id, due_date, revision: revision + 1 },
      reason,
      notify: [user_id],
    })
  return open.length
}

type Ending = typeof trainingTransitions.waive | typeof trainingTransitions.cancel

/** The conditions of a waiver or a cancellation. */
export const checksOfEnding = (
  actor: Actor,
  { id, number, user_id, status }: Pick<LockedAssignment, 'id' | 'number' | 'user_id' | 'status'>,
  { to, guards }: Ending,
): Check[] => [
  () => requireTransition(trainingMachine, number, { from: status, to }),
  () => {
    if (guards.some(guard => guard === 'waiver_is_another') && user_id === actor.userId)
      throw forbidden(messages.training_own_waiver(), { id, number })
  },
]

const ending = (transition: Ending) =>
  command({
    summary: transition.to === 'waived' ? 'Waive a training of a person' : 'Cancel a training of a person',
    description:
      transition.to === 'waived'
        ? 'The person need not do it, and it is not assigned to them again automatically. Nobody can waive their own training.'
        : 'The assignment is withdrawn, and is assigned to the person again only by hand.',
    permission: transition.permission,
    input: { params: IdParams, body: Reasoned },
    response: Assignment,
    async run(context, { params, body: { reason } }) {
      const { tx, actor } = context
      const [assignment] = await lockAssignments(tx, [params.id])
      if (!assignment) throw notFound('Training assignment')
      await refuseStale(context, 'training_assignment', assignment)
      await requireAll(checksOfEnding(actor, assignment, transition))
      await endOpen(context, [params.id], transition.to, reason)
      return (await findAssignment(tx, params.id, await todayOf(context)))!
    },
  })
export const waive = ending(trainingTransitions.waive)
export const cancel = ending(trainingTransitions.cancel)
