// The approval of a draft, and that of the plan of an urgent CAPA: with linked documents a CAPA begins open, and nobody approved it yet.
import { type ActionContext, command } from '#action'
import { conflict, permissionRequired } from '#kernel/errors.ts'
import { requireGuards } from '#kernel/machine.ts'
import { IdParams } from '#kernel/schema.ts'
import { requireApprover } from '#modules/accounts'
import { denied, refusedInvolvement } from '#modules/casework'
import { messages } from './messages.ts'
import { countRevision, setFields } from './queries.ts'
import {
  type CapaGuard,
  type CapaState,
  capaMachine,
  guardsOf,
  isAtWork,
  needsPlanApproval,
  planGuards,
} from './rules.ts'
import { Capa, DraftApproval, DraftRejection } from './schema.ts'
import { applyTransition, listDecidersOf, listInvolvedIn, requireTransition } from './transitions.ts'
import { lockForWork, nextRevision, readCapa, readersOf, situationOf, type Work } from './view.ts'

/** CAPA-03. */
async function decideDraft(context: ActionContext<unknown>, id: number, to: CapaState, reason: string | null) {
  const work = await lockForWork(context, id)
  const { number, status } = work.row
  if (status !== 'draft') throw conflict(messages.capa_not_draft({ number, status }))
  const transition = await requireTransition(context, work, to, reason)
  await countRevision(context.tx, id)
  await applyTransition(context, work, transition, { reason })
  return readCapa(context, id)
}

export const approveDraft = command({
  summary: 'Approve a draft CAPA',
  description: 'The CAPA is then open.',
  permission: 'capa.approve_draft',
  input: { params: IdParams, body: DraftApproval },
  response: Capa,
  run: (context, { params, body }) => decideDraft(context, params.id, 'open', body.comment ?? null),
})

export const rejectDraft = command({
  summary: 'Reject a draft CAPA',
  permission: 'capa.approve_draft',
  input: { params: IdParams, body: DraftRejection },
  response: Capa,
  run: (context, { params, body }) => decideDraft(context, params.id, 'rejected', body.comment),
})

const deciding = 'capa.approve_draft'

/** The plan is approved by somebody from quality who took no part in the CAPA. */
export async function requirePlanApprover(context: ActionContext<unknown>, work: Work) {
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

const awaitsApproval = ({ row }: Work) => isAtWork(row.status) && needsPlanApproval(row)
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

export const approvePlan = command({
  summary: 'Approve the plan of an urgent CAPA',
  description:
    'A CAPA of high or critical priority that began open needs it before its first action begins. The plan is an assignee, a root cause and an action. The approver is somebody who took no part in the CAPA.',
  permission: deciding,
  input: { params: IdParams, body: DraftApproval },
  response: Capa,
  async run(context, { params: { id }, body: { comment = null } }) {
    const { tx, actor, services, record } = context
    const work = await lockForWork(context, id)
    const { number, status, priority, revision } = work.row
    if (!awaitsApproval(work)) throw conflict(messages.capa_plan_awaits_no_approval({ number, status, priority }))
    await requirePlanApprover(context, work)
    const start = capaMachine.transitions.find(({ name }) => name === 'start')!
    requireGuards(capaMachine, number, { ...start, guards: planGuards }, planHolds(work))
    const approved_at = services.clock.now().toISOString()
    await setFields(tx, id, { approved_at, approved_by: actor.userId })
    await countRevision(tx, id, { isContent: true })
    record('capa.plan_approved', id, {
      number,
      before: { approved_at: null, revision },
      after: { approved_at, revision: nextRevision(work) },
      reason: comment,
      notify: await readersOf(tx, work),
    })
    return readCapa(context, id)
  },
})
