import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  too_many_at_once: 'Too many requests of this kind are in progress. Try again in a minute.',
})
