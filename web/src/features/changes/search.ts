import { textOf } from '../../app/addresses.ts'

export const statuses = ['pending', 'approved', 'rejected', 'withdrawn', 'outdated'] as const
export const kinds = ['workflow_template', 'form_template', 'role', 'document_type', 'settings'] as const

export interface ChangesSearch {
  status?: (typeof statuses)[number] | undefined
  kind?: (typeof kinds)[number] | undefined
  sort?: string | undefined
  page?: number | undefined
}
export const changesSort = 'proposed_at:desc'

const sorts = ['proposed_at:asc', 'decided_at:asc', 'decided_at:desc']

export function changesSearch(given: Record<string, unknown>): ChangesSearch {
  const status = statuses.find(each => each === textOf(given.status))
  const kind = kinds.find(each => each === textOf(given.kind))
  const sort = sorts.find(each => each === textOf(given.sort))
  const page = Number(textOf(given.page))
  return {
    ...(status && { status }),
    ...(kind && { kind }),
    ...(sort && { sort }),
    ...(Number.isSafeInteger(page) && page > 1 && { page }),
  }
}
