import type { Query } from '../../api/client.ts'
import { textOf, textsOf } from '../../app/addresses.ts'

/** What is looked for in the text of documents, as it stands in the address. */
export interface TextSearch {
  q?: string | undefined
  status?: string[] | undefined
  type?: number[] | undefined
  page?: number | undefined
}

const longest = 200
export const page_size = 10

const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0

/** What makes no sense is left out. */
export function textSearch(given: Record<string, unknown>): TextSearch {
  const q = textOf(given.q).slice(0, longest)
  const status = textsOf(given.status).filter(each => /^\w{1,40}$/.test(each))
  const type = textsOf(given.type).map(Number).filter(isPositive)
  const page = Number(given.page)
  return {
    ...(q && { q }),
    ...(status.length > 0 && { status }),
    ...(type.length > 0 && { type }),
    ...(isPositive(page) && page > 1 && { page }),
  }
}

export const askedOf = ({ q = '', status, type, page = 1 }: TextSearch): Query<'GET /api/search/'> & { q: string } => ({
  q,
  status,
  document_type: type,
  page,
  page_size,
})
