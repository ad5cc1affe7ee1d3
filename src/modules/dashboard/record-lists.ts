// The list behind a figure: the request whose `total` is the figure, for a person who may read all of its records.
import type { Permission } from '#kernel/catalogue.ts'
import { daysLater } from '#kernel/day.ts'
import { type CountedFigure, countedFigures, hasKeys, permissionsFor, type Window } from './counted.ts'
import type { DayBounds } from './stats-queries.ts'
import type { Stats } from './stats-schema.ts'

type Filter = Record<string, string | number | boolean | readonly string[]>
type RecordList = Stats['lists'][number]

interface Counted {
  stats: Omit<Stats, 'lists'>
  window: Window
  today: string
  bounds: DayBounds
  permissions: ReadonlySet<Permission>
}

const openDeviations = ['open', 'under_investigation', 'pending_approval']
const capasAtWork = ['open', 'in_progress', 'pending_effectiveness']
const openAssignments = ['assigned', 'in_progress']

/** As `URLSearchParams` writes it, behind a query that several lists share. */
function queryOf(filter: Filter, shared = '') {
  let query = shared
  for (const name in filter) {
    const values = filter[name]!
    if (typeof values === 'object') for (const value of values) query += `&${name}=${encoded(value)}`
    else query += `&${name}=${encoded(String(values))}`
  }
  return shared === '' ? query.slice(1) : query
}
/** Most values have nothing but the colons of a moment that is written otherwise. */
const encoded = (value: string) =>
  /^[\w*.:-]*$/.test(value) ? value.replaceAll(':', '%3A') : new URLSearchParams([['', value]]).toString().slice(1)

function listsAt(part: string, path: string) {
  const found: RecordList[] = []
  const listOf = (query: string) => (query === '' ? path : `${path}?${query}`)
  const add = (figure: string, query: string, key: string | null = null) =>
    found.push({ figure: `${part}.${figure}`, key, list: listOf(query) })
  return {
    found,
    add,
    /** A list for each line with a key: no filter finds the records without one. */
    addLines(figure: string, lines: readonly { key: string | null }[], queryBy: (key: string) => string) {
      for (const { key } of lines) if (key !== null) add(figure, queryBy(key), key)
    },
    addAll(figures: readonly string[], query: string) {
      for (const figure of figures) add(figure, query)
    },
  }
}

const inDays = ({ date_from, date_to }: Window, bounds: DayBounds, name: string) =>
  queryOf({ [`${name}_from`]: bounds.start(date_from), [`${name}_to`]: bounds.end(date_to) })

function deviationLists({ stats: { deviations }, window, today, bounds }: Counted): RecordList[] {
  if (!deviations) return []
  const { found, add, addAll, addLines } = listsAt('deviations', '/api/deviations/')
  const open = queryOf({ status: openDeviations })
  const reported = inDays(window, bounds, 'reported')
  const closed = inDays(window, bounds, 'closed')
  addAll(
    ['opened', 'critical_ratio.denominator', 'late_report_rate.denominator', 'extension_rate.denominator'],
    reported,
  )
  addAll(
    [
      'closed',
      'days_to_close.count',
      'on_time_closure_rate.denominator',
      'on_time_closure_rate_extended.denominator',
      'recurrence_rate.denominator',
    ],
    closed,
  )
  add('open', open)
  add('overdue', queryOf({ overdue: true }))
  add('critical_ratio.numerator', queryOf({ severity: 'critical' }, reported))
  addLines('by_status', deviations.by_status, status => queryOf({ status }))
  addLines('open_by_severity', deviations.open_by_severity, severity => queryOf({ severity }, open))
  addLines('by_severity', deviations.by_severity, severity => queryOf({ severity }, reported))
  addLines('by_category', deviations.by_category, category => queryOf({ category }, reported))
  addLines('by_department', deviations.by_department, department => queryOf({ department }, reported))
  addLines('by_root_cause', deviations.by_root_cause, root_cause_category => queryOf({ root_cause_category }, reported))
  for (const { from_days, to_days } of deviations.ageing)
    add(
      'ageing',
      queryOf(
        {
          ...(to_days !== null && { reported_from: bounds.start(daysLater(today, -to_days)) }),
          ...(from_days > 0 && { reported_to: bounds.end(daysLater(today, -from_days)) }),
        },
        open,
      ),
      String(from_days),
    )
  return found
}

function capaLists({ stats: { capas }, window, today, bounds }: Counted): RecordList[] {
  if (!capas) return []
  const { found, add, addAll, addLines } = listsAt('capas', '/api/capa/')
  const atWork = queryOf({ status: capasAtWork })
  const made = inDays(window, bounds, 'date')
  const closed = inDays(window, bounds, 'closed')
  addAll(['opened', 'closure_rate.denominator', 'extension_rate.denominator'], made)
  addAll(
    [
      'closed',
      'closure_rate.numerator',
      'days_to_close.count',
      'on_time_rate.denominator',
      'on_time_rate_extended.denominator',
    ],
    closed,
  )
  addAll(['open', 'overdue_rate.denominator'], atWork)
  addAll(['overdue', 'overdue_rate.numerator'], queryOf({ overdue: true }, atWork))
  add('draft_pending', queryOf({ status: 'draft' }))
  addLines('by_status', capas.by_status, status => queryOf({ status }))
  addLines('open_by_type', capas.open_by_type, type => queryOf({ type }, atWork))
  addLines('open_by_source', capas.open_by_source, source => queryOf({ source }, atWork))
  addLines('open_by_priority', capas.open_by_priority, priority => queryOf({ priority }, atWork))
  addLines('by_source', capas.by_source, source => queryOf({ source }, made))
  for (const { from_days, to_days } of capas.overdue_ageing)
    add(
      'overdue_ageing',
      queryOf(
        {
          ...(to_days !== null && { due_from: daysLater(today, -to_days) }),
          due_before: daysLater(today, 1 - from_days),
        },
        atWork,
      ),
      String(from_days),
    )
  return found
}

