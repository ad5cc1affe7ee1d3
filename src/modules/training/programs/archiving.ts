import type { ActionContext } from '#action'
import { conflict, invalidField } from '#kernel/errors.ts'
import { startJob, steppedJob } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { maxAtOnce } from '../assignments/rules.ts'
import { endOpen } from '../assignments/waive.ts'
import { messages } from '../messages.ts'
import { findProgram, findRequiringType, listOpen } from './queries.ts'

interface Archived {
  program: { id: number; number: string }
  /** Open assignments. */
  open: number
}

/** Approvers of such a type could no longer be trained (21 CFR 11.10(i)). */
export async function refuseNamedByType(tx: Tx, { id, number }: Archived['program']) {
  const type = await findRequiringType(tx, id)
  if (type) throw conflict(messages.training_used_by_document_type({ number, document_type: type.name }))
}

/** Cancels the open assignments of a program that is archived: at once, or for many people by a background job. */
export async function cancelOpen(
  context: ActionContext<unknown>,
  { program, open }: Archived,
  { cancel_open, change_reason: reason }: { cancel_open?: boolean; change_reason?: string },
) {
  if (open === 0) return
  const { number } = program
  if (!cancel_open) throw conflict(messages.training_has_open_assignments({ number, people: open }))
  if (reason === undefined) throw invalidField('change_reason', messages.training_assigned_reason_required({ number }))
  const input = { program_id: program.id, reason }
  if (open > maxAtOnce) await startJob(context, cancelOpenJob, { input, total: open })
  else await endOpen(context, await listOpen(context.tx, program.id, maxAtOnce), 'cancelled', reason)
}

/** An archived program gets no new assignments, so the job ends. A program that is active again keeps the open ones that are left. */
export const cancelOpenJob = steppedJob<{ program_id: number; reason: string }, object>({
  name: 'training.cancel_open',
  async step(context, { input: { program_id, reason } }) {
    const program = await findProgram(context.tx, program_id, { lock: 'share' })
    if (program?.status !== 'archived') return { state: {}, done: 0, skipped: 0, isOver: true }
    const ids = await listOpen(context.tx, program_id, maxAtOnce)
    const done = await endOpen(context, ids, 'cancelled', reason)
    return { state: {}, done, skipped: 0, isOver: ids.length < maxAtOnce }
  },
})
