import { useQuery } from '@tanstack/react-query'
import { askPage } from '../../api/queries.ts'
import type { Pick } from '../../records/fields/pick-many.tsx'
import { nameOf } from '../../ui/person.tsx'

const page_size = 20

/** What people may choose from, as far as they have typed it. */
export function usePeopleFound(q: string): Pick[] | undefined {
  const { data } = useQuery(
    askPage('GET /api/users/', { query: { q, is_active: true, page_size, sort: 'full_name:asc' } }),
  )
  return data?.items.map(each => ({ id: each.id, name: nameOf(each), detail: each.role }))
}

export function useGroupsFound(q: string): Pick[] | undefined {
  const { data } = useQuery(askPage('GET /api/groups/', { query: { q, page_size, sort: 'name:asc' } }))
  return data?.items.map(({ id, name, member_count }) => ({ id, name, detail: String(member_count) }))
}

export function useProgramsFound(q: string): Pick[] | undefined {
  const { data } = useQuery(
    askPage('GET /api/training/', { query: { q: q || undefined, status: 'active', page_size, sort: 'number:asc' } }),
  )
  return data?.items.map(({ id, number, title }) => ({ id, name: `${number} ${title}` }))
}
