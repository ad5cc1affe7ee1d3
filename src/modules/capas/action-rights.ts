// Who may plan the actions of a CAPA, and who may report on them.
import { type Actor, actingPeople, taskOwner } from '#action'
import type { Acts } from '#action/allowed.ts'
import { conflict } from '#kernel/errors.ts'
import { denied } from '#modules/casework'
import { messages } from './messages.ts'
import { type ActionPlan, isReplanned, planAction, type SentFields } from './plan.ts'
import { maxActions, needsPlanApproval } from './rules.ts'
import { type ActionRow, type CapaRow, requireChangeable, storedAction, type Work } from './view.ts'

const managing = 'capa.manage_actions'
/** A deputy does for a person what that person's own part in the CAPA allows. */
const manages = ({ permissions, standsInFor }: Actor) => permissions.has(managing) && !standsInFor

/** Actions are planned by the owner of the CAPA. */
export function requirePlanner(actor: Actor, { row }: Work) {
  const owner = taskOwner(actor)
  const isOwner = row.assigned_to?.id === owner || (row.status === 'draft' && row.created_by?.id === owner)
  if (!manages(actor) && !isOwner)
    throw denied(row, messages.capa_actions_planned_by_owner({ number: row.number, permission: managing }))
}

/** Actions are planned by the owner of the CAPA, and each assignee reports on their own. */
export function requireActionRights(actor: Actor, work: Work, { added, changed }: ActionPlan) {
  const { row } = work
  const owner = taskOwner(actor)
  if (added.length > 0 || changed.some(isReplanned)) requirePlanner(actor, work)
  const others = changed.filter(each => !isReplanned(each) && each.before.assigned_to !== owner)
  if (!manages(actor) && others.length > 0)
    throw denied(row, messages.capa_action_of_another({ action_id: others[0]!.before.id, permission: managing }))
  const own = isAgreed(row) ? changed.find(each => isExtendedBy(actingPeople(actor), each)) : undefined
  if (own) throw denied(row, messages.capa_action_own_due_date({ action_id: own.before.id, permission: managing }))
  if (row.status === 'draft' && changed.some(({ before, after }) => before.status !== after.status))
    throw conflict(messages.capa_draft_not_approved({ number: row.number }))
}

/** The days of a plan that still awaits its approval are proposals, which its assignees may change. */
const isAgreed = (capa: CapaRow) => capa.status !== 'draft' && !needsPlanApproval(capa)

/** The assignee, also one who takes the action over or hands it on by the same change, gets more time. */
const isExtendedBy = (people: readonly number[], { before, after }: ActionPlan['changed'][number]) =>
  after.due_date > before.due_date && people.some(each => each === before.assigned_to || each === after.assigned_to)

/** Nobody works on an action of a plan that awaits its approval. */
export function requireApprovedPlan(capa: CapaRow, { changed }: ActionPlan) {
  const isBegun = ({ before, after }: ActionPlan['changed'][number]) =>
    before.status !== after.status && (after.status === 'in_progress' || after.status === 'done')
  if (needsPlanApproval(capa) && changed.some(isBegun))
    throw conflict(messages.capa_plan_not_approved({ number: capa.number, priority: capa.priority }))
}

export function requireRemovable({ id: action_id, status }: Pick<ActionRow, 'id' | 'status'>) {
  if (status !== 'open') throw conflict(messages.capa_action_begun({ action_id, status }))
}

export function requireRoomForAction({ row, actions }: Work) {
  if (actions.length >= maxActions)
    throw conflict(messages.capa_actions_too_many({ number: row.number, maximum: maxActions }))
}

/** Lists the acts on one action that the actor may perform, apart from the permission to change CAPAs. */
export function actsOnAction(actor: Actor, work: Work, action: ActionRow): Acts {
  const before = storedAction(action)
  const changeable = () => requireChangeable(work)
  const change = (fields: SentFields) => () => {
    const plan = planAction(before, fields, work.row)
    requireActionRights(actor, work, plan)
    requireApprovedPlan(work.row, plan)
  }
  const { id: action_id, status } = action
  return {
    update: [changeable, change({ description: `${before.description}.` })],
    complete: [
      changeable,
      () => {
        if (status === 'done') throw conflict(messages.capa_action_finished({ action_id, status }))
      },
      change({ status: 'done', evidence: before.evidence ?? before.description }),
    ],
    remove: [changeable, () => requirePlanner(actor, work), () => requireRemovable(action)],
  }
}

/** Lists the acts on all actions of the CAPA that the actor may perform, apart from the permission to change CAPAs. */
export const actsOnActions = (actor: Actor, work: Work): Acts => ({
  add_action: [() => requireChangeable(work), () => requireRoomForAction(work), () => requirePlanner(actor, work)],
  order_actions: [() => requireChangeable(work), () => requirePlanner(actor, work)],
})
