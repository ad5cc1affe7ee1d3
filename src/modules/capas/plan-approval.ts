// Which plans need an approval, who may give it, and who is asked for it.
import type { ActionContext } from '#action'
import type { Check } from '#action/allowed.ts'
import { conflict, permissionRequired } from '#kernel/errors.ts'
import { requireGuards } from '#kernel/machine.ts'
import { requireApprover } from '#modules/accounts'
import { denied, refusedInvolvement } from '#modules/casework'
import { messages } from './messages.ts'
import { type CapaGuard, capaMachine, guardsOf, isAtWork, needsPlanApproval, planGuards } from './rules.ts'
import { type Deciding, listDecidersOf, listInvolvedIn } from './transitions.ts'
import { situationOf, type Work } from './view.ts'

export const deciding = 'capa.approve_draft'

/** The plan is approved by somebody from quality who took no part in the CAPA. */
export async function requirePlanApprover(context: Deciding, work: Work) {
  const { tx, actor } = context
  const { id, number } = work.row
  if (!actor.permissions.has(deciding)) throw permissionRequired(deciding, { id, number })
  const involved = await listInvolvedIn(context, work)
  const refused = await refusedInvolvement(context, { kind: 'capa', number }, deciding, involved)
  if (refused) throw denied(work.row, messages.capa_plan_approver_is_involved(refused))
  await requireApprover(tx, actor, { id, number })
}

const anybody = { userId: null, isAdmin: false, may_approve: true, is_involved: false, has_worked: false }
const planHolds = (work: Work): Record<CapaGuard, boolean> => guardsOf(situationOf(work), anybody)

export const awaitsApproval = ({ row }: Work) => isAtWork(row.status) && needsPlanApproval(row)
const isReady = (work: Work) => {
  const holds = planHolds(work)
  return awaitsApproval(work) && planGuards.every(guard => holds[guard])
}

/** Notifies the people who can approve the plan, once it is complete. `before` is undefined for a new CAPA. */
export async function announcePlan(context: ActionContext<unknown>, before: Work | undefined, work: Work) {
  if (!isReady(work) || (before && isReady(before))) return
  const { id, number, priority } = work.row
  context.record('capa.plan_submitted', id, {
    number,
    after: { priority },
    assignees: await listDecidersOf(context, deciding, before ?? work, work),
  })
}

/** The conditions of the approval of a plan. */
export function planReadiness(context: Deciding, work: Work): Check[] {
  const { number, status, priority } = work.row
  const start = capaMachine.transitions.find(({ name }) => name === 'start')!
  return [
    () => {
      if (!awaitsApproval(work)) throw conflict(messages.capa_plan_awaits_no_approval({ number, status, priority }))
    },
    () => requirePlanApprover(context, work),
    () => requireGuards(capaMachine, number, { ...start, guards: planGuards }, planHolds(work)),
  ]
}
