import type { Query } from '../../api/client.ts'
import { readSearch, textOf, textsOf, writeSearch } from '../../app/addresses.ts'

type Asked = Query<'GET /api/documents/'>

/** What the list shows, as it stands in the address: a link to a list is a link to this very list. */
export interface DocumentsSearch {
  q?: string | undefined
  status?: string[] | undefined
  type?: number[] | undefined
  category?: string[] | undefined
  keyword?: string[] | undefined
  owner?: number[] | undefined
  mine?: true | undefined
  overdue?: true | undefined
  /** The review is due within so many days. */
  due?: number | undefined
  revision?: true | undefined
  sort?: string | undefined
  page?: number | undefined
}

/** Who asks, and which day it is for them. */
export interface Reader {
  id: number
  today: string
}

export const defaultSort = 'updated_at:desc'
export const page_size = 25

const sortable =
  /^(number|title|status|document_type|category|owner|effective_date|review_due_date|created_at|updated_at):(asc|desc)$/
const longestDue = 3650
const isSet = (value: unknown) => value === true || value === 'true'
const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0

/** Leaves out whatever of an address makes no sense. */
export function documentsSearch(given: Record<string, unknown>): DocumentsSearch {
  const status = textsOf(given.status).filter(each => /^\w{1,40}$/.test(each))
  const type = textsOf(given.type).map(Number).filter(isPositive)
  const category = textsOf(given.category).filter(each => each.length <= 200)
  const keyword = textsOf(given.keyword).filter(each => each.length <= 100)
  const owner = textsOf(given.owner).map(Number).filter(isPositive)
  const due = Number(given.due)
  const page = Number(given.page)
  const sort = textOf(given.sort)
  const q = textOf(given.q)
  return {
    ...(q && { q: q.slice(0, 200) }),
    ...(status.length > 0 && { status }),
    ...(type.length > 0 && { type }),
    ...(category.length > 0 && { category }),
    ...(keyword.length > 0 && { keyword }),
    ...(owner.length > 0 && { owner }),
    ...(isSet(given.mine) && { mine: true as const }),
    ...(isSet(given.overdue) && { overdue: true as const }),
    ...(isPositive(due) && due <= longestDue && { due }),
    ...(isSet(given.revision) && { revision: true as const }),
    ...(sortable.test(sort) && sort !== defaultSort && { sort }),
    ...(isPositive(page) && page > 1 && { page }),
  }
}

/** The list as a view keeps it: without the page, and always written alike. */
export const viewOf = (search: DocumentsSearch) =>
  writeSearch({ ...documentsSearch(search as Record<string, unknown>), page: undefined })
export const searchOfView = (view: string) => documentsSearch(readSearch(view))

export const isNarrowed = ({ sort, page, ...filters }: DocumentsSearch) =>
  Object.values(filters).some(each => each !== undefined && each.toString() !== '')

const dayAfter = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

/** What the service is asked for; without the page, it is asked for the whole list as a file. */
export function filtersOf(
  { q, status, type, category, keyword, owner, mine, overdue, due, revision, sort }: DocumentsSearch,
  { id, today }: Reader,
): Asked {
  const owners = [...new Set([...(mine ? [id] : []), ...(owner ?? [])])]
  return {
    q,
    status,
    document_type: type,
    category,
    keywords: keyword,
    owner_id: owners.length > 0 ? owners : undefined,
    overdue_review: overdue,
    review_due_before: due === undefined ? undefined : dayAfter(today, due + 1),
    needs_revision: revision,
    sort: sort ?? defaultSort,
  }
}

export const queryOf = (search: DocumentsSearch, reader: Reader): Asked => ({
  ...filtersOf(search, reader),
  page: search.page ?? 1,
  page_size,
})

/** How many there are of each value. Asked for apart from the list: neither another page nor another order changes it. */
export const countsOf = (search: DocumentsSearch, reader: Reader): Asked => ({
  ...filtersOf({ ...search, sort: undefined }, reader),
  page_size: 1,
  facets: 'status,document_type,category,keywords',
})
