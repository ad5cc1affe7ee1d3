import type { Query } from '../../api/client.ts'
import { textOf, textsOf } from '../../app/addresses.ts'

type Asked = Query<'GET /api/audit/'>

export const outcomes = ['success', 'denied', 'failed'] as const
export type Outcome = (typeof outcomes)[number]
export const areas = [
  ...(['documents', 'deviations', 'capa', 'training', 'signatures', 'files', 'retention', 'accounts'] as const),
  ...(['access', 'configuration', 'audit', 'notifications', 'assistant', 'jobs'] as const),
]
export type AuditArea = (typeof areas)[number]

/** The entries that are shown, as they stand in the address. */
export interface AuditSearch {
  q?: string | undefined
  user?: number[] | undefined
  action?: string[] | undefined
  area?: AuditArea[] | undefined
  outcome?: Outcome[] | undefined
  /** The type of one record, and its id. */
  record?: string | undefined
  id?: number | undefined
  from?: string | undefined
  to?: string | undefined
  order?: 'oldest' | undefined
  page?: number | undefined
}

export const page_size = 50

const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0
const dayIn = (value: unknown) => {
  const day = textOf(value)
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined
}
const knownIn = <T extends string>(value: unknown, known: readonly T[]) =>
  textsOf(value).filter((each): each is T => (known as readonly string[]).includes(each))

/** Leaves out whatever of an address makes no sense. */
export function auditSearch(given: Record<string, unknown>): AuditSearch {
  const q = textOf(given.q).slice(0, 200)
  const user = textsOf(given.user).map(Number).filter(isPositive)
  const action = textsOf(given.action).filter(each => /^\w{1,40}\.\w{1,60}$/.test(each))
  const area = knownIn(given.area, areas)
  const outcome = knownIn(given.outcome, outcomes)
  const record = textOf(given.record)
  const id = Number(given.id)
  const from = dayIn(given.from)
  const to = dayIn(given.to)
  const page = Number(given.page)
  return {
    ...(q && { q }),
    ...(user.length > 0 && { user }),
    ...(action.length > 0 && { action }),
    ...(area.length > 0 && { area }),
    ...(outcome.length > 0 && { outcome }),
    ...(/^\w{1,40}$/.test(record) && { record, ...(isPositive(id) && { id }) }),
    ...(from && { from }),
    ...(to && (!from || from <= to) && { to }),
    ...(given.order === 'oldest' && { order: 'oldest' as const }),
    ...(isPositive(page) && page > 1 && { page }),
  }
}

export const isNarrowed = ({ order, page, ...filters }: AuditSearch) =>
  Object.values(filters).some(each => each !== undefined)

/** Without the page, the whole list as it is narrowed. */
export const filtersOf = ({ q, user, action, area, outcome, record, id, from, to }: AuditSearch) =>
  ({
    q,
    user_id: user,
    action: action as Asked['action'],
    area,
    outcome,
    resource_type: record === undefined ? undefined : [record as NonNullable<Asked['resource_type']>[number]],
    resource_id: id,
    date_from: from,
    date_to: to,
  }) satisfies Asked

export const queryOf = (search: AuditSearch): Asked => ({
  ...filtersOf(search),
  sort: search.order === 'oldest' ? 'id:asc' : 'id:desc',
  page: search.page ?? 1,
  page_size,
})

const onlyOf = <T>(values: T[] | undefined) => (values?.length === 1 ? values[0] : undefined)

/** Whether a review can have this filter: it holds, and signs, one value of each. */
export const isReviewable = ({ user = [], action = [], area = [], outcome = [] }: AuditSearch) =>
  user.length <= 1 && action.length <= 1 && area.length === 0 && outcome.length <= 1

export const reviewFilterOf = ({ q, user, action, outcome, record, id }: AuditSearch) => ({
  ...(q !== undefined && { q }),
  ...(user && { user_id: onlyOf(user)! }),
  ...(action && { action: onlyOf(action)! as NonNullable<Asked['action']>[number] }),
  ...(outcome && { outcome: onlyOf(outcome)! }),
  ...(record !== undefined && { resource_type: record as NonNullable<Asked['resource_type']>[number] }),
  ...(id !== undefined && { resource_id: id }),
})

export interface ReviewsSearch {
  outcome?: 'findings' | 'no_findings' | undefined
  page?: number | undefined
}

export function reviewsSearch(given: Record<string, unknown>): ReviewsSearch {
  const page = Number(given.page)
  const outcome = textOf(given.outcome)
  return {
    ...((outcome === 'findings' || outcome === 'no_findings') && { outcome }),
    ...(isPositive(page) && page > 1 && { page }),
  }
}
