import { type Route, route } from '#http'
import {
  accept,
  check,
  create,
  details,
  discard,
  files,
  list,
  proceed,
  rehearse,
  release,
  row,
  rows,
  sample,
  samplePlan,
  update,
  uploadFiles,
  uploadManifest,
} from './actions.ts'
import { listFileKeys } from './queries.ts'
import { report } from './report.ts'
import { templateWorkbook, templateZip } from './template.ts'

export { checkJob } from './check.ts'
export { importFolder } from './folder.ts'
export { loadJob, rehearseJob } from './load.ts'
export { reconcileJob } from './reconcile.ts'
export { signedMigrations } from './subject.ts'

export const migrationFiles = { table: 'migration_files', named: listFileKeys }

export const routes: Route[] = [
  route('GET', '/api/migrations/', list),
  route('POST', '/api/migrations/', create, { status: 201 }),
  route('GET', '/api/migrations/template.xlsx', templateWorkbook),
  route('GET', '/api/migrations/template.zip', templateZip),
  route('GET', '/api/migrations/:id', details),
  route('PUT', '/api/migrations/:id', update),
  route('POST', '/api/migrations/:id/manifest', uploadManifest),
  route('POST', '/api/migrations/:id/files', uploadFiles),
  route('GET', '/api/migrations/:id/files', files),
  route('POST', '/api/migrations/:id/check', check),
  route('POST', '/api/migrations/:id/rehearse', rehearse),
  route('GET', '/api/migrations/:id/rows', rows),
  route('GET', '/api/migrations/:id/rows/:row_id', row),
  route('POST', '/api/migrations/:id/rows/:row_id/sample', sample),
  route('GET', '/api/migrations/:id/sample-plan', samplePlan),
  route('GET', '/api/migrations/:id/report', report),
  route('POST', '/api/migrations/:id/accept', accept),
  route('POST', '/api/migrations/:id/continue', proceed),
  route('POST', '/api/migrations/:id/release', release),
  route('POST', '/api/migrations/:id/discard', discard),
]
