// What a person may do with a training assignment, by the conditions that refuse the acts.
import { type ActionContext, query } from '#action'
import { type Acts, type Allowed, allowedActs, oneself, requirePermission } from '#action/allowed.ts'
import { notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { requireSignerByAnyMethod, todayOf } from '#modules/accounts'
import { findAssignment, findNewestRow, findRow } from '../assignments/queries.ts'
import { checksOfReminding, toRemind } from '../assignments/remind.ts'
import type { Assignment } from '../assignments/schema.ts'
import { checksOfEnding } from '../assignments/waive.ts'
import { findProgram } from '../programs/queries.ts'
import { trainingTransitions } from '../rules.ts'
import { AssignmentShown } from './schema.ts'
import { checksOfVerifying } from './verify.ts'
import { checksOf, type Work, workOf } from './work.ts'

type Reading = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

/** A person does their newest assignment of a program, and nobody does that of another person. */
function ownActs(context: Reading, work: Work): Acts {
  const { tx, actor } = context
  const { start, complete } = trainingTransitions
  const permitted = () => requirePermission(actor, start.permission)
  return {
    // Starting it again is no error.
    start: work.assignment.status === 'in_progress' ? [permitted] : [permitted, ...checksOf(context, work, start)],
    complete: [permitted, ...checksOf(context, work, complete), () => requireSignerByAnyMethod(tx, actor)],
  }
}

async function allowedOn(context: Reading, assignment: Assignment): Promise<Allowed> {
  const { tx } = context
  const { assignment_id: id } = assignment
  const actor = oneself(context.actor)
  const row = (await findRow(tx, id))!
  const work = await workOf({ tx }, (await findProgram(tx, row.program_id))!, row)
  const { number } = work.program
  const isOwn = row.user_id === actor.userId && (await findNewestRow(tx, row.program_id, row.user_id))?.id === id
  const { waive, cancel } = trainingTransitions
  const ending = (transition: typeof waive | typeof cancel) => [
    () => requirePermission(actor, transition.permission),
    ...checksOfEnding(actor, { ...row, number }, transition),
  ]
  return allowedActs({
    ...(isOwn && ownActs({ ...context, actor }, work)),
    verify: [
      () => requirePermission(actor, 'training.verify'),
      ...checksOfVerifying(tx, actor, work),
      () => requireSignerByAnyMethod(tx, actor),
    ],
    waive: ending(waive),
    cancel: ending(cancel),
    remind: [() => requirePermission(actor, toRemind), ...checksOfReminding({ ...context, actor }, assignment)],
  })
}

export const present = async (context: Reading, assignment: Assignment): Promise<AssignmentShown> => ({
  ...assignment,
  you: await allowedOn(context, assignment),
})

export const assignmentDetails = query({
  summary: 'Read a training assignment',
  description: 'Your own, or with the permission `training.read_all` any.',
  permission: 'training.read_own',
  input: { params: IdParams },
  response: AssignmentShown,
  async run(context, { params }) {
    const { tx, actor } = context
    const assignment = await findAssignment(tx, params.id, await todayOf(context))
    const isReadable = assignment?.user.id === actor.userId || actor.permissions.has('training.read_all')
    if (!assignment || !isReadable) throw notFound('Training assignment')
    return present(context, assignment)
  },
})
