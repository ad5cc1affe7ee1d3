import { textOf } from '../../app/addresses.ts'

export const disposalStatuses = ['proposed', 'approved', 'completed', 'rejected', 'withdrawn'] as const
export const holdStatuses = ['active', 'lifted'] as const

const pageIn = (value: unknown): { page?: number } => {
  const page = Number(textOf(value))
  return Number.isSafeInteger(page) && page > 1 ? { page } : {}
}

export interface DueSearch {
  q?: string | undefined
  sort?: string | undefined
  page?: number | undefined
}
export const dueSort = 'retention_until:asc'
const dueSorts = ['retention_until:desc', 'ended_on:asc', 'ended_on:desc', 'number:asc', 'number:desc']

export function dueSearch(given: Record<string, unknown>): DueSearch {
  const q = textOf(given.q).trim().slice(0, 200)
  const sort = dueSorts.find(each => each === textOf(given.sort))
  return { ...(q && { q }), ...(sort && { sort }), ...pageIn(given.page) }
}

export interface DisposalsSearch {
  status?: (typeof disposalStatuses)[number] | undefined
  page?: number | undefined
}
export function disposalsSearch(given: Record<string, unknown>): DisposalsSearch {
  const status = disposalStatuses.find(each => each === textOf(given.status))
  return { ...(status && { status }), ...pageIn(given.page) }
}

export interface HoldsSearch {
  status?: (typeof holdStatuses)[number] | undefined
  page?: number | undefined
}
export function holdsSearch(given: Record<string, unknown>): HoldsSearch {
  const status = holdStatuses.find(each => each === textOf(given.status))
  return { ...(status && { status }), ...pageIn(given.page) }
}
