import type { Query } from '../../api/client.ts'
import { readSearch, writeSearch } from '../../app/addresses.ts'
import {
  type CaseListSearch,
  caseFiltersOf,
  caseListSearch,
  isPositive,
  known,
  page_size,
} from '../../records/case/case-list.ts'
import { priorities } from '../../ui/severities.ts'

type Asked = Query<'GET /api/capa/'>
type Value<K extends keyof Asked> = NonNullable<Asked[K]> extends (infer V)[] ? V : never
export type Status = Value<'status'>
export type Priority = Value<'priority'>
export type Type = Value<'type'>
export type Source = Value<'source'>

export const statuses = [
  'draft',
  'open',
  'in_progress',
  'pending_effectiveness',
  'closed',
  'rejected',
  'cancelled',
] as const satisfies Status[]
/** Something is left to do. */
export const unfinished: Status[] = ['draft', 'open', 'in_progress', 'pending_effectiveness']
export const types = ['corrective', 'preventive', 'both'] as const satisfies Type[]
export const sources = [
  'deviation',
  'audit_finding',
  'complaint',
  'oos',
  'supplier',
  'management_review',
  'trend',
  'risk_review',
  'internal',
  'other',
] as const satisfies Source[]

/** What the list shows, as it stands in the address. Its days are those of the creation. */
export interface CapasSearch extends CaseListSearch {
  status?: Status[] | undefined
  priority?: Priority[] | undefined
  type?: Type[] | undefined
  source?: Source[] | undefined
}

const sortable = [
  ...['number', 'title', 'type', 'source', 'status', 'priority', 'due_date', 'created_at', 'updated_at'],
  'assigned_to',
]

/** Leaves out whatever of an address makes no sense. */
export const capasSearch = (given: Record<string, unknown>): CapasSearch =>
  caseListSearch(given, {
    sortable,
    lists: {
      status: known(statuses, given.status),
      priority: known(priorities, given.priority),
      type: known(types, given.type),
      source: known(sources, given.source),
    },
  })

/** The list as a view keeps it: without the page, and always written alike. */
export const viewOf = (search: CapasSearch) =>
  writeSearch({ ...capasSearch(search as Record<string, unknown>), page: undefined })
export const searchOfView = (view: string) => capasSearch(readSearch(view))

export const filtersOf = (search: CapasSearch, ownId: number): Asked => ({
  ...caseFiltersOf(search, ownId),
  status: search.status,
  priority: search.priority,
  type: search.type,
  source: search.source,
})

export const queryOf = (search: CapasSearch, ownId: number): Asked => ({
  ...filtersOf(search, ownId),
  page: search.page ?? 1,
  page_size,
})

/** How many there are of each value. Asked for apart from the list: neither another page nor another order changes it. */
export const countsOf = (search: CapasSearch, ownId: number): Asked => ({
  ...filtersOf({ ...search, sort: undefined }, ownId),
  page_size: 1,
  facets: 'status,priority,type,source',
})

export interface NewCapaSearch {
  /** The deviation that it is raised from. */
  deviation?: number | undefined
}

export function newCapaSearch({ deviation }: Record<string, unknown>): NewCapaSearch {
  return isPositive(Number(deviation)) ? { deviation: Number(deviation) } : {}
}
