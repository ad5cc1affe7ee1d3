// The conditions of the changes and transitions of a CAPA: they refuse the acts, and tell pages what a person may do.
import type { ActionContext, Actor } from '#action'
import { type Acts, allowedActs, type Check, oneself, requirePermission } from '#action/allowed.ts'
import { transitionsFrom } from '#kernel/machine.ts'
import { requireSignerByAnyMethod } from '#modules/accounts'
import {
  actsOnParts,
  type CaseRecord,
  findLaterClosure,
  findWaitingExtension,
  requirePermissionFor,
  requirePermittedTransition,
} from '#modules/casework'
import { capaAccess } from './access.ts'
import { actsOnAction, actsOnActions } from './action-rights.ts'
import { awaitsApproval, deciding, planReadiness } from './plan-approval.ts'
import { requireNonePlanned, requireNotOver, toPlanReview } from './reviews.ts'
import { type CapaTransition, capaMachine, isGuardOfPerson, isOver } from './rules.ts'
import type { Capa } from './schema.ts'
import { readiness } from './transitions.ts'
import { type ActionRow, loadCapa, requireChangeable, shownAction, shownOf, type Work } from './view.ts'

type Reading = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>
type Waiting = Awaited<ReturnType<typeof findWaitingExtension>>

/** The least permission; a transition asks for its own beside it. */
export const toUpdate = 'capa.update'

const recordOf = ({ row }: Work): CaseRecord => ({
  kind: 'capa',
  id: row.id,
  number: row.number,
  status: row.status,
  isOver: isOver(row.status),
  due_date: row.due_date,
  revision: row.revision,
  people: [row.assigned_to?.id, row.created_by?.id].filter(person => person !== undefined),
  assigned_to: row.assigned_to?.id ?? null,
})

/** A draft has requests of its own for its decision. */
const isOfDraft = ({ permission }: CapaTransition) => permission === deciding

function checksOf(context: Reading, work: Work, transition: CapaTransition): Check[] {
  const { tx, actor } = context
  return [
    () => requirePermission(actor, isOfDraft(transition) ? deciding : toUpdate),
    () => requirePermittedTransition(capaMachine, actor, work.row, transition.to),
    ...readiness(context, work, transition),
    () => (transition.signature ? requireSignerByAnyMethod(tx, actor) : undefined),
  ]
}

function checksOfLaterClosure(context: Reading, work: Work, close: CapaTransition): Check[] {
  const { actor } = context
  return [
    () => requirePermission(actor, toUpdate),
    () => requirePermittedTransition(capaMachine, actor, work.row, close.to),
    () => requirePermissionFor(actor, work.row, close),
    ...readiness(context, work, close),
  ]
}

function actsOn(context: Reading, work: Work, waiting: Waiting): Acts {
  const later = findLaterClosure(capaMachine, work.row.status, isGuardOfPerson)
  const permits = (permission: Parameters<typeof requirePermission>[1], actor: Actor = context.actor) => [
    () => requirePermission(actor, permission),
  ]
  return {
    update: [...permits(toUpdate), () => requireChangeable(work)],
    ...Object.fromEntries(
      transitionsFrom(capaMachine, work.row.status).map(each => [each.name, checksOf(context, work, each)]),
    ),
    ...(later && { close: checksOfLaterClosure(context, work, later) }),
    ...(awaitsApproval(work) && { approve_plan: [...permits(deciding), ...planReadiness(context, work)] }),
    plan_review: [...permits(toPlanReview), () => requireNotOver(work), () => requireNonePlanned(work)],
    ...permitted(context.actor, actsOnActions(context.actor, work)),
    ...actsOnParts(context, capaAccess, recordOf(work), waiting),
  }
}

/** Everything that is done with an action or their list needs this too. */
const permitted = (actor: Actor, acts: Acts): Acts =>
  Object.fromEntries(
    Object.entries(acts).map(([name, checks]) => [name, [() => requirePermission(actor, toUpdate), ...checks]]),
  )

/** The action as the actor sees it. */
export async function presentAction({ actor: asking }: Pick<Reading, 'actor'>, work: Work, action: ActionRow) {
  const actor = oneself(asking)
  return { ...shownAction(action), you: await allowedActs(permitted(actor, actsOnAction(actor, work, action))) }
}

/** The CAPA as the actor sees it. */
export async function present(context: Reading, work: Work, waiting: Waiting): Promise<Capa> {
  const asked = { ...context, actor: oneself(context.actor) }
  return {
    ...shownOf(work),
    actions: await Promise.all(work.actions.map(each => presentAction(context, work, each))),
    you: await allowedActs(actsOn(asked, work, waiting)),
  }
}

export async function presentCapa(context: Reading, id: number): Promise<Capa> {
  const [work, waiting] = await Promise.all([
    loadCapa(context, id),
    findWaitingExtension(context.tx, { kind: 'capa', id, number: '' }),
  ])
  return present(context, work, waiting)
}
