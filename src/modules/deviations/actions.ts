import { query } from '#action'
import { envelope, limits, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { countDeviations, deviationSorts, listDeviations } from './queries.ts'
import { Deviation, DeviationFilter, DeviationSummary } from './schema.ts'
import { present, requireDeviation } from './view.ts'

export const list = query({
  summary: 'List deviations',
  description:
    'By the day or moment of their detection with `date_from` and `date_to`. `overdue` are those that were due before today, in the time zone of the tenant, and are neither closed nor cancelled. Sorted by severity, minor comes first.',
  permission: 'deviations.read',
  input: { query: DeviationFilter },
  response: Page(DeviationSummary),
  async run({ tx, services }, { query }) {
    const sort = parseSort(query.sort, deviationSorts, { field: 'id', direction: 'desc' })
    const { limit, offset } = limits(query)
    const today = await todayOf({ tx, services })
    const [items, { total }] = await Promise.all([
      listDeviations(tx, query, today, sort, limit, offset),
      countDeviations(tx, query, today),
    ])
    return envelope(items, total, query)
  },
})

export const details = query({
  summary: 'Read a deviation',
  permission: 'deviations.read',
  input: { params: IdParams },
  response: Deviation,
  run: async (context, { params }) => present(await requireDeviation(context, params.id), context.actor),
})
