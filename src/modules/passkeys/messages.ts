import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  passkeys_not_set_up: 'Passkeys are not set up here. Ask an operator to set PUBLIC_URL.',
  passkey_refused: 'This passkey was not accepted. Begin the registration again.',
  passkey_too_many: ({ most }: { most: number }) => `You already have ${most} passkeys. Revoke one first.`,
  passkey_password_temporary: 'Your password is temporary. Change it before you register a passkey.',
  passkey_identity_reset:
    'Your password was reset, so another person must verify your identity before you register a passkey. Ask an Admin or a QA Manager who neither created nor reset your account.',
  passkey_none_to_sign: 'You have no passkey that you can sign with here. Register one first.',
  passkey_none_device_bound:
    'Your passkeys can be copied between devices, and only passkeys that stay on their device sign here. Register one on a security key.',
  passkey_proof_refused: 'Your passkey did not confirm this. Begin to sign again.',
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_passkey_unknown: 'The passkey is unknown',
  reason_passkey_revoked: 'The passkey is revoked',
  reason_passkey_altered: 'The stored passkey was altered',
  reason_passkey_other_account: 'The passkey names another account',
  reason_passkey_challenge: 'The passkey answered a challenge that is unknown, too old, or was answered before',
  reason_passkey_not_verified: ({ why }: { why: string }) => `The answer of the passkey does not verify: ${why}`,
  reason_passkey_counted_back: ({ known, answered }: { known: number; answered: number }) =>
    `The passkey counted its uses back from ${known} to ${answered}: there may be a copy of its key`,
  reason_passkey_other_person: 'The passkey is not one that the signer can sign with',
  reason_passkeys_of_reset: 'The password was reset',
})
