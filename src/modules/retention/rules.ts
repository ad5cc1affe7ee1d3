import type { Actor } from '#action'
import { type AppError, conflict, forbidden, invalidField } from '#kernel/errors.ts'
import { messages } from './messages.ts'
import { type DisposalProposal, mostRecords, type obstacles, type RecordKind } from './schema.ts'

export interface Candidate {
  kind: RecordKind
  number: string
  version: string | null
  retention_until: string | null
  obstacle: (typeof obstacles)[number] | null
  holds: readonly { number: string }[]
  disposal: { id: number; number: string } | null
  is_disposed: boolean
}

export const nameOf = ({ number, version }: Pick<Candidate, 'number' | 'version'>) =>
  version === null ? number : `${number} ${version}`

/** The object of the signed statement: a deviation or a CAPA loses its files alone. */
export const inWords = (records: readonly Pick<Candidate, 'kind'>[]) => {
  const counted = records.length === 1 ? 'one record' : `${records.length} records`
  return records.every(({ kind }) => kind === 'document') ? counted : `the files of ${counted}`
}

/**
 * Why a record may not be disposed of today; undefined if nothing speaks against it. `within`: the disposal that lists it already.
 */
export function obstacleTo(candidate: Candidate, today: string, within?: number) {
  const title = nameOf(candidate)
  const { kind, retention_until, obstacle, holds, disposal, is_disposed } = candidate
  const isCase = kind !== 'document'
  if (is_disposed) return messages.disposal_done_already({ title, number: disposal!.number })
  if (disposal && disposal.id !== within) return messages.disposal_proposed_already({ title, number: disposal.number })
  if (obstacle === 'on_hold')
    return messages.disposal_on_hold({ title, number: holds.map(({ number }) => number).join(', ') })
  if (obstacle === 'in_use')
    return isCase ? messages.disposal_of_open_record({ title }) : messages.disposal_of_version_in_use({ title })
  if (obstacle === 'referenced')
    return isCase ? messages.disposal_with_open_link({ title }) : messages.disposal_of_referenced({ title })
  if (obstacle === 'copies_out') return messages.disposal_with_copies_out({ title })
  if (obstacle === 'removal_requested') return messages.disposal_with_removal_requested({ title })
  if (obstacle === 'no_files') return messages.disposal_without_files({ title })
  if (retention_until === null)
    return isCase ? messages.disposal_without_period({ title }) : messages.disposal_without_retention({ title })
  if (retention_until >= today) return messages.disposal_before_retention_day({ title, retention_until })
  return undefined
}

interface Decidable {
  id: number
  number: string
  status: string
  proposed_by: { id: number }
}

export function decisionRefusal(
  { userId }: Pick<Actor, 'userId'>,
  { id, number, status, proposed_by }: Decidable,
): AppError | undefined {
  if (proposed_by.id === userId) return forbidden(messages.disposal_own(), { id, number })
  return status === 'proposed' ? undefined : conflict(messages.disposal_decided({ number, status }))
}

export function withdrawalRefusal(
  { userId }: Pick<Actor, 'userId'>,
  { id, number, status, proposed_by }: Decidable,
): AppError | undefined {
  if (proposed_by.id !== userId) return forbidden(messages.disposal_not_own(), { id, number })
  return status === 'proposed' ? undefined : conflict(messages.disposal_decided({ number, status }))
}

export function liftingRefusal(
  { userId }: Pick<Actor, 'userId'>,
  { id, number, status, placed_by }: { id: number; number: string; status: string; placed_by: { id: number } },
): AppError | undefined {
  if (status !== 'active') return conflict(messages.legal_hold_lifted_already({ number }))
  return placed_by.id === userId ? forbidden(messages.legal_hold_own(), { id, number }) : undefined
}

const scopes = [
  'document_id',
  'deviation_id',
  'capa_id',
  'document_type_id',
  'record_kind',
  'affected_item',
  'department',
] as const

/** A hold names one thing. */
export function requireOneScope(body: Partial<Record<(typeof scopes)[number], unknown>>) {
  const given = scopes.filter(name => body[name] !== undefined)
  if (given.length !== 1) throw invalidField(given[1] ?? 'document_id', messages.legal_hold_one_scope())
}

/** The same record twice would be disposed of once. */
export function requireDistinct({ versions = [], deviation_ids = [], capa_ids = [] }: DisposalProposal) {
  const lists = {
    versions: versions.map(({ document_id, version }) => `${document_id} ${version}`),
    deviation_ids: deviation_ids.map(String),
    capa_ids: capa_ids.map(String),
  }
  for (const [field, keys] of Object.entries(lists)) {
    const place = keys.findIndex((key, i) => keys.indexOf(key) < i)
    if (place >= 0) throw invalidField(`${field}.${place}`, messages.disposal_names_record_twice())
  }
  const total = versions.length + deviation_ids.length + capa_ids.length
  if (total === 0) throw invalidField('versions', messages.disposal_names_nothing())
  if (total > mostRecords) throw invalidField('versions', messages.disposal_names_too_many({ most: mostRecords }))
}
