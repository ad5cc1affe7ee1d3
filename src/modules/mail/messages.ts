import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  mail_not_failed: 'There is no failed message to send again.',
})
