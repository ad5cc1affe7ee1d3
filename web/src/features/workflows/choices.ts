import { useQuery } from '@tanstack/react-query'
import type { Answer } from '../../api/client.ts'
import { ask, askAll, askPage } from '../../api/queries.ts'
import type { Pick } from '../../records/fields/pick-many.tsx'
import { nameOf } from '../../ui/person.tsx'
import { useMe } from '../session/session.ts'

export type Template = Answer<'GET /api/workflow-templates/{id}'>

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
const proposedChanges = askAll('GET /api/configuration-changes/', {
  query: { kind: 'workflow_template', status: 'pending' },
})

export const templateOf = (id: number) => ask('GET /api/workflow-templates/{id}', { path: { id } })

/** The changes of workflows that wait for approval, as far as one may read them. */
export function useProposed() {
  const { permissions } = useMe()
  const { data } = useQuery({ ...proposedChanges, enabled: permissions.includes('configuration_changes.read') })
  return data ?? []
}

/** The document types that may use a workflow. */
export function useTypesOf() {
  const { permissions } = useMe()
  const { data } = useQuery({ ...documentTypes, enabled: permissions.includes('document_types.read') })
  return (id: number) =>
    (data ?? []).filter(type => type.is_active && type.workflow_templates.some(each => each.id === id))
}

/** How many documents under way follow a workflow, as far as the versions that are listed first say. */
export function useUnderWay(id: number | undefined) {
  const { data } = useQuery({
    ...askPage('GET /api/workflow-templates/{id}/versions', { path: { id: id ?? 0 }, query: { page_size: 20 } }),
    enabled: id !== undefined,
  })
  return data?.items.reduce((sum, each) => sum + each.documents_under_way, 0)
}
