import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  job_not_failed: 'This job has not failed. Only a failed job can be started again.',
  jobs_none_failed: 'No job of the last 30 days has failed.',
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_jobs_retried: 'An operator of the installation had the failed jobs started again',
})
