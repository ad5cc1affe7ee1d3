import type { ActionContext } from '#action'
import { daysLater } from '#kernel/day.ts'
import { todayOf } from '#modules/accounts'
import type { ControlledCopies } from '#modules/documents'
import { currentCopy, finish } from './access.ts'
import { reasons } from './messages.ts'
import { lockIssuedCopies, updateCopy } from './queries.ts'
import { daysToReturn } from './rules.ts'
import type { ControlledCopy } from './schema.ts'

/** There is no paper of a copy that was never printed, so it is cancelled. The caller holds the lock of the copy. */
export async function recallCopy(
  context: ActionContext<unknown>,
  copy: ControlledCopy,
  { reason, due_date }: { reason: string; due_date: string },
) {
  const { tx, actor, services } = context
  const recalled = { recalled_at: services.clock.now().toISOString(), recalled_by: actor.userId, recall_reason: reason }
  if (copy.prints === 0) {
    await updateCopy(tx, copy.id, { ...recalled, status: 'cancelled' })
    return finish(context, copy, { event: 'controlled_copy.cancelled', reason, notify: [copy.holder.id] })
  }
  await updateCopy(tx, copy.id, { ...recalled, status: 'recalled', due_date })
  // A holder who has said what became of the copy has nothing left to do.
  const audience = copy.confirmed_at === null ? { assignees: [copy.holder.id] } : {}
  return finish(context, copy, { event: 'controlled_copy.recalled', reason, ...audience })
}

export const controlledCopies: ControlledCopies = {
  async recall(context, { version, status, ...ended }) {
    const issued = await lockIssuedCopies(context.tx, ended)
    if (issued.length === 0) return
    const due_date = daysLater(await todayOf(context), daysToReturn)
    const { text: reason } = reasons.reason_copy_version_ended({ version, status })
    for (const { id } of issued) await recallCopy(context, await currentCopy(context, id), { reason, due_date })
  },
}
