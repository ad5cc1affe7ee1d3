import type { Actor, ConfigurationKind, ConfigurationOperation } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { type AppError, conflict, forbidden, permissionRequired } from '#kernel/errors.ts'
import { type Changes, changesBetween } from '#modules/audit'
import { digest } from '#platform/crypto/canonical.ts'
import { messages } from './messages.ts'

export const numberOf = (id: number) => `Configuration change ${id}`

/** The parameters and the body of the request that an approval applies. */
export interface StoredRequest {
  params?: { id: number }
  body?: object
}

/** What is approved. A later program must compute the same digest of it. */
export interface Proposal {
  kind: ConfigurationKind
  operation: ConfigurationOperation
  title: string
  base_revision: number | null
  reason: string | null
  request: StoredRequest
  changes: Changes
}

export const digestOf = ({ kind, operation, title, base_revision, reason, request, changes }: Proposal) =>
  digest({ kind, operation, title, base_revision, reason, request, changes })

/** Every new record has these, and they say nothing of what changes. */
const unstated = ['id', 'revision']

/** The old and the new value of each field, as the audit trail states them and as JSON keeps them. */
export function statedChanges(before: object | undefined, after: object | undefined): Changes {
  const changes = Object.entries(changesBetween(before, after)).filter(([field]) => !unstated.includes(field))
  return JSON.parse(JSON.stringify(Object.fromEntries(changes)))
}

interface Decidable {
  id: number
  status: string
  proposed_by: { id: number }
}

/** Why the actor cannot approve or reject the change. `permission` is that of changing the record directly. */
export function decisionRefusal(
  actor: Pick<Actor, 'userId' | 'permissions'>,
  { id, status, proposed_by }: Decidable,
  permission: Permission,
): AppError | undefined {
  const record = { id, number: numberOf(id) }
  if (!actor.permissions.has(permission)) return permissionRequired(permission, record)
  if (proposed_by.id === actor.userId) return forbidden(messages.configuration_change_own(), record)
  return status === 'pending' ? undefined : conflict(messages.configuration_change_decided({ ...record, status }))
}

export function withdrawalRefusal(
  { userId }: Pick<Actor, 'userId'>,
  { id, status, proposed_by }: Decidable,
): AppError | undefined {
  const record = { id, number: numberOf(id) }
  if (proposed_by.id !== userId) return forbidden(messages.configuration_change_not_own(), record)
  return status === 'pending' ? undefined : conflict(messages.configuration_change_decided({ ...record, status }))
}
