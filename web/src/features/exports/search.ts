import { textOf } from '../../app/addresses.ts'

export interface ExportsSearch {
  page?: number | undefined
}

/** What an address of the list of exports asks for; what makes no sense in it is left out. */
export function exportsSearch(given: Record<string, unknown>): ExportsSearch {
  const page = Number(textOf(given.page))
  return Number.isSafeInteger(page) && page > 1 ? { page } : {}
}
