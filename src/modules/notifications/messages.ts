import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  notification_type_repeated: ({ type }: { type: string }) => `${type} is listed twice. Remove one of the entries.`,
  notification_type_required: ({ type }: { type: string }) =>
    `${type} asks for a decision or gives a warning, and cannot be switched off.`,
  notification_email_without_app:
    'There is no e-mail without the notification. Choose none, or leave the notification switched on.',
  notification_nothing_to_escalate: 'No unread request about this record is due for escalation.',
  notification_nothing_to_digest: ({ day }: { day: string }) => `No notification waits for the digest of ${day}.`,
})
