import type { Query } from '../../../api/client.ts'
import { textOf, textsOf } from '../../../app/addresses.ts'

export const groupTypes = ['job_function', 'department', 'site', 'project', 'custom'] as const
export type GroupType = (typeof groupTypes)[number]

export interface GroupsSearch {
  q?: string | undefined
  type?: GroupType[] | undefined
  sort?: string | undefined
  page?: number | undefined
}

export const defaultSort = 'name:asc'
export const page_size = 25

const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0

/** Leaves out whatever of an address makes no sense. */
export function groupsSearch(given: Record<string, unknown>): GroupsSearch {
  const q = textOf(given.q).slice(0, 200)
  const asked = textsOf(given.type)
  const type = groupTypes.filter(each => asked.includes(each))
  const sort = textOf(given.sort)
  const page = Number(given.page)
  return {
    ...(q && { q }),
    ...(type.length > 0 && { type }),
    ...(/^(name|group_type|member_count|updated_at):(asc|desc)$/.test(sort) && sort !== defaultSort && { sort }),
    ...(isPositive(page) && page > 1 && { page }),
  }
}

export const isNarrowed = ({ q, type }: GroupsSearch) => q !== undefined || (type !== undefined && type.length > 0)

export const filtersOf = ({ q, type, sort }: GroupsSearch) =>
  ({ q, group_type: type, sort: sort ?? defaultSort }) satisfies Query<'GET /api/groups/'>
