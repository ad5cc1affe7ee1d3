import type { Query } from '../../api/client.ts'
import { readSearch, textOf, textsOf, writeSearch } from '../../app/addresses.ts'
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

/** What the list shows, as it stands in the address. */
export interface CapasSearch {
  q?: string | undefined
  status?: Status[] | undefined
  priority?: Priority[] | undefined
  type?: Type[] | undefined
  source?: Source[] | undefined
  assigned?: number[] | undefined
  mine?: true | undefined
  unassigned?: true | undefined
  overdue?: true | undefined
  /** Created on this day or later. */
  from?: string | undefined
  /** Created on this day or earlier. */
  to?: string | undefined
  sort?: string | undefined
  page?: number | undefined
}

export const defaultSort = 'updated_at:desc'
export const page_size = 25

const sortable = /^(number|title|type|source|status|priority|due_date|created_at|updated_at|assigned_to):(asc|desc)$/
const isSet = (value: unknown) => value === true || value === 'true'
const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0
const known = <T extends string>(all: readonly T[], value: unknown) =>
  textsOf(value).filter((each): each is T => all.some(one => one === each))
const dayOf = (value: unknown) => (/^\d{4}-\d{2}-\d{2}$/.test(textOf(value)) ? textOf(value) : '')

/** What somebody typed into the address and what makes no sense is left out. */
export function capasSearch(given: Record<string, unknown>): CapasSearch {
  const status = known(statuses, given.status)
  const priority = known(priorities, given.priority)
  const type = known(types, given.type)
  const source = known(sources, given.source)
  const assigned = textsOf(given.assigned).map(Number).filter(isPositive)
  const page = Number(given.page)
  const sort = textOf(given.sort)
  const q = textOf(given.q)
  const from = dayOf(given.from)
  const to = dayOf(given.to)
  return {
    ...(q && { q: q.slice(0, 200) }),
    ...(status.length > 0 && { status }),
    ...(priority.length > 0 && { priority }),
    ...(type.length > 0 && { type }),
    ...(source.length > 0 && { source }),
    ...(assigned.length > 0 && { assigned }),
    ...(isSet(given.mine) && { mine: true as const }),
    ...(isSet(given.unassigned) && { unassigned: true as const }),
    ...(isSet(given.overdue) && { overdue: true as const }),
    ...(from && { from }),
    ...(to && { to }),
    ...(sortable.test(sort) && sort !== defaultSort && { sort }),
    ...(isPositive(page) && page > 1 && { page }),
  }
}

/** The list as a view keeps it: without the page, and always written alike. */
export const viewOf = (search: CapasSearch) =>
  writeSearch({ ...capasSearch(search as Record<string, unknown>), page: undefined })
export const searchOfView = (view: string) => capasSearch(readSearch(view))

export const isNarrowed = ({ sort, page, ...filters }: CapasSearch) =>
  Object.values(filters).some(each => each !== undefined && each.toString() !== '')

/** What the service is asked for; without the page, it is asked for the whole list as a file. */
export function filtersOf(search: CapasSearch, ownId: number): Asked {
  const { q, status, priority, type, source, assigned, mine, unassigned, overdue, from, to, sort } = search
  const people = [
    ...new Set([...(unassigned ? (['none'] as const) : []), ...(mine ? [ownId] : []), ...(assigned ?? [])]),
  ]
  return {
    q,
    status,
    priority,
    type,
    source,
    assigned_to: people.length > 0 ? people : undefined,
    overdue,
    date_from: from,
    date_to: to,
    sort: sort ?? defaultSort,
  }
}

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
