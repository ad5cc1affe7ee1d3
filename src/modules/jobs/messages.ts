import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  job_not_failed: 'This job has not failed. Only a failed job can be started again.',
  jobs_none_failed: 'No job of the last 30 days has failed.',
})
