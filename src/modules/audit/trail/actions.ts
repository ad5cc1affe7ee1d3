import { query } from '#action'
import { type EventName, events, type ResourceType } from '#kernel/catalogue.ts'
import { notFound } from '#kernel/errors.ts'
import { envelope, limits, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { areaOf } from './areas.ts'
import { listEntries } from './list.ts'
import { withFullNames } from './names.ts'
import { findEntry } from './queries.ts'
import { AuditActions, AuditEntry, AuditFilter } from './schema.ts'

export const list = query({
  summary: 'List audit entries',
  permission: 'audit.read',
  input: { query: AuditFilter },
  response: Page(AuditEntry),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, ['id', 'occurred_at', 'seq'], { field: 'id', direction: 'desc' })
    const { limit, offset } = limits(query)
    const { items, total } = await listEntries(tx, query, sort, limit, offset)
    return envelope(await withFullNames(tx, items), total, query)
  },
})

export const details = query({
  summary: 'Read an audit entry',
  permission: 'audit.read',
  input: { params: IdParams },
  response: AuditEntry,
  async run({ tx }, { params }) {
    const entry = await findEntry(tx, params.id)
    if (!entry) throw notFound('Audit entry')
    return (await withFullNames(tx, [entry]))[0]!
  },
})

export const actions = query({
  summary: 'List the actions that the audit trail can have',
  description:
    'Each with a sentence that says what happened, its area and its type of record, for `action`, `area` and `resource_type` of the list.',
  permission: 'audit.read',
  input: {},
  response: AuditActions,
  run: async () => ({ items: everyAction }),
})

const everyAction = (Object.keys(events) as EventName[]).map(action => {
  const resource_type = action.split('.')[0] as ResourceType
  return { action, description: events[action], area: areaOf(resource_type), resource_type }
})
