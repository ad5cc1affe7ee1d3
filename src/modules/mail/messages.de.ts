import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

defineGerman<typeof messages & typeof printed>({
  mail_not_failed: 'Es gibt keine fehlgeschlagene Nachricht, die noch einmal gesendet werden könnte.',
  mail_without_server:
    'Diese Installation versendet keine E-Mails, also kann die Nachricht nicht noch einmal gesendet werden. Bitten Sie Ihren Betreiber, einen Mailserver einzutragen.',
  mail_is_over:
    'Diese Nachricht ist nicht mehr fehlgeschlagen. Nur eine fehlgeschlagene kann noch einmal gesendet oder verworfen werden.',

  mail_digest_subject: ({ count, urgent }) =>
    `${count} ${count === 1 ? 'Mitteilung' : 'Mitteilungen'}${urgent > 0 ? `, davon ${urgent} dringend` : ''}`,
  mail_priority_urgent: 'Dringend',
  mail_priority_high: 'Hohe Priorität',
  mail_priority_normal: 'Normale Priorität',
  mail_priority_low: 'Niedrige Priorität',
  mail_more: ({ count }) => `Und ${count} weitere, die Sie in Ihren Mitteilungen finden.`,
  mail_footer: ({ tenant, recipient }) =>
    `${tenant}, Attest, an ${recipient}. Welche E-Mails Sie erhalten, wählen Sie in den Einstellungen Ihrer Mitteilungen.`,

  mail_test_subject: ({ tenant }) => `Test-E-Mail von Attest bei ${tenant}`,
  mail_test_text: ({ person }) =>
    `${person} hat diese E-Mail angefordert, um zu sehen, ob Attest senden kann. Das kann es, und mehr ist nicht zu tun.`,

  mail_link_title_invitation: ({ tenant }) => `Einladung zu Attest bei ${tenant}`,
  mail_link_title_reset: 'Wählen Sie ein neues Passwort',
  mail_link_invitation: ({ by, username }) =>
    `${by ?? 'Jemand'} hat ein Konto für Sie angelegt. Ihr Benutzername ist ${username}. Wählen Sie ein Passwort:`,
  mail_link_forgotten: ({ username }) => `Jemand hat ein neues Passwort für ${username} angefordert. Wählen Sie es:`,
  mail_link_reset: ({ by, username }) => `${by} hat das Passwort von ${username} zurückgesetzt. Wählen Sie ein neues:`,
  mail_link_terms: ({ minutes, hours }) =>
    `Das geht einmal, innerhalb von ${hours === null ? `${minutes} Minuten` : `${hours} Stunden`} nach dieser E-Mail. Mit der API senden Sie diesen Code als token an POST /api/auth/reset-password:`,
  mail_link_not_asked_for: 'Wenn Sie nicht darum gebeten haben, tun Sie nichts: Ihr Passwort bleibt, wie es ist.',
  mail_link_not_expected: 'Wenn Sie das nicht erwartet haben, sagen Sie es einem Admin Ihrer Firma.',
  mail_link_footer: ({ tenant, recipient }) => `${tenant}, Attest, an ${recipient}.`,
})
