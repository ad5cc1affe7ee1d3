import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  invalid_token: 'The token is not valid. Log in again.',
  too_many_logins: 'Too many people are logging in at this moment. Try again in a few seconds.',
  password_too_short: ({ minimum }: { minimum: number }) => `The password must have at least ${minimum} characters.`,
  password_too_long: ({ maximum_bytes }: { maximum_bytes: number }) =>
    `The password must not be longer than ${maximum_bytes} bytes.`,
  password_too_common:
    'This is one of the passwords that attackers try first, perhaps with digits added. Choose another one.',
  password_contains_name: 'The password must not contain your name, user name or e-mail address.',
  password_used_before: ({ count }: { count: number }) => `The password must differ from your last ${count}.`,
})
