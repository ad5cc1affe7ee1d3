import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  /** `changes`: the newest entries of the audit trail since then, newest first; `changed_by` and `changed_at` are of the first of them. */
  stale_revision: ({
    expected,
    current,
    changes,
  }: {
    expected: number
    current: number
    changed_by: string | null
    changed_at: string | null
    changes: readonly string[]
  }) =>
    `Your change is based on revision ${expected}, and the record is at revision ${current}. ${changes.length > 0 ? `Changed since: ${changes.join('; ')}. ` : ''}Reload it and try again.`,
  temporary_password: 'Your password is temporary. Change it first, at POST /api/auth/change-password.',
  platform_second_factor_missing:
    'A platform user needs a second factor. Enrol one first, at POST /api/auth/totp/enroll.',
  file_removed: ({
    removed_at,
    requested_by,
    decided_by,
    reason,
  }: {
    removed_at: string
    requested_by: string
    decided_by: string
    reason: string
  }) =>
    `The content of this file was removed on ${removed_at.slice(0, 10)} by ${requested_by} and ${decided_by} because: ${reason}. Its hash, its size and the record stay.`,
  file_disposed: ({
    removed_at,
    requested_by,
    decided_by,
    number,
  }: {
    removed_at: string
    requested_by: string
    decided_by: string
    number: string
  }) =>
    `The content of this file was disposed of on ${removed_at.slice(0, 10)} by ${requested_by} and ${decided_by} after its retention period, record of disposal ${number}. Its hash, its size and the record stay.`,
  idempotency_key_used: 'Another request was sent with this Idempotency-Key. Send each request with a key of its own.',
  idempotency_key_in_use: 'The request with this Idempotency-Key is still in progress. Send it again in a moment.',
  conflicting_change: 'Someone saved a conflicting change at the same time. Reload and try again.',
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_file_damaged: 'The stored file is missing, or differs from the one that was stored',
  /** `about` is the record with its id, or the action. `refusal` is the sentence of the refusal, or the permission that is missing. */
  reason_access_denied: ({ about, refusal }: { about: string; refusal: string }) => `${about}: ${refusal}`,
})
