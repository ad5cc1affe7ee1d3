import { textOf } from '../../app/addresses.ts'

/** The list of forms, as it stands in the address. */
export interface FormsSearch {
  q?: string | undefined
  /** Those that nobody is offered any more. */
  inactive?: true | undefined
  sort?: string | undefined
  page?: number | undefined
}
export const formsSort = 'name:asc'

const positive = (value: unknown) => {
  const number = Number(textOf(value))
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

export function formsSearch(given: Record<string, unknown>): FormsSearch {
  const q = textOf(given.q)
  const sort = textOf(given.sort)
  const page = positive(given.page)
  return {
    ...(q && { q }),
    ...(textOf(given.inactive) === 'true' && { inactive: true as const }),
    ...(/^(name|updated_at):(asc|desc)$/.test(sort) && sort !== formsSort && { sort }),
    ...(page !== undefined && page > 1 && { page }),
  }
}

/** A new form may begin as a copy. */
export interface NewFormSearch {
  from?: number | undefined
}
export function newFormSearch(given: Record<string, unknown>): NewFormSearch {
  const from = positive(given.from)
  return from === undefined ? {} : { from }
}

export const formTabs = ['build', 'preview', 'versions'] as const
export type FormTab = (typeof formTabs)[number]
export interface FormSearch {
  tab?: FormTab | undefined
}
export function formSearch(given: Record<string, unknown>): FormSearch {
  const tab = formTabs.find(each => each === textOf(given.tab))
  return tab === undefined || tab === 'build' ? {} : { tab }
}
