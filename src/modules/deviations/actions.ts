import { query } from '#action'
import { listPrincipals } from '#action/allowed.ts'
import { listQuery } from '#action/list.ts'
import { valuesQuery } from '#action/values.ts'
import { labelOf } from '#kernel/labels.ts'
import { personInWords } from '#kernel/person.ts'
import { IdParams } from '#kernel/schema.ts'
import { markOverdue, withDay } from '#modules/casework'
import { findWaiting, presentWith } from './acts.ts'
import { deviationAsOf } from './as-of.ts'
import {
  countDeviations,
  countDeviationsBy,
  deviationFacets,
  deviationSorts,
  deviationValues,
  hasActiveCapa,
  isCounted,
  listDeviations,
  listDeviationValues,
} from './queries.ts'
import { isOver } from './rules.ts'
import { DeviationChoice, DeviationDetails, DeviationFilter, DeviationSummary } from './schema.ts'
import { requireDeviation } from './view.ts'

export const list = listQuery({
  summary: 'List deviations',
  description:
    '`date_from` and `date_to` filter by the detection. `overdue` selects those that were due before today in the time zone of the tenant, and are neither closed nor cancelled. In ascending order of severity, minor comes first.',
  permission: 'deviations.read',
  filter: DeviationFilter,
  item: DeviationSummary,
  sorts: deviationSorts,
  sort: { field: 'id', direction: 'desc' },
  facets: deviationFacets,
  exported: {
    name: 'Deviations',
    event: 'deviation.list_exported',
    columns: [
      ['Number', each => each.number],
      ['Title', each => each.title],
      ['Severity', each => labelOf(each.severity)],
      ['State', each => labelOf(each.status)],
      ['Category', each => each.category && labelOf(each.category)],
      ['Department', each => each.department],
      ['Occurred (UTC)', each => each.occurred_at, 'moment'],
      ['Detected (UTC)', each => each.detected_at, 'moment'],
      ['Reported (UTC)', each => each.reported_at, 'moment'],
      ['Reported by', each => personInWords(each.reported_by)],
      ['Assigned to', each => each.assigned_to && personInWords(each.assigned_to)],
      ['Due', each => each.due_date, 'day'],
      ['Overdue', each => each.overdue],
      ['Extensions', each => each.extension_count],
      ['Recurrence', each => each.is_recurrence],
      ['Linked documents', each => each.document_ids.length],
      ['Linked CAPAs', each => each.capa_ids.length],
      ['Closed (UTC)', each => each.closed_at, 'moment'],
    ],
  },
  async find(context, query, sort) {
    const { tx } = context
    const filter = await withDay(context, query)
    return {
      list: (limit, offset) =>
        markOverdue(context, listDeviations(tx, filter, sort, limit, offset), ({ status }) => isOver(status)),
      count: () => countDeviations(tx, filter),
      isKept: isCounted(filter),
      facet: field => countDeviationsBy(tx, field as (typeof deviationFacets)[number], filter),
    }
  },
})

export const values = valuesQuery({
  of: 'deviations',
  permission: 'deviations.read',
  fields: deviationValues,
  list: ({ tx }, ...asked) => listDeviationValues(tx, ...asked),
})

export const details = query({
  summary: 'Read a deviation',
  description:
    '`you.why_not.close` also tells, before its closure is the next step, what is missing until it can be closed: `missing` and `conditions` of the code `conditions_not_met`.',
  permission: 'deviations.read',
  input: { params: IdParams, query: DeviationChoice },
  response: DeviationDetails,
  async run(context, { params: { id }, query: { as_of } }) {
    if (as_of !== undefined) return deviationAsOf(context, id, as_of)
    const [row, waiting, has_capa, people] = await Promise.all([
      requireDeviation(context, id),
      findWaiting(context, id),
      hasActiveCapa(context.tx, id),
      listPrincipals(context, 'tasks'),
    ])
    return presentWith(context, row, { waiting, has_capa, people })
  },
})
