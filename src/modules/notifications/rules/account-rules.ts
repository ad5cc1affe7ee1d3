import type { EventName } from '#kernel/catalogue.ts'
import type { TitledMessage } from '#kernel/message.ts'
import { messages } from '../messages.ts'
import { fact, type NotificationInput, numberIn, type Rule } from '../notice.ts'

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

const serviceAccountChanged: Rule = {
  notify: ({ person, by }) =>
    person === undefined
      ? undefined
      : {
          type: 'service_account_changed',
          priority: 'normal',
          message: messages.service_account_changed({ person, by }),
        },
}

const keyFacts = (input: NotificationInput) => ({
  account: fact(input, 'service_account') ?? '-',
  name: fact(input, 'name') ?? '-',
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
  'user.totp_confirmed': changed(messages.account_second_factor_changed),
  'user.totp_removed': changed(messages.account_second_factor_changed),
  'user.service_account_created': serviceAccountChanged,
  'user.service_account_updated': serviceAccountChanged,
  'user.service_account_deactivated': serviceAccountChanged,
  'api_key.created': {
    notify: input => ({
      type: 'api_key_created',
      priority: 'normal',
      message: messages.api_key_created({ ...keyFacts(input), by: input.by }),
    }),
  },
  'api_key.expiring': {
    isReminder: true,
    notify: input => ({
      type: 'api_key_expiring',
      priority: 'high',
      message: messages.api_key_expiring({ ...keyFacts(input), days: numberIn(input, 'days') ?? 0 }),
    }),
  },
} satisfies Partial<Record<EventName, Rule>>
