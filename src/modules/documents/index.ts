import { route } from '#http'
import { details, download, history, list, update, versions } from './actions.ts'
import { approve, transition } from './approval.ts'
import { configureApproval } from './configure.ts'
import { addVersion, upload } from './upload.ts'

export { findSignable, readSignable } from './approval.ts'
export { readable } from './queries.ts'

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
