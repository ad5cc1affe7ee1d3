import { openRoute, type Route, reportRoute } from '#http'
import { health, status } from './actions.ts'

export { openDependencies } from './dependencies.ts'
export { measureDependencies } from './metrics.ts'

/** HLTH-05: these, and no other. */
export const routes: Route[] = [
  openRoute('GET', '/api/health', health),
  openRoute('GET', '/api/status/health', health),
  reportRoute('/api/status', status),
]
