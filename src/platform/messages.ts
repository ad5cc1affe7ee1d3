import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  too_many_at_once: 'Too many requests of this kind are in progress. Try again in a minute.',
  csv_quotes_do_not_match: ({ line }: { line: number }) =>
    `The quotes in line ${line} do not match. Save the list as CSV again.`,
})
