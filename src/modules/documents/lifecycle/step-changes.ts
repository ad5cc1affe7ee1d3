import type { ActionContext } from '#action'
import { monthsLater } from '#kernel/day.ts'
import { todayOf } from '#modules/accounts'
import { findType, listTransitionsFrom, pendingApproval, type Step } from '#modules/workflows'
import { noticeOf } from '../core/rules.ts'
import type { VersionChanges } from '../core/version-queries.ts'
import type { VersionAtWork } from '../core/view.ts'

/** The version is in a state that it leaves automatically, on its effective date and after training. */
export const isWaiting = ({ definition, instance }: VersionAtWork) =>
  listTransitionsFrom(definition, instance.state).some(
    ({ trigger }) => trigger === 'on_effective_date' || trigger === 'on_training_complete',
  )

const isSubmission = ({ version }: VersionAtWork, step: Step) =>
  version.status_kind === 'initial' && step.kind_of_to === 'review'

/** A submission begins a round, in which no approval is given yet. */
export function stateAfter(
  atWork: VersionAtWork,
  step: Step,
  { effective_date, round, is_waiting }: VersionChanges,
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

/** The changes that a step makes to the row of the version. */
export async function changesOfStep(
  context: ActionContext<unknown>,
  atWork: VersionAtWork,
  step: Step,
): Promise<VersionChanges> {
  const { version, definition, instance } = atWork
  const now = context.services.clock.now().toISOString()
  const after = { ...atWork, instance: { ...instance, state: step.to } }
  const changes: VersionChanges = {
    status: step.to,
    status_kind: step.kind_of_to,
    round: version.round,
    is_waiting: isWaiting(after),
  }
  if (isSubmission(atWork, step)) {
    changes.round += 1
    changes.submitted_at = now
  }
  const isApproved =
    step.trigger === 'automatic' &&
    pendingApproval(definition, instance) !== undefined &&
    pendingApproval(definition, after.instance) === undefined
  if (step.voids_round) changes.approved_at = null
  else if (isApproved) changes.approved_at = now
  if (step.kind_of_to === 'effective' && version.status_kind !== 'effective') {
    const [type, today] = [await findType(context.tx, version.document_type_id), await todayOf(context)]
    changes.effective_at = now
    // The actual day, which is later than the planned one if the service did not run on that day.
    changes.effective_date = today
    const due = type?.review_period_months ? monthsLater(today, type.review_period_months) : null
    changes.review_due_date = due
    changes.review_notice_on = due && noticeOf(due, today)
  }
  if (step.kind_of_to !== 'effective' && version.status_kind === 'effective') {
    changes.review_due_date = null
    changes.review_notice_on = null
    changes.needs_revision = false
  }
  // A version that was never effective has no effective date.
  if (step.kind_of_to === 'final' && version.status_kind !== 'effective') changes.effective_date = null
  return changes
}
