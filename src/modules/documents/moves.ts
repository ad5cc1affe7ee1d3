import { monthsLater } from '#kernel/day.ts'
import { todayOf } from '#modules/accounts'
import { findType, listTransitionsFrom, pendingApproval, type Step } from '#modules/workflows'
import { noticeOf } from './rules.ts'
import type { GatedContext } from './training-gate.ts'
import type { Moved } from './version-queries.ts'
import type { VersionAtWork } from './view.ts'

/** Whether the version is in a state that it leaves by itself, on its date and after training. */
export const waits = ({ definition, instance }: VersionAtWork) =>
  listTransitionsFrom(definition, instance.state).some(
    ({ trigger }) => trigger === 'on_effective_date' || trigger === 'on_training_complete',
  )

const isSubmission = ({ version }: VersionAtWork, step: Step) =>
  version.status_kind === 'initial' && step.kind_of_to === 'review'

/** A submission begins a round, in which no approval is given yet. */
export function stateAfter(
  atWork: VersionAtWork,
  step: Step,
  { effective_date, round, is_waiting }: Moved,
): VersionAtWork {
  const { version, instance } = atWork
  const begins = step.voids_round || isSubmission(atWork, step)
  return {
    ...atWork,
    version: {
      ...version,
      round,
      status: step.to,
      status_kind: step.kind_of_to,
      is_waiting,
      effective_date: effective_date === undefined ? version.effective_date : effective_date,
    },
    instance: { ...instance, state: step.to, round, approvals: begins ? [] : instance.approvals },
  }
}

/** What a step changes of the version's row. */
export async function whatMoves(context: GatedContext, atWork: VersionAtWork, step: Step): Promise<Moved> {
  const { version, definition, instance } = atWork
  const now = context.services.clock.now().toISOString()
  const after = { ...atWork, instance: { ...instance, state: step.to } }
  const moved: Moved = {
    status: step.to,
    status_kind: step.kind_of_to,
    round: version.round,
    is_waiting: waits(after),
  }
  if (isSubmission(atWork, step)) {
    moved.round += 1
    moved.submitted_at = now
  }
  const isApproved =
    step.trigger === 'automatic' &&
    pendingApproval(definition, instance) !== undefined &&
    pendingApproval(definition, after.instance) === undefined
  if (step.voids_round) moved.approved_at = null
  else if (isApproved) moved.approved_at = now
  if (step.kind_of_to === 'effective' && version.status_kind !== 'effective') {
    const [type, today] = [await findType(context.tx, version.document_type_id), await todayOf(context)]
    moved.effective_at = now
    // The day on which people could work by it, which is later than the one that was planned where nothing ran that day.
    moved.effective_date = today
    const due = type?.review_period_months ? monthsLater(today, type.review_period_months) : null
    moved.review_due_date = due
    moved.review_notice_on = due && noticeOf(due, today)
  }
  if (step.kind_of_to !== 'effective' && version.status_kind === 'effective') {
    moved.review_due_date = null
    moved.review_notice_on = null
    moved.needs_revision = false
  }
  // What was never effective was so on no day.
  if (step.kind_of_to === 'final' && version.status_kind !== 'effective') moved.effective_date = null
  return moved
}
