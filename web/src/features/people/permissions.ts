import { useQuery } from '@tanstack/react-query'
import type { Answer, Given } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { useLanguage } from '../../words/index.ts'
import { german } from './permissions.de.ts'

type Body = Given<'PUT /api/users/{id}/permissions'>['body']
export type AnyPermission = Body['granted'][number]
/** One that can be granted and denied. The one that everybody holds is listed, and never sent. */
export type Permission = Body['denied'][number]
type Listed = Answer<'GET /api/permissions/'>['items'][number]
export type Area = Listed['area']

export interface KnownPermission extends Omit<Listed, 'name'> {
  name: Permission
}

/** All permissions of the company in their order, each with its sentence in the language of the page. The service says them in English. */
export function usePermissions() {
  const language = useLanguage()
  const { data, error, refetch } = useQuery(ask('GET /api/permissions/', {}))
  const permissions = data?.items.map(
    (each): KnownPermission => ({
      ...each,
      name: each.name as Permission,
      description: (language === 'de' && german[each.name as AnyPermission]) || each.description,
    }),
  )
  return { permissions, error, refetch }
}

/** The sentence of a permission; its name for one that these pages do not know. */
export function useSentences() {
  const { permissions } = usePermissions()
  return (name: string) => permissions?.find(each => each.name === name)?.description ?? name
}

export const byArea = <T extends { area: Area }>(items: readonly T[]): { area: Area; items: T[] }[] => {
  const areas = [...new Set(items.map(({ area }) => area))]
  return areas.map(area => ({ area, items: items.filter(each => each.area === area) }))
}
