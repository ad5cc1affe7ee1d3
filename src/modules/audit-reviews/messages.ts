import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  audit_review_findings_required: 'Enter the findings.',
  audit_review_findings_not_allowed: 'Leave the findings empty, or choose the outcome findings.',
  audit_review_record_kind_required: 'Choose the kind of the record.',
  audit_review_period_reversed: 'Choose an end that is not before the beginning.',
  audit_review_period_not_over: 'Choose a period that is over.',
  audit_review_no_entries: 'The filter finds no audit entry in this period. Change the filter or the period.',
  audit_review_own_actions_only:
    'All actions of people in this selection are your own, so another person must review it.',
})
