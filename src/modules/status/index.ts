import { openRoute, type Route, reportRoute, route } from '#http'
import { health, status } from './actions.ts'
import { failedWork, retryFailedJobs, retryFailedMails } from './failed-work.ts'
import { checks, installation } from './installation.ts'

export { openDependencies } from './dependencies.ts'
export { keepHealth } from './history.ts'
export { measureDependencies } from './metrics.ts'
export type { Check } from './schema.ts'

/** All that a process answers which does background work alone. */
export const healthRoutes: Route[] = [openRoute('GET', '/api/health', health)]

/** HLTH-05: the report is at /api/status, and nothing is at /status. */
export const routes: Route[] = [
  ...healthRoutes,
  openRoute('GET', '/api/status/health', health),
  reportRoute('/api/status', status),
  reportRoute('/api/platform/installation', installation),
  reportRoute('/api/platform/checks', checks),
  route('GET', '/api/platform/failed-work', failedWork),
  route('POST', '/api/platform/tenants/:id/retry-mails', retryFailedMails),
  route('POST', '/api/platform/tenants/:id/retry-jobs', retryFailedJobs),
]
