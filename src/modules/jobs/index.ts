import { route } from '#http'
import { list, read } from './actions.ts'

export { requeueLost } from './requeue.ts'
export { JobAnswer } from './schema.ts'
export { type JobKind, jobKind, startJob } from './start.ts'
export { backgroundJobs } from './turns.ts'

export const routes = [route('GET', '/api/jobs/', list), route('GET', '/api/jobs/:id', read)]
