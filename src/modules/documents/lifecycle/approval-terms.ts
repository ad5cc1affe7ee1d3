// The terms of an approval, settled when a version begins to wait for it: how many people must approve, by when, and who is notified.

import { isDeepStrictEqual } from 'node:util'
import type { ActionContext } from '#action'
import { daysLater } from '#kernel/day.ts'
import { todayOf } from '#modules/accounts'
import {
  type ApprovalGate,
  type ApprovalOverride,
  gateFrom,
  mayDecideNow,
  readTenantFacts,
  type Step,
  settleCounts,
  type TenantFacts,
  withCounts,
} from '#modules/workflows'
import type { VersionAtWork } from '../core/view.ts'
import { type ApprovalTerms, endDelegations, updateTerms } from './queries.ts'

type DueTerms = Omit<ApprovalTerms, 'approval_counts'>
const undated: DueTerms = { approval_due_date: null, approval_notice: null, approval_notice_on: null }

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

const hasPercent = ({ definition }: VersionAtWork) =>
  definition.transitions.some(({ approval }) => approval?.rules.some(({ percent }) => percent !== undefined))

/** The people who may decide about the pending approval now, in a fixed order only those whose turn it is. */
export const currentApprovers = ({ definition, instance }: VersionAtWork, facts: TenantFacts): number[] => [
  ...mayDecideNow(definition, instance, facts).reduce((all, each) => all.union(each), new Set()),
]

export const authorAndOwner = ({ version }: VersionAtWork) => [...new Set([version.created_by, version.owner_id])]

/**
 * Settles and stores the terms that hold from a step on: the percentages when a round begins, and the due date of the approval that the
 * step leads to. Returns the version with these terms and the people to notify. Voiding a round ends its delegations.
 */
export async function enterState(
  context: ActionContext<unknown>,
  at: VersionAtWork,
  step: Step,
  { fromFirst }: { fromFirst: boolean },
): Promise<{ at: VersionAtWork; assignees: number[]; notify: number[] }> {
  const { tx, actor } = context
  if (step.voids_round)
    await endDelegations(tx, at.version.id, { ended_by: actor.userId, end_reason: 'The round was voided' })
  const gate = gateFrom(at.definition, step.to)
  const goesOn = step.kind_of_to === 'review' || step.kind_of_to === 'effective'
  const begins = goesOn && (fromFirst || step.voids_round)
  const facts = gate || (begins && hasPercent(at)) ? await readTenantFacts(tx, at.definition) : undefined
  const { approval_counts, approval_due_date, approval_notice, approval_notice_on } = at.version
  const before: ApprovalTerms = { approval_counts, approval_due_date, approval_notice, approval_notice_on }
  const terms: ApprovalTerms = {
    ...(gate
      ? dueTerms(gate.approval, dueDateIn(at.version.approval_overrides, gate.name), await todayOf(context))
      : undated),
    approval_counts: countsAfter(at, step, begins ? facts : undefined),
  }
  if (!isDeepStrictEqual(before, terms)) await updateTerms(tx, at.version.id, terms)
  const settled: VersionAtWork = {
    ...at,
    version: { ...at.version, ...terms },
    definition: withCounts(at.definition, terms.approval_counts),
    instance: step.voids_round ? { ...at.instance, delegations: [] } : at.instance,
  }
  return { at: settled, assignees: gate && facts ? currentApprovers(settled, facts) : [], notify: authorAndOwner(at) }
}

function countsAfter({ version, definition, instance }: VersionAtWork, step: Step, facts: TenantFacts | undefined) {
  if (step.kind_of_to === 'initial') return {}
  return facts ? settleCounts(definition, facts, instance.authorId) : version.approval_counts
}
