import { textOf } from '../../app/addresses.ts'

export const disposalStatuses = ['proposed', 'approved', 'completed', 'rejected', 'withdrawn'] as const
export const recordKinds = ['document', 'deviation', 'capa'] as const
export const holdStatuses = ['active', 'lifted'] as const
export const dueSort = 'retention_until:asc'

/** Each list takes what it knows: the script before the first page has room for one check of all three. */
export interface ListSearch {
  q?: string | undefined
  sort?: string | undefined
  status?: string | undefined
  kind?: (typeof recordKinds)[number] | undefined
  page?: number | undefined
}

export function listSearch({ q, sort, status, kind, page }: Record<string, unknown>): ListSearch {
  return {
    q: textOf(q) || undefined,
    sort: /^(retention_until|ended_on|number):(asc|desc)$/.exec(textOf(sort))?.[0],
    status: textOf(status) || undefined,
    kind: recordKinds.find(each => each === kind),
    page: Number(textOf(page)) > 1 ? Math.floor(Number(textOf(page))) : undefined,
  }
}
