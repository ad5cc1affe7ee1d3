import type { Query } from '../../api/client.ts'
import { textOf } from '../../app/addresses.ts'

type Asked = Query<'GET /api/documents/'>

/** What the list shows, as it stands in the address: a link to a list is a link to this very list. */
export interface DocumentsSearch {
  q?: string | undefined
  status?: string[] | undefined
  type?: number[] | undefined
  mine?: true | undefined
  overdue?: true | undefined
  revision?: true | undefined
  sort?: string | undefined
  page?: number | undefined
}

export const defaultSort = 'updated_at:desc'
export const page_size = 25

const sortable = /^(number|title|status|document_type|owner|updated_at|review_due_date):(asc|desc)$/
const isSet = (value: unknown) => value === true || value === 'true'
const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0
const textsOf = (value: unknown) => {
  const texts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  return [...new Set(texts.map(each => textOf(each).trim()))].filter(each => each !== '')
}

/** What somebody typed into the address and what makes no sense is left out. */
export function documentsSearch(given: Record<string, unknown>): DocumentsSearch {
  const status = textsOf(given.status).filter(each => /^\w{1,40}$/.test(each))
  const type = textsOf(given.type).map(Number).filter(isPositive)
  const page = Number(given.page)
  const sort = textOf(given.sort)
  const q = textOf(given.q)
  return {
    ...(q && { q: q.slice(0, 200) }),
    ...(status.length > 0 && { status }),
    ...(type.length > 0 && { type }),
    ...(isSet(given.mine) && { mine: true as const }),
    ...(isSet(given.overdue) && { overdue: true as const }),
    ...(isSet(given.revision) && { revision: true as const }),
    ...(sortable.test(sort) && sort !== defaultSort && { sort }),
    ...(isPositive(page) && page > 1 && { page }),
  }
}

export const isNarrowed = ({ sort, page, ...filters }: DocumentsSearch) =>
  Object.values(filters).some(each => each !== undefined && each.toString() !== '')

/** What the service is asked for; without the page, it is asked for the whole list as a file. */
export const filtersOf = (
  { q, status, type, mine, overdue, revision, sort }: DocumentsSearch,
  ownId: number,
): Asked => ({
  q,
  status,
  document_type: type,
  owner_id: mine && [ownId],
  overdue_review: overdue,
  needs_revision: revision,
  sort: sort ?? defaultSort,
})

export const queryOf = (search: DocumentsSearch, ownId: number): Asked => ({
  ...filtersOf(search, ownId),
  page: search.page ?? 1,
  page_size,
})
