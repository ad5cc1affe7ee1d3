import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  uploads_too_many: ({ maximum, hours }: { maximum: number; hours: number }) =>
    `${maximum} of your files await their record, which is the most. Use them, or wait until they expire after ${hours} hours.`,
})

/** The program writes these into the audit trail. */
export const reasons = defineMessages({
  reason_upload_expired: ({ hours }: { hours: number }) => `No record used it within ${hours} hours`,
})
