// The actions of a CAPA one by one, so that people who report on different actions at the same moment do not conflict.
import { Type } from 'typebox'
import { type ActionContext, command, query } from '#action'
import { refuseStalePart } from '#action/revision.ts'
import { invalidField, notFound } from '#kernel/errors.ts'
import { Id, IdParams } from '#kernel/schema.ts'
import { orderActions, removeAction } from '../action-queries.ts'
import { requirePlanner, requireRemovable, requireRoomForAction } from '../action-rights.ts'
import { presentAction, presentCapa, requireDeputyOfWorker, toUpdate } from '../acts.ts'
import { messages } from '../messages.ts'
import { type ActionPlan, planAction } from '../plan.ts'
import { announcePlan } from '../plan-approval.ts'
import { countRevision } from '../queries.ts'
import { needsPlanApproval } from '../rules.ts'
import { ActionCreate, ActionOrder, ActionRemoval, ActionShown, ActionUpdate, Capa } from '../schema.ts'
import { applyPlan, newlyAssigned } from '../update.ts'
import {
  type ActionRow,
  loadCapa,
  lockForWork,
  nextRevision,
  recorded,
  requireChangeable,
  requireReason,
  storedAction,
  type Work,
} from '../view.ts'

type Context = ActionContext<unknown>
const ActionParams = Type.Object({ id: Id, action_id: Id })

function requireAction({ actions }: Work, id: number): ActionRow {
  const action = actions.find(each => each.id === id)
  if (!action) throw notFound('Action')
  return action
}

export const actionDetails = query({
  summary: 'Read an action of a CAPA',
  permission: 'capa.read',
  input: { params: ActionParams },
  response: ActionShown,
  async run(context, { params }) {
    const work = await loadCapa(context, params.id)
    return presentAction(context, work, requireAction(work, params.action_id))
  },
})

/** Counts the revision of the CAPA, and records what changed of its actions. */
async function recordActions(context: Context, before: Work, reason: string | null, plan?: ActionPlan): Promise<Work> {
  const { tx, record } = context
  const { id, number, revision } = before.row
  await countRevision(tx, id, { isContent: true })
  const after = await loadCapa(context, id)
  record('capa.updated', id, {
    number,
    before: { actions: recorded(before).actions, revision },
    after: { actions: recorded(after).actions, revision: nextRevision(before) },
    reason,
    assignees: newlyAssigned({}, plan),
  })
  if (needsPlanApproval(before.row)) await announcePlan(context, before, after)
  return after
}

export const addAction = command({
  summary: 'Add an action to a CAPA',
  description: 'It comes last, and is open.',
  permission: toUpdate,
  byDeputy: 'tasks',
  input: { params: IdParams, body: ActionCreate },
  response: ActionShown,
  async run(context, { params, body }) {
    const work = await lockForWork(context, params.id)
    requireDeputyOfWorker(context.actor, work)
    requireChangeable(work)
    requireRoomForAction(work)
    const { change_reason: reason = null, on_behalf_of: _person, revision: _revision, ...fields } = body
    const plan = planAction(undefined, fields, work.row)
    requireReason(work, reason)
    await applyPlan(context, work, plan, work.row)
    const after = await recordActions(context, work, reason, plan)
    return presentAction(context, after, after.actions.at(-1)!)
  },
})

/** The action under the lock of its CAPA, as the caller has read it. */
async function lockAction(context: Context, { id, action_id }: { id: number; action_id: number }) {
  const work = await lockForWork({ ...context, expectedRevision: undefined }, id)
  const action = requireAction(work, action_id)
  refuseStalePart(context, action)
  requireDeputyOfWorker(context.actor, work)
  requireChangeable(work)
  return { work, action }
}

export const changeAction = command({
  summary: 'Change an action of a CAPA',
  description:
    'Only the fields that are sent. `revision` and If-Match are those of the action, so people who report on different actions do not conflict. An action is done with `evidence`, `attachment_ids` of files of the CAPA, or both.',
  permission: toUpdate,
  byDeputy: 'tasks',
  input: { params: ActionParams, body: ActionUpdate },
  response: ActionShown,
  async run(context, { params, body }) {
    const { work, action } = await lockAction(context, params)
    const { change_reason: reason = null, on_behalf_of: _person, revision: _revision, ...fields } = body
    const plan = planAction(storedAction(action), fields, work.row)
    requireReason(work, reason)
    await applyPlan(context, work, plan, work.row)
    const after = await recordActions(context, work, reason, plan)
    return presentAction(context, after, requireAction(after, action.id))
  },
})

export const deleteAction = command({
  summary: 'Remove an action of a CAPA',
  description: 'Only one that is open; what was begun is cancelled. The audit trail keeps it, with the reason.',
  permission: toUpdate,
  byDeputy: 'tasks',
  input: { params: ActionParams, body: ActionRemoval },
  response: Type.Null(),
  async run(context, { params, body: { reason } }) {
    const { work, action } = await lockAction(context, params)
    requirePlanner(context.actor, work)
    requireRemovable(action)
    await removeAction(context.tx, params.id, action.id)
    await recordActions(context, work, reason)
    return null
  },
})

export const changeOrder = command({
  summary: 'Order the actions of a CAPA',
  permission: toUpdate,
  byDeputy: 'tasks',
  input: { params: IdParams, body: ActionOrder },
  response: Capa,
  async run(context, { params, body: { action_ids, change_reason: reason = null } }) {
    const work = await lockForWork(context, params.id)
    requireDeputyOfWorker(context.actor, work)
    requireChangeable(work)
    requirePlanner(context.actor, work)
    const known = work.actions.map(({ id }) => id)
    const unknown = action_ids.find(id => !known.includes(id))
    if (unknown !== undefined) throw notFound('Action')
    const missing = known.filter(id => !action_ids.includes(id))
    if (missing.length > 0) throw invalidField('action_ids', messages.capa_actions_not_listed({ action_ids: missing }))
    requireReason(work, reason)
    await orderActions(context.tx, params.id, action_ids)
    await recordActions(context, work, reason)
    return presentCapa(context, params.id)
  },
})
