import { textOf, textsOf } from '../../app/addresses.ts'

/** What the lists of deviations and of CAPAs have both, as it stands in the address. */
export interface CaseListSearch {
  q?: string | undefined
  assigned?: number[] | undefined
  mine?: true | undefined
  unassigned?: true | undefined
  overdue?: true | undefined
  /** On this day or later. */
  from?: string | undefined
  /** On this day or earlier. */
  to?: string | undefined
  sort?: string | undefined
  page?: number | undefined
}

export const defaultSort = 'updated_at:desc'
export const page_size = 25

export const isSet = (value: unknown) => value === true || value === 'true'
export const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0
export const known = <T extends string>(all: readonly T[], value: unknown) =>
  textsOf(value).filter((each): each is T => all.some(one => one === each))
const dayOf = (value: unknown) => (/^\d{4}-\d{2}-\d{2}$/.test(textOf(value)) ? textOf(value) : '')

/** Lists of values, without those that are empty. */
const someOf = <T extends Record<string, readonly unknown[]>>(lists: T): Partial<T> =>
  Object.fromEntries(Object.entries(lists).filter(([, values]) => values.length > 0)) as Partial<T>

interface Own<L, T> {
  sortable: readonly string[]
  /** The filters of this list alone: values, and what is on or off. Saved views are compared as they are written, so their places stay. */
  lists: L
  toggles?: T
}

/** Leaves out whatever of an address makes no sense. */
export function caseListSearch<L extends Record<string, readonly unknown[]>, T extends object>(
  given: Record<string, unknown>,
  { sortable, lists, toggles }: Own<L, T>,
): CaseListSearch & Partial<L> & Partial<T> {
  const assigned = textsOf(given.assigned).map(Number).filter(isPositive)
  const page = Number(given.page)
  const sort = textOf(given.sort)
  const [field = '', direction = ''] = sort.split(':')
  const isSort = sortable.includes(field) && /^(asc|desc)$/.test(direction) && sort === `${field}:${direction}`
  const q = textOf(given.q)
  const from = dayOf(given.from)
  const to = dayOf(given.to)
  const search = {
    ...(q && { q: q.slice(0, 200) }),
    ...someOf(lists),
    ...(assigned.length > 0 && { assigned }),
    ...(isSet(given.mine) && { mine: true as const }),
    ...(isSet(given.unassigned) && { unassigned: true as const }),
    ...toggles,
    ...(isSet(given.overdue) && { overdue: true as const }),
    ...(from && { from }),
    ...(to && { to }),
    ...(isSort && sort !== defaultSort && { sort }),
    ...(isPositive(page) && page > 1 && { page }),
  }
  return search as CaseListSearch & Partial<L> & Partial<T>
}

export const isNarrowed = ({ sort, page, ...filters }: CaseListSearch) =>
  Object.values(filters).some(each => each !== undefined && each.toString() !== '')

/** The same list with no filter set; the order and the search that opens it stay what they are. */
export const cleared = <S extends CaseListSearch>({ sort, page, ...filters }: S): Partial<S> =>
  Object.fromEntries(Object.keys(filters).map(name => [name, undefined])) as Partial<S>

/** The query for these filters; without a page, for the whole list as a file. */
export function caseFiltersOf(search: CaseListSearch, ownId: number) {
  const { q, assigned, mine, unassigned, overdue, from, to, sort } = search
  const people = [
    ...new Set([...(unassigned ? (['none'] as const) : []), ...(mine ? [ownId] : []), ...(assigned ?? [])]),
  ]
  return {
    q,
    assigned_to: people.length > 0 ? people : undefined,
    overdue,
    date_from: from,
    date_to: to,
    sort: sort ?? defaultSort,
  }
}
