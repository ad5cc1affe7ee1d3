import { type ActionContext, command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { messages } from './messages.ts'
import { countRevision } from './queries.ts'
import type { CapaState } from './rules.ts'
import { Capa, DraftApproval, DraftRejection } from './schema.ts'
import { applyTransition, requireTransition } from './transitions.ts'
import { lockForWork, readCapa } from './view.ts'

/** CAPA-03. */
async function decideDraft(context: ActionContext<unknown>, id: number, to: CapaState, reason: string | null) {
  const work = await lockForWork(context, id)
  const { number, status } = work.row
  if (status !== 'draft') throw conflict(messages.capa_not_draft({ number, status }))
  const transition = await requireTransition(context.tx, context.actor, work, to, reason)
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
