import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

defineGerman<typeof messages & typeof printed>({
  mail_not_failed: 'Es gibt keine fehlgeschlagene Nachricht, die noch einmal gesendet werden könnte.',

  mail_digest_subject: ({ count, urgent }) =>
    `${count} ${count === 1 ? 'Mitteilung' : 'Mitteilungen'}${urgent > 0 ? `, davon ${urgent} dringend` : ''}`,
  mail_priority_urgent: 'Dringend',
  mail_priority_high: 'Hohe Priorität',
  mail_priority_normal: 'Normale Priorität',
  mail_priority_low: 'Niedrige Priorität',
  mail_more: ({ count }) => `Und ${count} weitere, die Sie in Ihren Mitteilungen finden.`,
  mail_footer: ({ tenant, recipient }) =>
    `${tenant}, Attest, an ${recipient}. Welche E-Mails Sie erhalten, wählen Sie in den Einstellungen Ihrer Mitteilungen.`,
})
