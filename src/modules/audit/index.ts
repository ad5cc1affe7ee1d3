import { route } from '#http'
import { details, list } from './actions.ts'

export { listEntriesOf, type RecordEntry, type RecordScope } from './queries.ts'
export { auditSink } from './sink.ts'

export const routes = [route('GET', '/api/audit/', list), route('GET', '/api/audit/:id', details)]
