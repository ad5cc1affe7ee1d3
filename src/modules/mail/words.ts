export const mailKinds = ['notification', 'digest', 'password_link'] as const
export type MailKind = (typeof mailKinds)[number]

/** `dismissed`: a person decided that nobody needs it any more. */
export const mailStatuses = ['queued', 'sent', 'failed', 'suppressed', 'dismissed'] as const
export type MailStatus = (typeof mailStatuses)[number]
