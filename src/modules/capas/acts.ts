// The conditions of the changes and transitions of a CAPA: they refuse the acts, and tell pages what a person may do.
import type { ActionContext, Actor, Represented } from '#action'
import {
  type Acts,
  actsFor,
  allowedActs,
  type Check,
  listPrincipals,
  oneself,
  requirePermission,
} from '#action/allowed.ts'
import { transitionsFrom } from '#kernel/machine.ts'
import { requireSignerByAnyMethod } from '#modules/accounts'
import {
  actsOnParts,
  type CaseRecord,
  findLaterClosure,
  findWaitingExtension,
  requireAssignedTo,
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

/** A deputy works on a CAPA for its owner, and for whoever an action of it is assigned to. */
export const requireDeputyOfWorker = (actor: Actor, { row, actions }: Work) =>
  requireAssignedTo(actor, row, [row.assigned_to?.id, ...actions.map(each => each.assigned_to.id)])

/** What a deputy does for these people; what others decide is nobody's for another. */
const actsForWorker = (context: Reading, work: Work, waiting: Waiting, people: readonly Represented[]) =>
  actsFor(context.actor, people, async actor => {
    const acts = actsOn({ ...context, actor }, work, waiting)
    const ways = transitionsFrom(capaMachine, work.row.status).filter(
      each => !each.signature && !isOfDraft(each) && !each.guards.some(isGuardOfPerson),
    )
    const assigned = () => requireDeputyOfWorker(actor, work)
    const taken = ['update', ...ways.map(({ name }) => name), 'add_action', 'order_actions', 'attach', 'link']
    return (await allowedActs(Object.fromEntries(taken.map(name => [name, [assigned, ...acts[name]!]])))).may
  })

/** The action as the actor sees it. */
async function shownWith(asking: Actor, work: Work, action: ActionRow, people: readonly Represented[]) {
  const actor = oneself(asking)
  const you = await allowedActs(permitted(actor, actsOnAction(actor, work, action)))
  const others = await actsFor(actor, people, async deputy => {
    const acts = permitted(deputy, actsOnAction(deputy, work, action))
    const assigned = () => requireDeputyOfWorker(deputy, work)
    return (
      await allowedActs(Object.fromEntries(Object.entries(acts).map(([name, checks]) => [name, [assigned, ...checks]])))
    ).may
  })
  return { ...shownAction(action), you: { ...you, ...others } }
}

export const presentAction = async (context: Reading, work: Work, action: ActionRow) =>
  shownWith(context.actor, work, action, await listPrincipals(context, 'tasks'))

/** The CAPA as the actor sees it. */
export async function present(
  context: Reading,
  work: Work,
  waiting: Waiting,
  principals?: readonly Represented[],
): Promise<Capa> {
  const asked = { ...context, actor: oneself(context.actor) }
  const people = principals ?? (await listPrincipals(asked, 'tasks'))
  const you = await allowedActs(actsOn(asked, work, waiting))
  return {
    ...shownOf(work),
    actions: await Promise.all(work.actions.map(each => shownWith(asked.actor, work, each, people))),
    you: { ...you, ...(await actsForWorker(asked, work, waiting, people)) },
  }
}

export async function presentCapa(context: Reading, id: number): Promise<Capa> {
  const [work, waiting, people] = await Promise.all([
    loadCapa(context, id),
    findWaitingExtension(context.tx, { kind: 'capa', id, number: '' }),
    listPrincipals(context, 'tasks'),
  ])
  return present(context, work, waiting, people)
}
