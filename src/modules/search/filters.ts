import { validate } from '#http/validation.ts'
import { AppError, invalid, issueAt } from '#kernel/errors.ts'
import { messages } from './messages.ts'
import { FilterObject, type SearchQuery } from './schema.ts'
import type { Filters } from './scope.ts'

const names = ['document_type', 'category', 'status', 'date_from', 'date_to'] as const

function readObject(json: string): FilterObject {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw invalid(issueAt(['query', 'filters'], messages.search_filters_malformed()))
  }
  try {
    return validate(FilterObject, 'query', value ?? [], { fromText: false }) as FilterObject
  } catch (error) {
    if (!(error instanceof AppError) || typeof error.detail === 'string') throw error
    throw invalid(
      ...error.detail.map(({ loc, ...issue }) => ({ ...issue, loc: ['query', 'filters', ...loc.slice(1)] })),
    )
  }
}

const listOf = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value])
const dayOf = (moment: string) => (moment.length === 10 ? moment : new Date(moment).toISOString().slice(0, 10))

/** Combines `filters` with the parameters of the same names; each may be given once. */
export function filtersOf(query: SearchQuery): Filters {
  const object = query.filters === undefined ? {} : readObject(query.filters)
  const twice = names.filter(name => object[name] !== undefined && query[name] !== undefined)
  if (twice.length > 0)
    throw invalid(...twice.map(name => issueAt(['query', name], messages.search_filter_repeated({ name }))))
  const { document_type, category, status, date_from, date_to } = { ...query, ...object }
  return {
    ...(document_type !== undefined && { document_type: listOf(document_type) }),
    ...(category !== undefined && { category: listOf(category) }),
    ...(status !== undefined && { status: listOf(status) }),
    ...(date_from !== undefined && { date_from: dayOf(date_from) }),
    ...(date_to !== undefined && { date_to: dayOf(date_to) }),
  }
}
