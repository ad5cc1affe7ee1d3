import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  statistics_window_too_early: ({ first_day }: { first_day: string }) =>
    `The window begins before ${first_day}. Choose a later day.`,
  statistics_window_reversed: ({ date_to }: { date_to: string }) =>
    `Choose a day up to the last day of the window, ${date_to}.`,
  statistics_window_too_long: ({ maximum, date_to }: { maximum: number; date_to: string }) =>
    `Choose a day at most ${maximum} days before ${date_to}.`,
  statistics_key_missing: ({ figure }: { figure: string }) =>
    `${figure} has several lines. Name one of them by its key.`,
})

/** The next task of an item, without the end of a sentence. */
export const printed = defineMessages({
  to_do_complete_training: 'Complete the training, and sign it',
  to_do_carry_out_action: 'Carry out the action, and set it to done with its evidence',
  to_do_review_effectiveness: 'Carry out the effectiveness review',
  to_do_await_actions: 'Wait until its actions are verified, then carry out the effectiveness review',
  to_do_decide: 'Approve or reject it',
  to_do_review_document: 'Decide that it must be revised, or have another person confirm that it stays as it is',
  to_do_return_copy: 'Return the copy, and confirm the return',
  to_do_name_owner: 'Name another owner',
  to_do_begin_investigation: 'Begin the investigation (status under_investigation)',
  to_do_investigate: 'Investigate it, and submit it to the quality unit (status pending_approval)',
  to_do_await_closure: 'Wait for the quality unit to close it',
  to_do_await_approval: 'Wait for its approval',
  to_do_plan_capa: 'Enter the root cause, plan the actions, and start (status in_progress)',
  to_do_finish_capa: 'Have its actions completed, assess adverse effects, and have it verified',
  to_do_await_effectiveness: 'Wait for its effectiveness review and closure',
  to_do_close_or_send_back: 'Close it, or send it back (status closed or under_investigation)',
  to_do_send_back: 'Send it back if it is not complete (status under_investigation)',
  to_do_reconcile_copy: 'Check whether it was returned, and reconcile it',
  to_do_approve_draft: 'Approve the draft, or reject it',
  to_do_close_capa: 'Close it (status closed)',
  to_do_approve_plan: 'Approve its plan',
  to_do_have_reviewed: 'Have a person with the permission documents.periodic_review carry out its review',
  to_do_assign: 'Assign it to someone',
  to_do_choose_reviewer: 'Choose another reviewer',
  to_do_assign_action: 'Assign the action to someone',
  to_do_name_holder: 'Name another holder, or reconcile the copy',
  to_do_name_approvers: 'Name approvers who can give the approval',
  to_do_have_approvers_named: 'Have a person who has not approved it name other approvers',
  to_do_have_assigned: ({ permission }: { permission: string }) =>
    `Have it assigned to another person, because you lack the permission ${permission}`,
})
