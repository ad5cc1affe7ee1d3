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

/** Whoever controls a provider can be anybody who logs in by it, so every Admin is told. */
const providerChanged = (message: (params: { provider: string | null; by: string | null }) => TitledMessage): Rule => ({
  isForActor: true,
  notify: input => ({
    type: 'identity_provider_changed',
    priority: 'urgent',
    message: message({ provider: input.recorded.number ?? null, by: input.by }),
  }),
})

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
  'auth.break_glass_used': {
    isForActor: true,
    notify: ({ person }) =>
      person === undefined
        ? undefined
        : { type: 'break_glass_used', priority: 'urgent', message: messages.break_glass_used({ person }) },
  },
  'user.break_glass_untried': {
    notify: ({ person }) =>
      person === undefined
        ? undefined
        : { type: 'break_glass_untried', priority: 'high', message: messages.break_glass_untried({ person }) },
  },
  'user.break_glass_changed': changed(messages.account_break_glass_changed),
  'user.identity_linked': changed(messages.account_linked),
  'user.identity_unlinked': changed(messages.account_unlinked),
  'identity_provider.created': providerChanged(messages.identity_provider_added),
  'identity_provider.updated': providerChanged(messages.identity_provider_changed),
  'identity_provider.settings_confirmed': providerChanged(messages.identity_provider_changed),
  'identity_provider.email_taken': {
    notify: input => ({
      type: 'identity_provider_changed',
      priority: 'urgent',
      message: messages.identity_provider_email_taken({
        provider: input.recorded.number ?? null,
        person: fact(input, 'username') ?? null,
      }),
    }),
  },
  'identity_provider.signing_refused': {
    notify: input => ({
      type: 'identity_provider_changed',
      priority: 'urgent',
      message: messages.identity_provider_signing_refused({
        provider: input.recorded.number ?? null,
        person: fact(input, 'username') ?? null,
      }),
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
