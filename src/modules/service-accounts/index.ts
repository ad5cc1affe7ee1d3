import { type Route, route } from '#http'
import { change, create, deactivate, details, list } from './actions.ts'
import { create as issueKey, list as listKeys, revoke, rotate } from './keys.ts'

export { keyReminders } from './expiry.ts'
export { ownedServices } from './hand-over.ts'

export const routes: Route[] = [
  route('GET', '/api/service-accounts/', list),
  route('POST', '/api/service-accounts/', create, { status: 201 }),
  route('GET', '/api/service-accounts/:id', details),
  route('PUT', '/api/service-accounts/:id', change),
  route('POST', '/api/service-accounts/:id/deactivate', deactivate),
  route('GET', '/api/service-accounts/:id/keys', listKeys),
  route('POST', '/api/service-accounts/:id/keys', issueKey, {
    ...{ status: 201, location: '/api/service-accounts/:id/keys/:issued_id' },
  }),
  route('POST', '/api/service-accounts/:id/keys/:key_id/rotate', rotate, {
    ...{ status: 201, location: '/api/service-accounts/:id/keys/:issued_id' },
  }),
  route('DELETE', '/api/service-accounts/:id/keys/:key_id', revoke, { status: 204 }),
]
