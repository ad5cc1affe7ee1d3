import type { Actor } from '#action'
import { type AppError, conflict, forbidden } from '#kernel/errors.ts'
import { messages } from './messages.ts'

export const numberOf = (id: number) => `File removal ${id}`

/** The name of the file for a sentence: `SOP-0001 1.0`, or `DEV-2026-0001, attachment 7`. */
export const titleOf = ({
  resource_number,
  version,
  attachment_id,
}: {
  resource_number: string
  version: string | null
  attachment_id: number | null
}) => (version === null ? `${resource_number}, attachment ${attachment_id}` : `${resource_number} ${version}`)

interface Decidable {
  id: number
  status: string
  requested_by: { id: number }
}

export function decisionRefusal(
  { userId }: Pick<Actor, 'userId'>,
  { id, status, requested_by }: Decidable,
): AppError | undefined {
  const number = numberOf(id)
  if (requested_by.id === userId) return forbidden(messages.file_removal_own(), { id, number })
  return status === 'requested' ? undefined : conflict(messages.file_removal_decided({ number, status }))
}

export function withdrawalRefusal(
  { userId }: Pick<Actor, 'userId'>,
  { id, status, requested_by }: Decidable,
): AppError | undefined {
  const number = numberOf(id)
  if (requested_by.id !== userId) return forbidden(messages.file_removal_not_own(), { id, number })
  return status === 'requested' ? undefined : conflict(messages.file_removal_decided({ number, status }))
}

/** People review or work by the file of such a version. */
export function versionRefusal(title: string, status_kind: string): AppError | undefined {
  if (status_kind === 'effective') return conflict(messages.file_removal_of_effective({ title }))
  if (status_kind === 'review') return conflict(messages.file_removal_in_review({ title }))
  return undefined
}
