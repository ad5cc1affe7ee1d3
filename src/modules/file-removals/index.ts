import { type Route, route } from '#http'
import { approve, details, list, reject, request, withdraw } from './actions.ts'

export { deleteContentJob, deleteRestored } from './delete-content.ts'
export { disposeFile } from './dispose.ts'
export { awaitingFileRemovals, requestsOfFileRemovals } from './pending.ts'
export { findRemovedKey } from './queries.ts'
export { signedFileRemovals } from './subject.ts'

export const routes: Route[] = [
  route('GET', '/api/file-removals/', list),
  route('POST', '/api/file-removals/', request, { status: 201, location: '/api/file-removals/:id' }),
  route('GET', '/api/file-removals/:id', details),
  route('POST', '/api/file-removals/:id/approve', approve),
  route('POST', '/api/file-removals/:id/reject', reject),
  route('POST', '/api/file-removals/:id/withdraw', withdraw),
]
