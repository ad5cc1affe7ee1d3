import type { Query } from '../../api/client.ts'
import { readSearch, textOf, textsOf, writeSearch } from '../../app/addresses.ts'
import { severities } from '../../ui/severities.ts'

export { severities }

type Asked = Query<'GET /api/deviations/'>
type Value<K extends keyof Asked> = NonNullable<Asked[K]> extends (infer V)[] ? V : never
export type Status = Value<'status'>
export type Severity = Value<'severity'>
export type Category = Value<'category'>

export const statuses = [
  'open',
  'under_investigation',
  'pending_approval',
  'closed',
  'cancelled',
] as const satisfies Status[]
/** Something is left to do. */
export const unfinished: Status[] = ['open', 'under_investigation', 'pending_approval']
export const categories = [
  'process',
  'procedure',
  'product',
  'material',
  'equipment',
  'laboratory',
  'cleaning',
  'environmental',
  'documentation',
  'training',
  'supplier',
  'packaging',
  'storage_warehouse',
  'data_integrity',
  'safety',
  'other',
] as const satisfies Category[]

/** What the list shows, as it stands in the address. */
export interface DeviationsSearch {
  q?: string | undefined
  severity?: Severity[] | undefined
  status?: Status[] | undefined
  category?: Category[] | undefined
  department?: string[] | undefined
  assigned?: number[] | undefined
  mine?: true | undefined
  unassigned?: true | undefined
  reported?: true | undefined
  overdue?: true | undefined
  /** Detected on this day or later. */
  from?: string | undefined
  /** Detected on this day or earlier. */
  to?: string | undefined
  sort?: string | undefined
  page?: number | undefined
}

export const defaultSort = 'updated_at:desc'
export const page_size = 25

const sortable =
  /^(number|title|severity|status|category|department|due_date|detected_at|reported_at|reported_by|updated_at|assigned_to):(asc|desc)$/
const isSet = (value: unknown) => value === true || value === 'true'
const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0
const known = <T extends string>(all: readonly T[], value: unknown) =>
  textsOf(value).filter((each): each is T => all.some(one => one === each))
const dayOf = (value: unknown) => (/^\d{4}-\d{2}-\d{2}$/.test(textOf(value)) ? textOf(value) : '')

/** What somebody typed into the address and what makes no sense is left out. */
export function deviationsSearch(given: Record<string, unknown>): DeviationsSearch {
  const severity = known(severities, given.severity)
  const status = known(statuses, given.status)
  const category = known(categories, given.category)
  const department = textsOf(given.department).filter(each => each.length <= 200)
  const assigned = textsOf(given.assigned).map(Number).filter(isPositive)
  const page = Number(given.page)
  const sort = textOf(given.sort)
  const q = textOf(given.q)
  const from = dayOf(given.from)
  const to = dayOf(given.to)
  return {
    ...(q && { q: q.slice(0, 200) }),
    ...(severity.length > 0 && { severity }),
    ...(status.length > 0 && { status }),
    ...(category.length > 0 && { category }),
    ...(department.length > 0 && { department }),
    ...(assigned.length > 0 && { assigned }),
    ...(isSet(given.mine) && { mine: true as const }),
    ...(isSet(given.unassigned) && { unassigned: true as const }),
    ...(isSet(given.reported) && { reported: true as const }),
    ...(isSet(given.overdue) && { overdue: true as const }),
    ...(from && { from }),
    ...(to && { to }),
    ...(sortable.test(sort) && sort !== defaultSort && { sort }),
    ...(isPositive(page) && page > 1 && { page }),
  }
}

/** The list as a view keeps it: without the page, and always written alike. */
export const viewOf = (search: DeviationsSearch) =>
  writeSearch({ ...deviationsSearch(search as Record<string, unknown>), page: undefined })
export const searchOfView = (view: string) => deviationsSearch(readSearch(view))

export const isNarrowed = ({ sort, page, ...filters }: DeviationsSearch) =>
  Object.values(filters).some(each => each !== undefined && each.toString() !== '')

/** What the service is asked for; without the page, it is asked for the whole list as a file. */
export function filtersOf(search: DeviationsSearch, ownId: number): Asked {
  const { q, severity, status, category, department, assigned, mine, unassigned, reported, overdue, from, to, sort } =
    search
  const people = [
    ...new Set([...(unassigned ? (['none'] as const) : []), ...(mine ? [ownId] : []), ...(assigned ?? [])]),
  ]
  return {
    q,
    severity,
    status,
    category,
    department,
    assigned_to: people.length > 0 ? people : undefined,
    reported_by: reported ? [ownId] : undefined,
    overdue,
    date_from: from,
    date_to: to,
    sort: sort ?? defaultSort,
  }
}

export const queryOf = (search: DeviationsSearch, ownId: number): Asked => ({
  ...filtersOf(search, ownId),
  page: search.page ?? 1,
  page_size,
})

/** How many there are of each value. Asked for apart from the list: neither another page nor another order changes it. */
export const countsOf = (search: DeviationsSearch, ownId: number): Asked => ({
  ...filtersOf({ ...search, sort: undefined }, ownId),
  page_size: 1,
  facets: 'status,severity,category,department',
})
