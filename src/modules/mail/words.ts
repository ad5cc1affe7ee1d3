export const mailKinds = ['notification', 'digest', 'password_link'] as const
export type MailKind = (typeof mailKinds)[number]

export const mailStatuses = ['queued', 'sent', 'failed', 'suppressed'] as const
export type MailStatus = (typeof mailStatuses)[number]
