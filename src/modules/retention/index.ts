import { type Route, route } from '#http'
import { approve, details, dueList, list, propose, reject, withdraw } from './actions.ts'
import { details as holdDetails, lift, list as listHolds, place } from './hold-actions.ts'
import { capaRetention, deviationRetention, documentRetention } from './record-actions.ts'

export { carryOutJob } from './carry-out.ts'
export { awaitingDisposals, requestsOfDisposals } from './pending.ts'
export { signedDisposals, signedHolds } from './subject.ts'

export const routes: Route[] = [
  route('GET', '/api/retention/due', dueList),
  route('GET', '/api/documents/:id/retention', documentRetention),
  route('GET', '/api/deviations/:id/retention', deviationRetention),
  route('GET', '/api/capa/:id/retention', capaRetention),
  route('GET', '/api/disposals/', list),
  route('POST', '/api/disposals/', propose, { status: 201, location: '/api/disposals/:id' }),
  route('GET', '/api/disposals/:id', details),
  route('POST', '/api/disposals/:id/approve', approve),
  route('POST', '/api/disposals/:id/reject', reject),
  route('POST', '/api/disposals/:id/withdraw', withdraw),
  route('GET', '/api/legal-holds/', listHolds),
  route('POST', '/api/legal-holds/', place, { status: 201, location: '/api/legal-holds/:id' }),
  route('GET', '/api/legal-holds/:id', holdDetails),
  route('POST', '/api/legal-holds/:id/lift', lift),
]
