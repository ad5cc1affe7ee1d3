import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  service_account_owner_inactive: 'The owner must be an active person. Choose another one.',
  service_account_permission_personal: ({ permissions }: { permissions: readonly string[] }) =>
    `A machine can never hold ${permissions.join(', ')}. Leave that out.`,
  service_account_inactive: ({ username }: { username: string }) =>
    `${username} was deactivated. Create another service account.`,
  service_account_name_taken: 'This user name is taken. Choose another one.',
  api_key_permission_not_of_account: ({ permissions }: { permissions: readonly string[] }) =>
    `The service account does not hold ${permissions.join(', ')}. Grant it to the account first, or leave it out.`,
  api_key_network_invalid: 'Enter an address or a network, such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32.',
  api_key_end_past: 'Choose a moment in the future.',
  api_key_end_too_late: ({ days }: { days: number }) => `A key lasts ${days} days at most. Choose an earlier end.`,
  api_key_limit_reached: ({ maximum }: { maximum: number }) =>
    `A service account has at most ${maximum} live keys. Revoke one that is not used.`,
  api_key_not_live: ({ status }: { status: string }) => `This key is ${status}. Issue a new one.`,
  api_key_already_rotated: 'This key was rotated already. Rotate the key that replaced it.',
  api_key_already_revoked: 'This key was revoked already.',
  api_key_notice_not_due: 'No notice about this key is due.',
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_key_rotated: 'Rotated without an overlap',
  reason_key_revoked_by_admin: 'Revoked by an Admin',
  reason_key_of_deactivated_account: 'Revoked with its service account',
})
