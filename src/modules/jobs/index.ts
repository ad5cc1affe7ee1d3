import { route } from '#http'
import { list, read } from './actions.ts'
import { retryJob } from './retry.ts'

export type { Job } from './job.ts'
export { forgetAnswers } from './kept-answers.ts'
export { recoverLost } from './recovery.ts'
export { retriedDays, retryJobs } from './retry.ts'
export { forEachDue, forEachTenant, type Schedule, type TenantRound } from './schedule.ts'
export { JobAnswer } from './schema.ts'
export { startJob } from './start.ts'
export { steppedJob } from './steps.ts'

export const routes = [
  route('GET', '/api/jobs/', list),
  route('GET', '/api/jobs/:id', read),
  route('POST', '/api/jobs/:id/retry', retryJob),
]