function trainingLists({ stats: { training }, window, today, bounds }: Counted): RecordList[] {
  if (!training) return []
  const { found, add, addAll } = listsAt('training', '/api/training/assignments/')
  const open = queryOf({ status: openAssignments })
  add('assigned', inDays(window, bounds, 'date'))
  addAll(['completed', 'on_time_rate.denominator'], inDays(window, bounds, 'completed'))
  add('open', open)
  add('overdue', queryOf({ overdue: true }))
  add('due_soon', queryOf({ due_from: today, due_to: daysLater(today, 7) }, open))
  for (const { from_days, to_days } of training.overdue_ageing)
    add(
      'overdue_ageing',
      queryOf(
        {
          ...(to_days !== null && { due_from: daysLater(today, -to_days) }),
          due_to: daysLater(today, -from_days),
        },
        open,
      ),
      String(from_days),
    )
  return found
}

function documentLists({ stats: { documents }, window, today, bounds, permissions }: Counted): RecordList[] {
  // Whoever may not read all versions is shown fewer documents than there are.
  if (!documents || !permissions.has('documents.read_drafts') || !permissions.has('documents.read_obsolete')) return []
  const { found, add, addAll } = listsAt('documents', '/api/documents/')
  addAll(['total', 'versions_per_document.denominator'], '')
  add('created', inDays(window, bounds, 'date'))
  for (const { document_type } of documents.by_type)
    add('by_type', queryOf({ document_type: document_type.id }), String(document_type.id))
  add('overdue_reviews', queryOf({ overdue_review: true }))
  add('reviews_due_within_30_days', queryOf({ review_due_from: today, review_due_before: daysLater(today, 31) }))
  return found
}

/** Whether the person may read all records of a figure. */
const readsAllOf = (permissions: ReadonlySet<Permission>) => (figure: CountedFigure) =>
  permissionsFor(figure).every(each => permissions.has(each))

/** The months that have something; others have no list to read. */
function monthLists({ stats: { creation_trends, deviations, capas, training }, today, permissions }: Counted) {
  const lines: [figure: string, counted: CountedFigure, line: { month: string }[], field: string][] = [
    ['creation_trends.documents', 'documents.created', creation_trends, 'documents'],
    ['creation_trends.versions', 'documents.versions_created', creation_trends, 'versions'],
    ...(['opened', 'closed'] as const).flatMap((field): typeof lines => [
      [`deviations.per_month.${field}`, `deviations.${field}`, deviations?.per_month ?? [], field],
      [`capas.per_month.${field}`, `capas.${field}`, capas?.per_month ?? [], field],
    ]),
    ...(['assigned', 'completed'] as const).map((field): (typeof lines)[number] => [
      ...([`training.per_month.${field}`, `training.${field}`, training?.per_month ?? [], field] as const),
    ]),
  ]
  const may = readsAllOf(permissions)
  return lines
    .filter(([, counted]) => may(counted))
    .flatMap(([figure, counted, months, field]) =>
      months
        .filter(line => (line as unknown as Record<string, number>)[field]! > 0)
        .map(({ month }) => {
          const last = `${month}-${daysIn(month)}`
          const date_to = last < today ? last : today
          return listOfFacts(figure, queryOf({ figure: counted, date_from: `${month}-01`, date_to }), month)
        }),
    )
}

/** The last day of a month, YYYY-MM. */
const daysIn = (month: string) => new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()

const listOfFacts = (figure: string, query: string, key: string | null = null): RecordList => ({
  figure,
  key,
  list: `/api/dashboard/records?${query}`,
})

/** Figures that no list can be filtered to, beside those that were `found`: their records are found by the facts that were counted. */
function factLists({ stats, window, permissions }: Counted, found: ReadonlySet<string>): RecordList[] {
  const days = queryOf({ ...window })
  const keysOf = (figure: CountedFigure): string[] =>
    figure === 'documents.by_status'
      ? stats.documents!.by_status.flatMap(({ key }) => key ?? [])
      : figure === 'documents.pending_ageing'
        ? stats.documents!.pending_ageing.map(({ from_days }) => String(from_days))
        : stats.deviations!.recurrence_by_category.flatMap(({ key }) => key ?? [])
  const may = readsAllOf(permissions)
  return countedFigures
    .filter(figure => may(figure) && !found.has(figure))
    .flatMap(figure =>
      hasKeys(figure)
        ? keysOf(figure).map(key => listOfFacts(figure, `${queryOf({ figure, key })}&${days}`, key))
        : [listOfFacts(figure, `${queryOf({ figure })}&${days}`)],
    )
}

export function recordLists(counted: Counted): RecordList[] {
  const filtered = [
    ...documentLists(counted),
    ...deviationLists(counted),
    ...capaLists(counted),
    ...trainingLists(counted),
  ]
  const found = new Set(filtered.map(({ figure }) => figure))
  return [...filtered, ...factLists(counted, found), ...monthLists(counted)]
}
