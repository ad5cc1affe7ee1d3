import { type Static, Type } from 'typebox'
import { invalid, issueAt } from './errors.ts'
import { messages } from './messages.ts'
import { Text } from './schema.ts'

/** The parameters of every list (SVC-04). */
export const PageParams = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  sort: Type.Optional(Text({ maxLength: 100 })),
}

/** The parameters of a list whose items have a name and may be inactive. */
export const NamedFilter = Type.Object(
  { ...PageParams, q: Type.Optional(Text({ maxLength: 200 })), is_active: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
)
export type NamedFilter = Static<typeof NamedFilter>

export interface PageRequest {
  page?: number
  page_size?: number
  sort?: string
}

export interface Sort<F extends string> {
  field: F
  direction: 'asc' | 'desc'
}

/**
 * Reads `field:asc` or `field:desc`, with a colon, a blank or a comma; ascending by default. Any other field is a 422 that lists the
 * fields.
 */
export function parseSort<F extends string>(
  text: string | undefined,
  sortable: readonly F[],
  fallback: Sort<F>,
): Sort<F> {
  if (text === undefined) return fallback
  const [, field, direction = 'asc'] = /^\s*([a-z_]+)(?:\s*[:,\s]\s*(asc|desc))?\s*$/i.exec(text) ?? []
  if (field === undefined || !sortable.includes(field as F)) {
    throw invalid(issueAt(['query', 'sort'], messages.sort_not_supported({ fields: sortable })))
  }
  return { field: field as F, direction: direction.toLowerCase() as 'asc' | 'desc' }
}

export const limits = ({ page = 1, page_size = 20 }: PageRequest) => ({
  limit: page_size,
  offset: (page - 1) * page_size,
})

/** The fields by which a filter narrows its list, which excludes paging and sorting. */
export const narrowing = (filter: object): string[] =>
  Object.entries(filter).flatMap(([name, value]) => (value === undefined || name in PageParams ? [] : [name]))

export const envelope = <T>(items: T[], total: number, { page = 1, page_size = 20 }: PageRequest) => ({
  items,
  page,
  page_size,
  total,
  pages: Math.ceil(total / page_size),
})

/**
 * A page of a list. All items are counted only if the page does not show the end of the list: after the page, or together with it where
 * the count `isKept` and so costs nothing.
 */
export async function pageOf<T>(
  query: PageRequest,
  list: (limit: number, offset: number) => Promise<T[]>,
  count: () => Promise<number>,
  { isKept = false } = {},
) {
  const { limit, offset } = limits(query)
  const [items, kept] = await Promise.all([list(limit, offset), isKept ? count() : undefined])
  const isEnd = items.length < limit && (items.length > 0 || offset === 0)
  return envelope(items, isEnd ? offset + items.length : (kept ?? (await count())), query)
}
