import { query } from '#action'
import { notFound } from '#kernel/errors.ts'
import { envelope, limits, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { listEntries } from './list.ts'
import { findEntry } from './queries.ts'
import { AuditEntry, AuditFilter } from './schema.ts'

export const list = query({
  summary: 'List audit entries',
  permission: 'audit.read',
  input: { query: AuditFilter },
  response: Page(AuditEntry),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, ['id', 'occurred_at', 'seq'], { field: 'id', direction: 'desc' })
    const { limit, offset } = limits(query)
    const { items, total } = await listEntries(tx, query, sort, limit, offset)
    return envelope(items as AuditEntry[], total, query)
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
    return entry as AuditEntry
  },
})
