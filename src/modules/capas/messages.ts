import { labelOf } from '#kernel/labels.ts'
import { defineMessages } from '#kernel/message.ts'
import { orNobody } from '#modules/casework'

export const messages = defineMessages({
  capa_not_draft: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${labelOf(status)}. Only a draft can be approved or rejected.`,
  capa_author_cannot_approve: ({ number }: { number: string }) =>
    `You wrote ${number}, so another person must approve it.`,
  capa_action_assignee_cannot_verify: ({ number }: { number: string }) =>
    `You did a completed action of ${number} or were its assignee, so another person must verify its actions.`,
  /** `involvement`: the person's part in the record; `others`: the people who can close it. */
  capa_closer_is_involved: ({ involvement, others }: { involvement: string; others: readonly string[] }) =>
    `${involvement}, so another person must close it: ${orNobody(others, 'capa.close')}.`,
  capa_plan_approver_is_involved: ({ involvement, others }: { involvement: string; others: readonly string[] }) =>
    `${involvement}, so another person must approve its plan or lower its priority: ${orNobody(others, 'capa.approve_draft')}.`,
  capa_plan_not_approved: ({ number, priority }: { number: string; priority: string }) =>
    `The priority of ${number} is ${priority}, so its actions can begin once its plan is approved.`,
  capa_plan_awaits_no_approval: ({ number, status, priority }: { number: string; status: string; priority: string }) =>
    `${number} is ${labelOf(status)}, with the priority ${priority}. A plan is approved while its CAPA is open or in progress, once, and if the priority is high or critical.`,
  capa_awaits_effectiveness_review: ({ number }: { number: string }) =>
    `${number} awaits its effectiveness review and is read-only. It can be changed again if the review finds it not effective.`,

  capa_actions_planned_by_owner: ({ number, permission }: { number: string; permission: string }) =>
    `Only the owner of ${number} and people with the permission ${permission} can plan its actions.`,
  capa_action_of_another: ({ action_id, permission }: { action_id: number; permission: string }) =>
    `Only the assignee of action ${action_id} and people with the permission ${permission} can report on it.`,
  capa_action_own_due_date: ({ action_id, permission }: { action_id: number; permission: string }) =>
    `You are the assignee of action ${action_id}, so another person must move its due date to a later day: the owner of the CAPA, or somebody with the permission ${permission}.`,
  capa_draft_not_approved: ({ number }: { number: string }) =>
    `${number} is a draft. Its actions can begin once it is approved.`,
  capa_action_listed_twice: ({ action_id }: { action_id: number }) =>
    `Action ${action_id} is listed twice. List it once.`,
  capa_actions_not_listed: ({ action_ids }: { action_ids: readonly number[] }) =>
    `List every action of the CAPA. Missing: ${action_ids.join(', ')}. Cancel actions that are no longer needed.`,
  capa_action_due_after_capa: ({ due_date }: { due_date: string }) =>
    `Choose a day up to the due date of the CAPA, ${due_date}.`,
  capa_action_description_required: 'Enter a description.',
  capa_action_assignee_required: 'Choose an assignee.',
  capa_action_begins_open: 'A new action is open. Change its status later.',
  capa_action_evidence_required: 'Enter the evidence that the action was done.',
  capa_action_finished: ({ action_id, status }: { action_id: number; status: string }) =>
    `Action ${action_id} is ${labelOf(status)}. Set it to open or in_progress to change it.`,
  capa_action_begun: ({ action_id, status }: { action_id: number; status: string }) =>
    `Action ${action_id} is ${labelOf(status)}, and only an open action can be removed. Cancel it instead.`,
  capa_actions_too_many: ({ number, maximum }: { number: string; maximum: number }) =>
    `${number} has ${maximum} actions, which is the most. Plan further ones in another CAPA.`,

  capa_reviewer_is_owner:
    'The effectiveness reviewer cannot own the CAPA, now or earlier. Choose another reviewer first.',
  capa_reviewer_is_admin: ({ username }: { username: string }) =>
    `Admins may not approve in this company, and ${username} is one. Choose another reviewer.`,
  capa_review_already_planned: ({ number }: { number: string }) =>
    `${number} already has a planned effectiveness review. Change that one, or complete it first.`,
  capa_review_criteria_fixed: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${labelOf(status)}. The review criteria can no longer be changed.`,
  capa_not_ready_for_review: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${labelOf(status)}. Its effectiveness can be reviewed once its actions are verified.`,
  capa_review_by_reviewer_only: 'Only the assigned reviewer can record the result.',
  capa_review_early_reason_required: ({ due_date }: { due_date: string }) =>
    `The review is planned for ${due_date}. Enter a reason for concluding it before that day.`,
  capa_review_earlier_reason_required: ({ due_date }: { due_date: string }) =>
    `The review is planned for ${due_date}. Enter a reason for planning it for an earlier day.`,
  capa_review_own_due_date: ({ permission }: { permission: string }) =>
    `You are the reviewer, so another person with the permission ${permission} must move the due date to a later day.`,
  capa_review_conclusion_required: 'Enter a conclusion.',
  capa_review_result_required: 'Enter this together with the result.',
  capa_follow_up_required: 'Enter the follow-up, or choose a follow-up CAPA.',
  capa_follow_up_is_itself: 'A CAPA cannot follow up on itself. Choose another CAPA.',
  capa_review_completed: ({
    review_number,
    number,
    completed_at,
  }: {
    review_number: number
    number: string
    completed_at: string
  }) => `Effectiveness review ${review_number} of ${number} was completed at ${completed_at} and is read-only.`,
})
