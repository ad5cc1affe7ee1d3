import type { Query } from '../../../api/client.ts'
import { readSearch, textOf, textsOf, writeSearch } from '../../../app/addresses.ts'

type Asked = Query<'GET /api/users/'>
export const invitations = ['queued', 'sent', 'accepted', 'ended'] as const
export type Invitation = (typeof invitations)[number]
export const sources = ['password', 'provider'] as const
type Source = (typeof sources)[number]

export interface UsersSearch {
  q?: string | undefined
  role?: string[] | undefined
  active?: boolean | undefined
  invitation?: Invitation[] | undefined
  locked?: true | undefined
  withoutSecondFactor?: true | undefined
  source?: Source | undefined
  sort?: string | undefined
  page?: number | undefined
}

export const defaultSort = 'full_name:asc'
export const page_size = 25

const sortable = /^(username|full_name|email|role|is_active|last_login_at|created_at):(asc|desc)$/
const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0

/** Leaves out whatever of an address makes no sense. */
export function usersSearch(given: Record<string, unknown>): UsersSearch {
  const q = textOf(given.q).slice(0, 200)
  const role = textsOf(given.role).map(each => each.slice(0, 80))
  const active = textOf(given.active)
  const asked = textsOf(given.invitation)
  const invitation = invitations.filter(each => asked.includes(each))
  const source = sources.find(each => each === given.source)
  const sort = textOf(given.sort)
  const page = Number(given.page)
  return {
    ...(q && { q }),
    ...(role.length > 0 && { role }),
    ...((active === 'true' || active === 'false') && { active: active === 'true' }),
    ...(invitation.length > 0 && { invitation }),
    ...(textOf(given.locked) === 'true' && { locked: true as const }),
    ...(textOf(given.withoutSecondFactor) === 'true' && { withoutSecondFactor: true as const }),
    ...(source && { source }),
    ...(sortable.test(sort) && sort !== defaultSort && { sort }),
    ...(isPositive(page) && page > 1 && { page }),
  }
}

/** The list as a view keeps it: without the page, and always written alike. */
export const viewOf = (search: UsersSearch) =>
  writeSearch({ ...usersSearch(search as Record<string, unknown>), page: undefined })
export const searchOfView = (view: string) => usersSearch(readSearch(view))

export const isNarrowed = ({ sort, page, ...filters }: UsersSearch) =>
  Object.values(filters).some(each => each !== undefined && each.toString() !== '')

/** Without the page, the whole list as it is narrowed. */
export const filtersOf = ({ q, role, active, invitation, locked, withoutSecondFactor, source, sort }: UsersSearch) =>
  ({
    q,
    role,
    is_active: active,
    invitation,
    is_locked: locked,
    without_second_factor: withoutSecondFactor,
    source,
    sort: sort ?? defaultSort,
  }) satisfies Asked

export const queryOf = (search: UsersSearch): Asked => ({ ...filtersOf(search), page: search.page ?? 1, page_size })

export const userTabs = ['permissions', 'login', 'work', 'groups'] as const
export type UserTab = (typeof userTabs)[number]

export interface UserSearch {
  tab?: UserTab | undefined
}

export function userSearch({ tab }: Record<string, unknown>): UserSearch {
  const known = userTabs.find(each => each === tab)
  return known && known !== userTabs[0] ? { tab: known } : {}
}
