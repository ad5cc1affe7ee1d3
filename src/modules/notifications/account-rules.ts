import type { EventName } from '#kernel/catalogue.ts'
import { by, type NotificationInput, type Rule } from './notice.ts'

/** Told to the owner of the account whoever did it, because whoever has taken over an account acts as its owner. */
const changed = (change: string): Rule => ({
  isForActor: true,
  notify: input => ({
    type: 'account_changed',
    priority: 'high',
    title: `${change} of your account was changed`,
    message: `${change} of your account was changed${by(input)}. If you did not expect this, tell an Admin at once.`,
    former_address: formerAddress(input),
  }),
})

const formerAddress = ({ recorded: { before, after } }: NotificationInput): string | undefined => {
  const [former, present] = [before, after].map(user => (user as { email?: unknown } | undefined)?.email)
  return typeof former === 'string' && former !== present ? former : undefined
}

const identityToVerify: NonNullable<Rule['assignees']> = ({ person = 'a user' }) => ({
  type: 'identity_verification_requested',
  priority: 'high',
  title: `Verify the identity of ${person}`,
  message: `The password of ${person} was reset. Check who they are and record it, at POST /api/users/{id}/verify-identity: until then they cannot sign.`,
})

export const accountRules = {
  'user.updated': changed('The e-mail address'),
  'user.role_changed': changed('The role'),
  'user.permissions_changed': changed('A permission'),
  'user.password_changed': changed('The password'),
  'user.password_reset': { ...changed('The password'), assignees: identityToVerify },
  'user.password_chosen': { ...changed('The password'), assignees: identityToVerify },
  'user.unlocked': {
    notify: () => ({
      type: 'account_changed',
      priority: 'high',
      title: 'Your account was unlocked',
      message:
        'An operator ended the locks of your account after failed log-ins. If you did not ask for it, tell an Admin at once.',
    }),
  },
  'user.totp_confirmed': changed('The second factor'),
  'user.totp_removed': changed('The second factor'),
} satisfies Partial<Record<EventName, Rule>>
