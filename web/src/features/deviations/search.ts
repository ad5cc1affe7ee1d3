import type { Query } from '../../api/client.ts'
import { readSearch, textsOf, writeSearch } from '../../app/addresses.ts'
import {
  type CaseListSearch,
  caseFiltersOf,
  caseListSearch,
  isSet,
  known,
  page_size,
} from '../../records/case/case-list.ts'
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

/** What the list shows, as it stands in the address. Its days are those of the detection. */
export interface DeviationsSearch extends CaseListSearch {
  severity?: Severity[] | undefined
  status?: Status[] | undefined
  category?: Category[] | undefined
  department?: string[] | undefined
  reported?: true | undefined
}

const sortable = [
  ...['number', 'title', 'severity', 'status', 'category', 'department', 'due_date', 'detected_at', 'reported_at'],
  ...['reported_by', 'updated_at', 'assigned_to'],
]

/** Leaves out whatever of an address makes no sense. */
export const deviationsSearch = (given: Record<string, unknown>): DeviationsSearch =>
  caseListSearch(given, {
    sortable,
    lists: {
      severity: known(severities, given.severity),
      status: known(statuses, given.status),
      category: known(categories, given.category),
      department: textsOf(given.department).filter(each => each.length <= 200),
    },
    toggles: isSet(given.reported) ? { reported: true as const } : {},
  })

/** The list as a view keeps it: without the page, and always written alike. */
export const viewOf = (search: DeviationsSearch) =>
  writeSearch({ ...deviationsSearch(search as Record<string, unknown>), page: undefined })
export const searchOfView = (view: string) => deviationsSearch(readSearch(view))

export const filtersOf = (search: DeviationsSearch, ownId: number): Asked => ({
  ...caseFiltersOf(search, ownId),
  severity: search.severity,
  status: search.status,
  category: search.category,
  department: search.department,
  reported_by: search.reported ? [ownId] : undefined,
})

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
