// The values that the list of documents is narrowed by, counted from groups of documents that have the same ones.
import type { ListedDocument } from '#kernel/measures.ts'
import type { ValueCount } from '#platform/db/expressions.ts'
import type { DocumentFilter } from './schema.ts'

/** Documents that agree in what is counted. `pending_status` is null too where the reader may not see the version under way. */
export interface Group extends Omit<ListedDocument, 'status_kind'> {
  /** By the filter of keywords; without such a filter all have it. */
  has_keyword: boolean
  n: number
}

/** The filters that groups answer by themselves. */
export const groupedFilters = ['status', 'document_type', 'category'] as const
export type GroupedFilter = (typeof groupedFilters)[number]

type Narrowing = Pick<DocumentFilter, GroupedFilter>

const hasOneOf = <T>(wanted: readonly T[] | undefined, ...values: readonly T[]) =>
  wanted === undefined || values.some(value => wanted.includes(value))

const conditions: Record<GroupedFilter, (group: Group, filter: Narrowing) => boolean> = {
  status: ({ status, pending_status: pending }, filter) =>
    hasOneOf(filter.status, status, ...(pending === null ? [] : [pending])),
  document_type: ({ document_type_id }, filter) => hasOneOf(filter.document_type, document_type_id),
  category: ({ category }, filter) => hasOneOf(filter.category, ...(category === null ? [] : [category])),
}

const isMatched = (group: Group, filter: Narrowing, without?: GroupedFilter) =>
  group.has_keyword && groupedFilters.every(field => field === without || conditions[field](group, filter))

export const countMatching = (groups: readonly Group[], filter: Narrowing): number =>
  groups.reduce((sum, group) => sum + (isMatched(group, filter) ? group.n : 0), 0)

/** A document counts by each state in which the filter would find it. */
const valuesOf: Record<GroupedFilter, (group: Group) => (string | number)[]> = {
  status: ({ status, pending_status: pending }) =>
    pending === null || pending === status ? [status] : [status, pending],
  document_type: ({ document_type_id }) => [document_type_id],
  category: ({ category }) => (category === null ? [] : [category]),
}

const mostValues = 100

/** In the order of `countByValue`: the most frequent first, then by code point as the database sorts text. */
export const byFrequency = (counts: ReadonlyMap<string | number, number>): [value: string | number, count: number][] =>
  [...counts]
    .filter(([, count]) => count > 0)
    .sort(([a, n], [b, m]) => m - n || compared(a, b))
    .slice(0, mostValues)

const compared = (a: string | number, b: string | number) =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

/** How many have each value of a field, by the filter without that field. `names`: of document types. */
export function countValues(
  groups: readonly Group[],
  field: GroupedFilter,
  filter: Narrowing,
  names: ReadonlyMap<number, string>,
): ValueCount[] {
  const counts = new Map<string | number, number>()
  for (const group of groups)
    if (isMatched(group, filter, field))
      for (const value of valuesOf[field](group)) counts.set(value, (counts.get(value) ?? 0) + group.n)
  return byFrequency(counts).map(([value, count]) => ({
    value,
    label: field === 'document_type' ? (names.get(Number(value)) ?? null) : null,
    count,
  }))
}
