import { query } from '#action'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { markOverdue, withDay } from '#modules/casework'
import { deviationAsOf } from './as-of.ts'
import { countDeviations, deviationSorts, isCounted, listDeviations } from './queries.ts'
import { isOver } from './rules.ts'
import { DeviationChoice, DeviationDetails, DeviationFilter, DeviationSummary } from './schema.ts'
import { present, requireDeviation } from './view.ts'

export const list = query({
  summary: 'List deviations',
  description:
    '`date_from` and `date_to` filter by the detection. `overdue` selects those that were due before today in the time zone of the tenant, and are neither closed nor cancelled. In ascending order of severity, minor comes first.',
  permission: 'deviations.read',
  input: { query: DeviationFilter },
  response: Page(DeviationSummary),
  async run(context, { query }) {
    const { tx } = context
    const sort = parseSort(query.sort, deviationSorts, { field: 'id', direction: 'desc' })
    const filter = await withDay(context, query)
    return pageOf(
      query,
      (limit, offset) =>
        markOverdue(context, listDeviations(tx, filter, sort, limit, offset), ({ status }) => isOver(status)),
      () => countDeviations(tx, filter),
      { isKept: isCounted(filter) },
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
