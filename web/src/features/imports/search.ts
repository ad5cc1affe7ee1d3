import { textOf, textsOf } from '../../app/addresses.ts'

/** Of the list of imports and of one of them. It comes with the first page, so what the words may be is known to the pages alone (`names.ts`). */
export interface ImportSearch {
  q?: string | undefined
  /** Of imports, or of rows. Without it, rows with findings, if there are any; `all` is every row. */
  status?: string[] | undefined
  page?: number | undefined
  /** Without it, the step that is next. */
  step?: string | undefined
  sheet?: string | undefined
  /** The row that is open. */
  row?: number | undefined
}

const numberIn = (value: unknown) => (/^[1-9]\d{0,14}$/.test(textOf(value)) ? Number(textOf(value)) : undefined)

export function importSearch(given: Record<string, unknown>): ImportSearch {
  const status = textsOf(given.status)
  return {
    q: textOf(given.q).slice(0, 200) || undefined,
    status: status.length > 0 ? status : undefined,
    page: numberIn(given.page),
    step: textOf(given.step) || undefined,
    sheet: textOf(given.sheet) || undefined,
    row: numberIn(given.row),
  }
}
