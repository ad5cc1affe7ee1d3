import type { Operations } from '../../api/operations.generated.ts'

type Query = NonNullable<Operations['GET /api/documents/']['query']>

/** What the list shows, as it stands in the address: a link to a list is a link to this very list. */
export interface DocumentsSearch {
  q?: string
  status?: string[]
  type?: number[]
  mine?: true
  overdue?: true
  revision?: true
  sort?: string
  page?: number
}

export const defaultSort = 'updated_at:desc'
export const page_size = 25

const sortable = /^(number|title|status|document_type|owner|updated_at|review_due_date):(asc|desc)$/
const isSet = (value: unknown) => value === true || value === 'true'
const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0
const textsOf = (value: unknown) => {
  const texts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  return [...new Set(texts.map(each => String(each).trim()))].filter(each => each !== '')
}

/** What somebody typed into the address and what makes no sense is left out. */
export function documentsSearch(given: Record<string, unknown>): DocumentsSearch {
  const status = textsOf(given.status).filter(each => /^\w{1,40}$/.test(each))
  const type = textsOf(given.type).map(Number).filter(isPositive)
  const page = Number(given.page)
  const sort = String(given.sort ?? '')
  return {
    ...(given.q ? { q: String(given.q).slice(0, 200) } : {}),
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
): Query => ({
  q,
  status,
  document_type: type,
  owner_id: mine && [ownId],
  overdue_review: overdue,
  needs_revision: revision,
  sort: sort ?? defaultSort,
})

export const queryOf = (search: DocumentsSearch, ownId: number): Query => ({
  ...filtersOf(search, ownId),
  page: search.page ?? 1,
  page_size,
})
