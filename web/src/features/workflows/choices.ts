import { useQuery } from '@tanstack/react-query'
import { ask, askAll, askPage } from '../../api/queries.ts'
import type { Pick } from '../../records/pick-many.tsx'
import { nameOf } from '../../ui/person.tsx'

const rarely = 5 * 60_000

/** The roles and groups of the company. They are few, so that all of them can be chosen from. */
export function useRoles() {
  const { data } = useQuery({ ...askAll('GET /api/roles/', { query: { sort: 'name:asc' } }), staleTime: rarely })
  return (data ?? []).map(({ name }) => ({ id: name, name }))
}

export function useGroups() {
  const { data } = useQuery({ ...askAll('GET /api/groups/', { query: { sort: 'name:asc' } }), staleTime: rarely })
  return (data ?? []).map(({ id, name }) => ({ id: String(id), name }))
}

export function usePeopleFound(q: string): Pick[] | undefined {
  const { data } = useQuery(
    askPage('GET /api/users/', { query: { q, is_active: true, page_size: 20, sort: 'full_name:asc' } }),
  )
  return data?.items.map(each => ({ id: each.id, name: nameOf(each), detail: each.role }))
}

/** The document types, each with the workflows that its documents may use. */
export const documentTypes = askAll('GET /api/document-types/', { query: { sort: 'name:asc' } })

/** The changes of workflows that wait for another person. */
export const proposedChanges = askAll('GET /api/configuration-changes/', {
  query: { kind: 'workflow_template', status: 'pending' },
})

export const templateOf = (id: number) => ask('GET /api/workflow-templates/{id}', { path: { id } })
