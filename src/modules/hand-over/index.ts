import { type Route, route } from '#http'
import { handOver, openWork } from './actions.ts'

export { startHandOver } from './actions.ts'
export { handOverJob } from './job.ts'

export const routes: Route[] = [
  route('GET', '/api/users/:id/open-work', openWork),
  route('POST', '/api/users/:id/hand-over', handOver),
]
