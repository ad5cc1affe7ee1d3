import { textOf, textsOf } from '../../app/addresses.ts'

export const batchStatuses = [
  ...(['staging', 'checking', 'checked', 'rehearsing', 'rehearsed', 'accepted', 'loading'] as const),
  ...(['failed', 'reconciling', 'loaded', 'released', 'discarded'] as const),
] as const
export type BatchStatus = (typeof batchStatuses)[number]

export const rowStatuses = ['error', 'warning', 'ok', 'new', 'loaded', 'verified', 'differs'] as const
export type RowStatus = (typeof rowStatuses)[number]

export const sheetNames = [
  ...(['users', 'groups', 'members', 'documents', 'versions', 'approvals', 'curricula', 'training'] as const),
  ...(['deviations', 'capas', 'links'] as const),
] as const
export type SheetName = (typeof sheetNames)[number]

export const stepNames = ['describe', 'files', 'columns', 'check', 'rehearse', 'sample', 'accept', 'release'] as const
export type StepName = (typeof stepNames)[number]

const numberIn = (value: unknown, least: number) => {
  const number = Number(textOf(value))
  return Number.isSafeInteger(number) && number >= least ? number : undefined
}
const wordsIn = (value: unknown) => textOf(value).slice(0, 200) || undefined

export interface ImportsSearch {
  q?: string | undefined
  status?: BatchStatus[] | undefined
  page?: number | undefined
}

export function importsSearch(given: Record<string, unknown>): ImportsSearch {
  const chosen = textsOf(given.status)
  const status = batchStatuses.filter(each => chosen.includes(each))
  return {
    q: wordsIn(given.q),
    status: status.length > 0 ? status : undefined,
    page: numberIn(given.page, 2),
  }
}

export interface ImportSearch {
  /** Without it, the step that is next. */
  step?: StepName | undefined
  sheet?: SheetName | undefined
  /** Which rows are in sight. Without it, those with findings, if there are any; `all` is every row. */
  status?: (RowStatus | 'all')[] | undefined
  q?: string | undefined
  page?: number | undefined
  /** The row that is open. */
  row?: number | undefined
}

export function importSearch(given: Record<string, unknown>): ImportSearch {
  const chosen = textsOf(given.status)
  const status = (['all', ...rowStatuses] as const).filter(each => chosen.includes(each))
  return {
    step: stepNames.find(each => each === textOf(given.step)),
    sheet: sheetNames.find(each => each === textOf(given.sheet)),
    status: status.length > 0 ? status : undefined,
    q: wordsIn(given.q),
    page: numberIn(given.page, 2),
    row: numberIn(given.row, 1),
  }
}
