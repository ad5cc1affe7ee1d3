import { textOf } from '../../app/addresses.ts'

/** The list of content templates, as it stands in the address. */
export interface TemplatesSearch {
  q?: string | undefined
  deleted?: true | undefined
  sort?: string | undefined
  page?: number | undefined
}
export const templatesSort = 'name:asc'

export function templatesSearch(given: Record<string, unknown>): TemplatesSearch {
  const q = textOf(given.q)
  const sort = textOf(given.sort)
  const page = Number(textOf(given.page))
  return {
    ...(q && { q }),
    ...(textOf(given.deleted) === 'true' && { deleted: true as const }),
    ...(/^(name|category|updated_at):(asc|desc)$/.test(sort) && sort !== templatesSort && { sort }),
    ...(Number.isSafeInteger(page) && page > 1 && { page }),
  }
}

export interface TemplateSearch {
  tab?: 'versions' | undefined
}
export const templateSearch = (given: Record<string, unknown>): TemplateSearch =>
  textOf(given.tab) === 'versions' ? { tab: 'versions' } : {}
