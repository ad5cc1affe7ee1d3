import { defineMessages } from '#kernel/message.ts'

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_too_many_sessions: ({ most }: { most: number }) =>
    `The user logged in with a further browser, and may have ${most} sessions at once`,
})
