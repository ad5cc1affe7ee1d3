import type { Actor } from '#action'
import { type AppError, conflict, forbidden, invalidField } from '#kernel/errors.ts'
import { messages } from './messages.ts'
import type { obstacles } from './schema.ts'

export interface Candidate {
  number: string
  version: string
  retention_until: string | null
  obstacle: (typeof obstacles)[number] | null
  holds: readonly { number: string }[]
  disposal: { id: number; number: string } | null
  is_disposed: boolean
}

export const nameOf = ({ number, version }: Pick<Candidate, 'number' | 'version'>) => `${number} ${version}`

/**
 * Why a version may not be disposed of today; undefined if nothing speaks against it. `within`: the disposal that lists it already.
 */
export function obstacleTo(candidate: Candidate, today: string, within?: number) {
  const title = nameOf(candidate)
  const { retention_until, obstacle, holds, disposal, is_disposed } = candidate
  if (is_disposed) return messages.disposal_done_already({ title, number: disposal!.number })
  if (disposal && disposal.id !== within) return messages.disposal_proposed_already({ title, number: disposal.number })
  if (obstacle === 'on_hold')
    return messages.disposal_on_hold({ title, number: holds.map(({ number }) => number).join(', ') })
  if (obstacle === 'in_use') return messages.disposal_of_version_in_use({ title })
  if (obstacle === 'referenced') return messages.disposal_of_referenced({ title })
  if (obstacle === 'copies_out') return messages.disposal_with_copies_out({ title })
  if (obstacle === 'removal_requested') return messages.disposal_with_removal_requested({ title })
  if (retention_until === null) return messages.disposal_without_retention({ title })
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

/** The same version twice would be disposed of once. */
export function requireDistinct(versions: readonly { document_id: number; version: string }[]) {
  const keys = versions.map(({ document_id, version }) => `${document_id} ${version}`)
  const place = keys.findIndex((key, i) => keys.indexOf(key) < i)
  if (place >= 0) throw invalidField(`versions.${place}`, messages.disposal_names_version_twice())
}
