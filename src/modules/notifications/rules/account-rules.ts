import type { EventName } from '#kernel/catalogue.ts'
import type { TitledMessage } from '#kernel/message.ts'
import { messages } from '../messages.ts'
import { fact, type NotificationInput, type Rule } from '../notice.ts'

/** Told to the owner of the account whoever did it, because whoever has taken over an account acts as its owner. */
const changed = (message: (params: { by: string | null }) => TitledMessage): Rule => ({
  isForActor: true,
  notify: input => ({
    type: 'account_changed',
    priority: 'high',
    message: message({ by: input.by }),
    former_address: formerAddress(input),
  }),
})

const formerAddress = ({ recorded: { before, after } }: NotificationInput): string | undefined => {
  const [former, present] = [before, after].map(user => (user as { email?: unknown } | undefined)?.email)
  return typeof former === 'string' && former !== present ? former : undefined
}

const identityToVerify: NonNullable<Rule['assignees']> = ({ person = null }) => ({
  type: 'identity_verification_requested',
  priority: 'high',
  message: messages.identity_verification_requested({ person }),
})

export const accountRules = {
  'auth.session_ended': {
    isForActor: true,
    notify: input => ({
      type: 'session_ended',
      priority: 'normal',
      message:
        fact(input, 'cause') === 'too_many'
          ? messages.session_ended_for_another()
          : messages.session_ended({ by: input.by }),
    }),
  },
  'user.updated': changed(messages.account_email_changed),
  'user.role_changed': changed(messages.account_role_changed),
  'user.permissions_changed': changed(messages.account_permission_changed),
  'user.password_changed': changed(messages.account_password_changed),
  'user.password_reset': { ...changed(messages.account_password_changed), assignees: identityToVerify },
  'user.password_chosen': { ...changed(messages.account_password_changed), assignees: identityToVerify },
  'user.work_handed_over': {
    isForActor: true,
    notify: ({ person }) =>
      person === undefined
        ? undefined
        : { type: 'work_handed_over', priority: 'high', message: messages.work_handed_over({ person }) },
  },
  'user.unlocked': {
    notify: () => ({ type: 'account_changed', priority: 'high', message: messages.account_unlocked() }),
  },
  'passkey.registered': changed(messages.account_passkey_changed),
  'passkey.revoked': {
    isForActor: true,
    notify: input =>
      fact(input, 'cause') === 'counter'
        ? {
            type: 'passkey_misused',
            priority: 'urgent',
            message: messages.passkey_misused({
              person: fact(input, 'username') ?? 'a user',
              passkey: fact(input, 'name') ?? 'of theirs',
            }),
          }
        : { type: 'account_changed', priority: 'high', message: messages.account_passkey_changed({ by: input.by }) },
  },
  'user.totp_confirmed': changed(messages.account_second_factor_changed),
  'user.totp_removed': changed(messages.account_second_factor_changed),
} satisfies Partial<Record<EventName, Rule>>
