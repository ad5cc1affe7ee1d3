import { type Route, route } from '#http'
import { approve, details, list, reject, withdraw } from './actions.ts'

export { awaitingConfigurationChanges, requestsOfConfigurationChanges } from './pending.ts'
export { openConfiguration } from './propose.ts'
export { signedConfigurationChanges } from './subject.ts'

export const routes: Route[] = [
  route('GET', '/api/configuration-changes/', list),
  route('GET', '/api/configuration-changes/:id', details),
  route('POST', '/api/configuration-changes/:id/approve', approve),
  route('POST', '/api/configuration-changes/:id/reject', reject),
  route('POST', '/api/configuration-changes/:id/withdraw', withdraw),
]
