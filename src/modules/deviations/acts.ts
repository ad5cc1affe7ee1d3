// The conditions of the changes and transitions of a deviation: they refuse the acts, and tell pages what a person may do.
import type { ActionContext, Actor, Represented } from '#action'
import { type Acts, actsFor, allowedActs, listPrincipals, oneself, requirePermission } from '#action/allowed.ts'
import { transitionsFrom } from '#kernel/machine.ts'
import { messages as shared } from '#kernel/messages.ts'
import { requireSignerByAnyMethod } from '#modules/accounts'
import {
  actsOnParts,
  type CaseRecord,
  denied,
  findLaterClosure,
  findWaitingExtension,
  requireAssignedTo,
  requirePermissionFor,
  requirePermittedTransition,
} from '#modules/casework'
import { deviationAccess } from './access.ts'
import type { Written } from './content.ts'
import {
  type DeviationTransition,
  deviationMachine,
  type Field,
  fieldRefusal,
  isGuardOfAuthority,
  isInvestigated,
  isOver,
  isSigned,
  mayWriteAny,
  permissionsOn,
  type State,
} from './rules.ts'
import type { Deviation } from './schema.ts'
import { readiness, refuseLocked } from './transitions.ts'
import { type DeviationRow, shownOf } from './view.ts'

type Reading = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

/** The least permission; the fields and the transitions ask for more. */
export const toUpdate = 'deviations.create'

/** The assignee may investigate it without the permission for all deviations. */
export const requirePermitted = (actor: Actor, row: DeviationRow, to: State) =>
  requirePermittedTransition(deviationMachine, { ...actor, permissions: permissionsOn(row, actor) }, row, to)

export function requireWriter(actor: Actor, before: DeviationRow, change: Written, { isMoved }: { isMoved: boolean }) {
  const permissions = permissionsOn(before, actor)
  const written = Object.keys(change) as Field[]
  const isReporting = before.status === 'open' && before.reporter_id === actor.userId
  if (written.length === 0 && !isMoved && !mayWriteAny({ permissions, isReporting }))
    throw denied(before, shared.permission_required({ permission: 'deviations.update' }))
  const refusal = fieldRefusal(written, { permissions, isReporting, isNew: false })
  if (refusal) throw denied(before, refusal)
}

type Waiting = Awaited<ReturnType<typeof findWaitingExtension>>
/** What is read together with the row. */
interface Beside {
  waiting: Waiting
  has_capa?: boolean
  /** For whom the actor acts today. */
  people?: readonly Represented[]
}

const refOf = ({ id, number }: Pick<DeviationRow, 'id' | 'number'>) => ({ kind: 'deviation', id, number }) as const

export const findWaiting = ({ tx }: Pick<Reading, 'tx'>, id: number): Promise<Waiting> =>
  findWaitingExtension(tx, refOf({ id, number: '' }))

const recordOf = (row: DeviationRow): CaseRecord => ({
  ...refOf(row),
  status: row.status,
  isOver: isOver(row.status),
  due_date: row.due_date,
  revision: row.revision,
  people: [row.reporter_id, row.assignee_id].filter(person => person !== null),
  assigned_to: row.assignee_id,
})

function actsOn(context: Reading, row: DeviationRow, { waiting, has_capa }: Beside): Acts {
  const { tx, actor } = context
  const least = () => requirePermission(actor, toUpdate)
  const checksOf = (transition: DeviationTransition) => [
    least,
    () => requirePermitted(actor, row, transition.to),
    () => (isSigned(transition, row.severity) ? requireSignerByAnyMethod(tx, actor) : undefined),
    ...readiness(context, row, { ...row, status: transition.to }, transition),
  ]
  const checksOfLaterClosure = (close: DeviationTransition) => [
    least,
    () => requirePermitted(actor, row, close.to),
    () => requirePermissionFor(actor, row, close),
    ...readiness(context, row, { ...row, status: close.to }, close, { isFormRead: true, has_capa }),
  ]
  const later = isOver(row.status) ? undefined : findLaterClosure(deviationMachine, row.status, isGuardOfAuthority)
  return {
    update: [least, () => refuseLocked(row, undefined), () => requireWriter(actor, row, {}, { isMoved: false })],
    ...Object.fromEntries(
      transitionsFrom(deviationMachine, row.status).map(transition => [transition.name, checksOf(transition)]),
    ),
    ...(later && { close: checksOfLaterClosure(later) }),
    ...actsOnParts(context, deviationAccess, recordOf(row), waiting),
  }
}

/** A deputy of the assignee works on the deviation until it is submitted. No deputy makes the decisions of other people. */
const actsForAssignee = async (context: Reading, row: DeviationRow, beside: Beside) =>
  actsFor(context.actor, beside.people ?? (await listPrincipals(context, 'tasks')), async actor => {
    const acts = actsOn({ ...context, actor }, row, beside)
    const ways = transitionsFrom(deviationMachine, row.status).filter(each => !each.guards.some(isGuardOfAuthority))
    const assigned = () => requireAssignedTo(actor, row, isInvestigated(row.status) ? [row.assignee_id] : [])
    const taken = ['update', ...ways.map(({ name }) => name), 'attach', 'link']
    return (await allowedActs(Object.fromEntries(taken.map(name => [name, [assigned, ...acts[name]!]])))).may
  })

/** The deviation as the actor sees it. */
export async function presentWith(context: Reading, row: DeviationRow, beside: Beside): Promise<Deviation> {
  const asked = { ...context, actor: oneself(context.actor) }
  const you = { ...(await allowedActs(actsOn(asked, row, beside))), ...(await actsForAssignee(asked, row, beside)) }
  return Object.assign(shownOf(row, asked.actor), { you })
}

export const present = async (context: Reading, row: DeviationRow) =>
  presentWith(context, row, { waiting: await findWaiting(context, row.id) })
