/** Measures that count events by day. */
export const happening = [
  'documents.created',
  'versions.created',
  'versions.approved',
  'rounds.rejected',
  'reviews.done',
  'deviations.opened.severity',
  'deviations.opened.category',
  'deviations.opened.root_cause',
  'deviations.opened.department',
  'deviations.late',
  'deviations.extended',
  'deviations.closed',
  'deviations.on_time',
  'deviations.moves',
  'capas.opened',
  'capas.extended',
  'capas.closed',
  'capas.on_time',
  'capas.moves',
  'effectiveness.completed',
  'assignments.assigned',
  'assignments.completed',
  'attempts.first',
] as const
export type Happening = (typeof happening)[number]

/** Measures of the current state. Some have a day, on which the record is due or began. */
export const standing = [
  'documents.shown',
  'documents.kind',
  'versions.pending',
  'versions.review_due',
  'deviations.status',
  'deviations.open',
  'deviations.ageing',
  'capas.status',
  'capas.open.priority',
  'capas.open.type',
  'capas.open.source',
  'assignments.open',
] as const
export type Standing = (typeof standing)[number]

/**
 * Measures of what lists are narrowed by. They are apart from those of the current state, because there are as many keys as categories and
 * keywords, and statistics read all keys of their measures.
 */
export const listing = ['documents.listed', 'documents.keyword'] as const
export type Listing = (typeof listing)[number]

/** Everything that records are counted as. */
export type Measure = Happening | Standing | Listing

/** The values of a document that its list is narrowed by: those of the shown version, and the state of one that is under way beside it. */
export interface ListedDocument {
  status_kind: string
  status: string
  pending_status: string | null
  document_type_id: number
  category: string | null
}

/** No state is called so. */
const noState = '-'

/** The category comes last, because it is the only part that may have a space. Migration 0083 wrote the first keys. */
export const listedKey = ({
  status_kind,
  status,
  pending_status,
  document_type_id,
  category,
}: ListedDocument): string =>
  [status_kind, status, pending_status ?? noState, document_type_id, ...(category === null ? [] : [category])].join(' ')

export function readListedKey(key: string): ListedDocument {
  const [status_kind, status, pending, document_type_id, ...category] = key.split(' ')
  return {
    status_kind: status_kind!,
    status: status!,
    pending_status: pending === noState ? null : pending!,
    document_type_id: Number(document_type_id),
    category: category.length === 0 ? null : category.join(' '),
  }
}

export const keywordKey = (status_kind: string, keyword: string): string => `${status_kind} ${keyword}`

export function readKeywordKey(key: string): { status_kind: string; keyword: string } {
  const end = key.indexOf(' ')
  return { status_kind: key.slice(0, end), keyword: key.slice(end + 1) }
}
