import { type Route, route } from '#http'
import { details, download, list, remove, request } from './actions.ts'

export { exportedTables } from './columns.ts'
export { expireExports, makeExport } from './job.ts'
export { writeFolder } from './operator.ts'
export { listArchives } from './queries.ts'
export { rowsToExport, schemaOfProgram, type TableList, tableList, tablePath, tablesFormat } from './tables.ts'

export const routes: Route[] = [
  route('GET', '/api/tenant-exports/', list),
  route('POST', '/api/tenant-exports/', request, { status: 201 }),
  route('GET', '/api/tenant-exports/:id', details),
  route('GET', '/api/tenant-exports/:id/download', download),
  route('DELETE', '/api/tenant-exports/:id', remove, { status: 204 }),
]
