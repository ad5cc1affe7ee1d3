// The approval of a draft, and that of the plan of an urgent CAPA: with linked documents a CAPA begins open, and nobody approved it yet.
import { type ActionContext, command } from '#action'
import { requireAll } from '#action/allowed.ts'
import { conflict } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { presentCapa } from './acts.ts'
import { messages } from './messages.ts'
import { deciding, planReadiness } from './plan-approval.ts'
import { countRevision, setFields } from './queries.ts'
import type { CapaState } from './rules.ts'
import { Capa, DraftApproval, DraftRejection } from './schema.ts'
import { applyTransition, requireTransition } from './transitions.ts'
import { lockForWork, nextRevision, readersOf } from './view.ts'

/** CAPA-03. */
async function decideDraft(context: ActionContext<unknown>, id: number, to: CapaState, reason: string | null) {
  const work = await lockForWork(context, id)
  const { number, status } = work.row
  if (status !== 'draft') throw conflict(messages.capa_not_draft({ number, status }))
  const transition = await requireTransition(context, work, to, reason)
  await countRevision(context.tx, id)
  await applyTransition(context, work, transition, { reason })
  return presentCapa(context, id)
}

export const approveDraft = command({
  summary: 'Approve a draft CAPA',
  description: 'The CAPA is then open.',
  permission: deciding,
  input: { params: IdParams, body: DraftApproval },
  response: Capa,
  run: (context, { params, body }) => decideDraft(context, params.id, 'open', body.comment ?? null),
})

export const rejectDraft = command({
  summary: 'Reject a draft CAPA',
  permission: deciding,
  input: { params: IdParams, body: DraftRejection },
  response: Capa,
  run: (context, { params, body }) => decideDraft(context, params.id, 'rejected', body.comment),
})

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
    const { number, revision } = work.row
    await requireAll(planReadiness(context, work))
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
    return presentCapa(context, id)
  },
})
