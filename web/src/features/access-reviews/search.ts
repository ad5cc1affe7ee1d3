import type { Query } from '../../api/client.ts'
import { textOf } from '../../app/addresses.ts'

type Asked = Query<'GET /api/users/access-review'>

export interface AccountsSearch {
  q?: string | undefined
  role?: string | undefined
  active?: boolean | undefined
  dormant?: true | undefined
  sort?: string | undefined
  page?: number | undefined
}

export const defaultSort = 'username:asc'
export const page_size = 25

const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0

/** Leaves out whatever of an address makes no sense. */
export function accountsSearch(given: Record<string, unknown>): AccountsSearch {
  const q = textOf(given.q).slice(0, 200)
  const role = textOf(given.role).slice(0, 120)
  const active = textOf(given.active)
  const sort = textOf(given.sort)
  const page = Number(given.page)
  return {
    ...(q && { q }),
    ...(role && { role }),
    ...((active === 'true' || active === 'false') && { active: active === 'true' }),
    ...(textOf(given.dormant) === 'true' && { dormant: true as const }),
    ...(/^(username|role|last_login_at):(asc|desc)$/.test(sort) && sort !== defaultSort && { sort }),
    ...(isPositive(page) && page > 1 && { page }),
  }
}

export const isNarrowed = ({ sort, page, ...filters }: AccountsSearch) =>
  Object.values(filters).some(each => each !== undefined)

/** Without the page, the whole list as it is narrowed. */
export const filtersOf = ({ q, role, active, dormant, sort }: AccountsSearch): Asked => ({
  q,
  role,
  is_active: active,
  is_dormant: dormant,
  sort: sort ?? defaultSort,
})

export const queryOf = (search: AccountsSearch): Asked => ({
  ...filtersOf(search),
  page: search.page ?? 1,
  page_size,
})
