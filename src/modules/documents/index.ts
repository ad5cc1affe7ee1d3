import { route } from '#http'
import { addVersion, details, download, history, list, update, upload, versions } from './actions.ts'
import { approve, configureApproval, transition } from './approval.ts'

export { findSignable } from './approval.ts'

export const routes = [
  route('POST', '/api/documents/upload', upload, { status: 201, location: '/api/documents/:id' }),
  route('GET', '/api/documents/', list),
  route('GET', '/api/documents/:id', details),
  route('PUT', '/api/documents/:id', update),
  route('GET', '/api/documents/:id/download', download),
  route('GET', '/api/documents/:id/versions', versions),
  route('POST', '/api/documents/:id/versions', addVersion, { status: 201, location: '/api/documents/:id' }),
  route('GET', '/api/documents/:id/history', history),
  route('POST', '/api/documents/:id/approve', approve),
  route('POST', '/api/documents/:id/transition', transition),
  route('POST', '/api/documents/:id/configure-approval', configureApproval),
]
