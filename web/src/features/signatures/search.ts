import type { Query } from '../../api/client.ts'
import { textOf } from '../../app/addresses.ts'

type Asked = Query<'GET /api/signatures/'>
type Kind = NonNullable<Asked['resource_type']>
type Meaning = NonNullable<Asked['signature_type']>

export const kinds = [
  ...(['document', 'deviation', 'capa', 'effectiveness_review', 'training_assignment'] as const),
  ...([
    'audit_review',
    'configuration_change',
    'access_review',
    'file_removal',
    'migration_batch',
    'disposal',
    'legal_hold',
  ] as const),
] satisfies Kind[]
export const meanings = [
  ...(['authorship', 'review', 'approval', 'rejection', 'verification', 'acknowledgement', 'release'] as const),
  ...(['training', 'effectiveness', 'closure', 'obsolescence', 'witness', 'withdrawal', 'file_removal'] as const),
  ...(['disposal', 'hold_lifting'] as const),
] satisfies Meaning[]

export interface SignaturesSearch {
  q?: string | undefined
  kind?: Kind | undefined
  /** Of one record of that kind. */
  id?: number | undefined
  meaning?: Meaning | undefined
  signer?: number | undefined
  void?: boolean | undefined
  sort?: string | undefined
  page?: number | undefined
}

export const defaultSort = 'signed_at:desc'
export const page_size = 25

const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0
const knownIn = <T extends string>(value: unknown, known: readonly T[]) => known.find(each => each === value)

/** Leaves out whatever of an address makes no sense. */
export function signaturesSearch(given: Record<string, unknown>): SignaturesSearch {
  const q = textOf(given.q).slice(0, 200)
  const kind = knownIn(given.kind, kinds)
  const meaning = knownIn(given.meaning, meanings)
  const id = Number(given.id)
  const signer = Number(given.signer)
  const page = Number(given.page)
  const isVoid = textOf(given.void)
  return {
    ...(q && { q }),
    ...(kind && { kind, ...(isPositive(id) && { id }) }),
    ...(meaning && { meaning }),
    ...(isPositive(signer) && { signer }),
    ...((isVoid === 'true' || isVoid === 'false') && { void: isVoid === 'true' }),
    ...(given.sort === 'signed_at:asc' && { sort: 'signed_at:asc' }),
    ...(isPositive(page) && page > 1 && { page }),
  }
}

export const isNarrowed = ({ sort, page, ...filters }: SignaturesSearch) =>
  Object.values(filters).some(each => each !== undefined)

export const queryOf = (search: SignaturesSearch): Asked => ({
  q: search.q,
  resource_type: search.kind,
  resource_id: search.id,
  signature_type: search.meaning,
  signer_id: search.signer,
  is_void: search.void,
  sort: search.sort ?? defaultSort,
  page: search.page ?? 1,
  page_size,
})

/** A code as the service takes it, whatever stands between its groups; undefined if it is none. */
export function codeOf(text: string): string | undefined {
  const digits = text.replaceAll(/[\s\-–—]/g, '').toUpperCase()
  return /^[0-9A-F]{16}$/.test(digits) ? digits.match(/.{4}/g)!.join('-') : undefined
}

export interface VerifySearch {
  code?: string | undefined
}

export const verifySearch = (given: Record<string, unknown>): VerifySearch => {
  const code = codeOf(textOf(given.code))
  return code === undefined ? {} : { code }
}
