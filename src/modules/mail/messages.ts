import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  mail_not_failed: 'There is no failed message to send again.',
  mail_without_server:
    'This installation sends no e-mail, so the message cannot be sent again. Ask your operator to set a mail server.',
  mail_is_over: 'This message is not failed any more. Only a failed one can be sent again or dismissed.',
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_mails_retried: 'An operator of the installation had the failed e-mails sent again',
})

/** Texts that are printed or mailed. */
export const printed = defineMessages({
  mail_digest_subject: ({ count, urgent }: { count: number; urgent: number }) =>
    `${count} ${count === 1 ? 'notification' : 'notifications'}${urgent > 0 ? `, ${urgent} of them urgent` : ''}`,
  mail_priority_urgent: 'Urgent',
  mail_priority_high: 'High priority',
  mail_priority_normal: 'Normal priority',
  mail_priority_low: 'Low priority',
  mail_more: ({ count }: { count: number }) => `And ${count} more, which you find in your notifications.`,
  /** It names the company and the recipient, and says where e-mails are turned off, because nobody reads a reply. */
  mail_footer: ({ tenant, recipient }: { tenant: string; recipient: string }) =>
    `${tenant}, Attest, to ${recipient}. You choose your e-mails in your notification preferences.`,

  mail_test_subject: ({ tenant }: { tenant: string }) => `Test e-mail of Attest at ${tenant}`,
  mail_test_text: ({ person }: { person: string }) =>
    `${person} asked for this e-mail, to see whether Attest can send. It can, and nothing else is to be done.`,

  mail_link_title_invitation: ({ tenant }: { tenant: string }) => `You are invited to Attest at ${tenant}`,
  mail_link_title_reset: 'Choose a new password',
  /** `by` is null where nobody is known to have done it. */
  mail_link_invitation: ({ by, username }: { by: string | null; username: string }) =>
    `${by ?? 'Somebody'} created an account for you. Your user name is ${username}. Choose a password:`,
  mail_link_forgotten: ({ username }: { username: string }) =>
    `Somebody asked for a new password for ${username}. Choose it:`,
  mail_link_reset: ({ by, username }: { by: string; username: string }) =>
    `${by} reset the password of ${username}. Choose a new one:`,
  /** `hours` is null where it works for less than two. */
  mail_link_terms: ({ minutes, hours }: { minutes: number; hours: number | null }) =>
    `This works once, within ${hours === null ? `${minutes} minutes` : `${hours} hours`} of this e-mail. With the API, send this code as token to POST /api/auth/reset-password:`,
  mail_link_not_asked_for: 'If you did not ask for this, ignore it: your password stays as it is.',
  mail_link_not_expected: 'If you did not expect this, tell an Admin of your company.',
  mail_link_footer: ({ tenant, recipient }: { tenant: string; recipient: string }) =>
    `${tenant}, Attest, to ${recipient}.`,
})
