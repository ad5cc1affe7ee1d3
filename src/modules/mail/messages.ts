import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  mail_not_failed: 'There is no failed message to send again.',
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
})
