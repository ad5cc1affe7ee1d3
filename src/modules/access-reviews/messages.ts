import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  access_review_findings_required: 'Enter the findings.',
  access_review_findings_not_allowed: 'Leave the findings empty, or choose the outcome findings.',
  access_review_list_changed:
    'An account was added or changed since you read the list. Read the list again, then sign the review.',
  access_review_export_interrupted: 'An account was changed while the list was being exported. Try again.',
  access_review_admins_may_approve: 'Admins may approve documents and other records.',
  access_review_identity_not_required: 'Signing does not require a verified identity.',
  access_review_otp_not_required: 'Signing does not require a second factor.',
  access_review_configuration_alone: 'One person alone can change workflows, forms, roles and document types.',
})
