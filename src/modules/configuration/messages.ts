import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  configuration_change_without_approver: ({ permission }: { permission: string }) =>
    `Nobody else can approve this change: it needs another active person with the permissions ${permission} and configuration_changes.decide. Give them to somebody, then try again.`,
  configuration_change_without_effect: 'Nothing would change. Change at least one field.',
  configuration_change_own:
    'You proposed this change, so another person must decide on it. You can withdraw it instead.',
  configuration_change_not_own: 'Only the person who proposed this change can withdraw it. Reject it instead.',
  configuration_change_decided: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${status}, so there is nothing to decide. Propose the change again if it is still needed.`,
  configuration_change_outdated: ({ title }: { title: string }) =>
    `${title} was changed after this change was proposed, so it can no longer be approved. Propose the change again.`,
  configuration_change_altered: ({ number }: { number: string }) =>
    `${number} is not stored as it was proposed, so it cannot be approved. Reject it, and tell an Admin.`,
})
