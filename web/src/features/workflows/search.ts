import { textOf } from '../../app/addresses.ts'

export interface WorkflowsSearch {
  q?: string | undefined
  sort?: string | undefined
  page?: number | undefined
}
export const workflowsSort = 'name:asc'

const positive = (value: unknown) => {
  const number = Number(value)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

const sorts = ['name:asc', 'name:desc', 'updated_at:asc', 'updated_at:desc']

export function workflowsSearch(given: Record<string, unknown>): WorkflowsSearch {
  const sort = sorts.find(each => each === textOf(given.sort) && each !== workflowsSort)
  const page = positive(given.page)
  const q = textOf(given.q)
  return { ...(q && { q }), ...(sort && { sort }), ...(page !== undefined && page > 1 && { page }) }
}

export const tabs = ['design', 'try', 'versions'] as const
export type WorkflowTab = (typeof tabs)[number]

/** The part of a workflow that is shown; the first one is not said. */
export const workflowSearch = (given: Record<string, unknown>): { tab?: WorkflowTab | undefined } => {
  const tab = tabs.find(each => each === textOf(given.tab) && each !== 'design')
  return tab ? { tab } : {}
}

/** The workflow that a new one begins from. */
export const newWorkflowSearch = (given: Record<string, unknown>): { from?: number | undefined } => {
  const from = positive(given.from)
  return from === undefined ? {} : { from }
}
