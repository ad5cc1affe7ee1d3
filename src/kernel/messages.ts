import { defineMessages } from './message.ts'

/** Refusals that every module shares. */
export const messages = defineMessages({
  not_authenticated: 'Not authenticated',
  permission_missing: 'Not enough permissions',
  /** The same sentence for what does not exist and for what belongs to another tenant (SVC-01). */
  not_found: ({ what }: { what: string }) => `${what} not found`,
  some_not_found: ({ what, ids, more }: { what: string; ids: readonly number[]; more: number }) =>
    `${what}s not found: ${ids.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  no_such_endpoint: 'There is no such page or endpoint',
  request_timeout: 'The request did not arrive in time',
  range_not_satisfiable: ({ size_bytes }: { size_bytes: number }) =>
    `The file has ${size_bytes} bytes, and none of those that are asked for`,
  transition_not_allowed: ({
    number,
    from,
    to,
    allowed,
  }: {
    number: string
    from: string
    to: string
    allowed: readonly string[]
  }) =>
    `${number} is ${from} and cannot become ${to}: ${allowed.length > 0 ? `from ${from} it can become ${allowed.join(', ')}` : `${from} is final`}`,
  conditions_not_met: ({
    number,
    to,
    conditions,
  }: {
    number: string
    to: string
    conditions: readonly string[]
    missing: readonly string[]
  }) => `${number} cannot become ${to} yet: ${conditions.join('; ')}`,
  sort_not_supported: ({ fields }: { fields: readonly string[] }) =>
    `sort takes one of ${fields.join(', ')}, then :asc or :desc`,
})
