import { query } from '#action'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { deviationAsOf } from './as-of.ts'
import { countDeviations, deviationSorts, listDeviations } from './queries.ts'
import { DeviationChoice, DeviationDetails, DeviationFilter, DeviationSummary } from './schema.ts'
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
    const today = await todayOf({ tx, services })
    return pageOf(
      query,
      (limit, offset) => listDeviations(tx, query, today, sort, limit, offset),
      () => countDeviations(tx, query, today),
    )
  },
})

export const details = query({
  summary: 'Read a deviation',
  permission: 'deviations.read',
  input: { params: IdParams, query: DeviationChoice },
  response: DeviationDetails,
  run: async (context, { params: { id }, query: { as_of } }) =>
    as_of === undefined
      ? present(await requireDeviation(context, id), context.actor)
      : deviationAsOf(context, id, as_of),
})
