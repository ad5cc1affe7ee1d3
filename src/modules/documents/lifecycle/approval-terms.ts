// The terms of an approval, settled when a version begins to wait for it: how many people must approve, by when, and who is notified.
import { daysLater } from '#kernel/day.ts'
import { type ApprovalGate, type ApprovalOverride, mayDecideNow, type TenantFacts } from '#modules/workflows'
import type { VersionAtWork } from '../core/view.ts'
import type { ApprovalTerms } from './queries.ts'

type DueTerms = Omit<ApprovalTerms, 'approval_counts'>
export const undated: DueTerms = { approval_due_date: null, approval_notice: null, approval_notice_on: null }

/** The due date of an approval that begins today, and its first reminder. A configured day that has passed is ignored. */
export function dueTerms(
  { due_days, remind_days_before = 2 }: Pick<ApprovalGate, 'due_days' | 'remind_days_before'>,
  configured: string | undefined,
  today: string,
): DueTerms {
  const byTemplate = due_days === undefined ? undefined : daysLater(today, due_days)
  const due = configured !== undefined && configured >= today ? configured : byTemplate
  if (due === undefined) return undated
  const [tomorrow, remind] = [daysLater(today, 1), daysLater(due, -remind_days_before)]
  // Approvers are notified today that the step began, so the reminder is not sent today as well.
  const remindOn = remind > today ? remind : tomorrow
  return {
    approval_due_date: due,
    ...(remindOn <= due ? { approval_notice: 'reminder', approval_notice_on: remindOn } : noticeAfter(due)),
  }
}

/** The escalation follows the reminder, on the day after the due date. */
export const noticeAfter = (due: string) =>
  ({ approval_notice: 'escalation', approval_notice_on: daysLater(due, 1) }) as const

/** The due date that was configured for an approval. */
export const dueDateIn = (overrides: readonly ApprovalOverride[], transition: string) =>
  overrides.find(each => each.transition === transition)?.due_date

/** The people who may decide about the pending approval now, in a fixed order only those whose turn it is. */
export const currentApprovers = ({ definition, instance }: VersionAtWork, facts: TenantFacts): number[] => [
  ...mayDecideNow(definition, instance, facts).reduce((all, each) => all.union(each), new Set()),
]

export const authorAndOwner = ({ version }: VersionAtWork) => [...new Set([version.created_by, version.owner_id])]
