import { type Route, route } from '#http'
import { upload, uploadDetails } from './actions.ts'
import { listFileKeys } from './queries.ts'

export { takeUploads } from './actions.ts'
export { eraseExpired } from './expiry.ts'
export { UploadedFiles } from './schema.ts'

/** The sweep of the file store keeps files that await their record. */
export const uploadFiles = { table: 'uploads', named: listFileKeys }

export const routes: Route[] = [
  route('POST', '/api/uploads/', upload, { status: 201 }),
  route('GET', '/api/uploads/:id', uploadDetails),
]
