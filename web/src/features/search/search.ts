import type { Answer, Query } from '../../api/client.ts'
import { textOf, textsOf } from '../../app/addresses.ts'

export type Kind = Answer<'GET /api/find'>['items'][number]['kind']
export const kinds: Kind[] = ['document', 'deviation', 'capa', 'training_program', 'user']

/** What is looked for, as it stands in the address. */
export interface TextSearch {
  q?: string | undefined
  kind?: Kind[] | undefined
  /** Of documents. */
  status?: string[] | undefined
  /** Of documents. */
  type?: number[] | undefined
  page?: number | undefined
}

const longest = 200
const longestName = 100
export const page_size = 10

const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0

/** What makes no sense is left out. */
export function textSearch(given: Record<string, unknown>): TextSearch {
  const q = textOf(given.q).slice(0, longest)
  const asked = textsOf(given.kind)
  const kind = kinds.filter(each => asked.includes(each))
  const status = textsOf(given.status).filter(each => /^\w{1,40}$/.test(each))
  const type = textsOf(given.type).map(Number).filter(isPositive)
  const page = Number(given.page)
  return {
    ...(q && { q }),
    ...(kind.length > 0 && { kind }),
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

/** The texts of documents are searched unless only other kinds are wanted. */
export const asksTexts = ({ q, kind }: TextSearch) =>
  q !== undefined && (kind === undefined || kind.includes('document'))

/** Other records are found by number and title, beside the first page of texts; what narrows documents leaves them out. */
export const asksRecords = ({ q, kind, status, type, page = 1 }: TextSearch) =>
  q !== undefined &&
  page === 1 &&
  (kind === undefined ? status === undefined && type === undefined : kind.some(each => each !== 'document'))

export const nameOfSearch = ({ q = '' }: TextSearch) => ({ q: q.slice(0, longestName) })
