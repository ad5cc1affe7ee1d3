import { openRoute, type Route, reportRoute } from '#http'
import { health, status } from './actions.ts'
import type { Dependencies } from './dependencies.ts'

export { type Dependencies, openDependencies } from './dependencies.ts'
export { measureDependencies } from './metrics.ts'

/** HLTH-05: these, and no other. */
export const routes = (version: string, dependencies: Dependencies): Route[] => [
  openRoute('GET', '/api/health', health(version, dependencies)),
  openRoute('GET', '/api/status/health', health(version, dependencies)),
  reportRoute('/api/status', status(version, dependencies)),
]
