import { textOf } from '../../app/addresses.ts'

/** The list of document types, as it stands in the address. */
export interface TypesSearch {
  q?: string | undefined
  inactive?: true | undefined
  sort?: string | undefined
  page?: number | undefined
}
export const typesSort = 'name:asc'

export function typesSearch(given: Record<string, unknown>): TypesSearch {
  const q = textOf(given.q)
  const sort = textOf(given.sort)
  const page = Number(textOf(given.page))
  return {
    ...(q && { q }),
    ...(textOf(given.inactive) === 'true' && { inactive: true as const }),
    ...(sort === 'name:desc' && { sort }),
    ...(Number.isSafeInteger(page) && page > 1 && { page }),
  }
}
