import { defineMessages } from './message.ts'

/** Refusals that every module shares. */
export const messages = defineMessages({
  not_authenticated: 'You are not logged in. Log in and try again.',
  permission_required: ({ permission }: { permission: string }) => `You need the permission ${permission}.`,
  /** The setting `admin_may_approve` is off: who administers accounts decides about no record. */
  admin_may_not_approve: 'Admins may not approve in this company.',
  /** The same sentence for a record that does not exist and for one of another tenant (SVC-01). */
  not_found: ({ kind }: { kind: string }) => `${kind} not found`,
  some_not_found: ({ kind, ids, more }: { kind: string; ids: readonly number[]; more: number }) =>
    `${kind}s not found: ${ids.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  no_such_endpoint: 'There is no such page or endpoint.',
  request_timeout: 'The request did not arrive in time. Send it again.',
  range_not_satisfiable: ({ size_bytes }: { size_bytes: number }) =>
    `The file has ${size_bytes} bytes, and the requested range begins behind its end.`,
  /** The code of every 422; its sentences are those of its issues. */
  invalid_input: 'Some values are not valid. Correct them and try again.',
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
    `${number} is ${from} and cannot become ${to}: ${allowed.length > 0 ? `from ${from} it can become ${allowed.join(', ')}` : `${from} is final`}.`,
  conditions_not_met: ({
    number,
    to,
    conditions,
  }: {
    number: string
    to: string
    conditions: readonly string[]
    missing: readonly string[]
  }) => `${number} cannot become ${to} yet. ${conditions.join('. ')}.`,
  sort_not_supported: ({ fields }: { fields: readonly string[] }) =>
    `Sort by one of ${fields.join(', ')}, followed by :asc or :desc.`,
})
