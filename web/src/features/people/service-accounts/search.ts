import type { Query } from '../../../api/client.ts'
import { textOf } from '../../../app/addresses.ts'

export interface AccountsSearch {
  q?: string | undefined
  active?: boolean | undefined
  sort?: string | undefined
  page?: number | undefined
}

export const defaultSort = 'username:asc'
export const page_size = 25

/** Leaves out whatever of an address makes no sense. */
export function accountsSearch(given: Record<string, unknown>): AccountsSearch {
  const q = textOf(given.q).slice(0, 200)
  const active = textOf(given.active)
  const sort = textOf(given.sort)
  const page = Number(given.page)
  return {
    ...(q && { q }),
    ...((active === 'true' || active === 'false') && { active: active === 'true' }),
    ...(/^(username|full_name|created_at|updated_at):(asc|desc)$/.test(sort) && sort !== defaultSort && { sort }),
    ...(Number.isSafeInteger(page) && page > 1 && { page }),
  }
}

export const isNarrowed = ({ q, active }: AccountsSearch) => q !== undefined || active !== undefined

export const filtersOf = ({ q, active, sort }: AccountsSearch) =>
  ({ q, is_active: active, sort: sort ?? defaultSort }) satisfies Query<'GET /api/service-accounts/'>
