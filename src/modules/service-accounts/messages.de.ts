import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

const states: Readonly<Record<string, string>> = {
  active: 'aktiv',
  expired: 'abgelaufen',
  revoked: 'widerrufen',
  rotated: 'ausgetauscht',
}

defineGerman<typeof messages>({
  service_account_owner_inactive: 'Der Eigner muss eine aktive Person sein. Wählen Sie eine andere.',
  service_account_permission_personal: ({ permissions }) =>
    `Eine Maschine kann ${permissions.join(', ')} nie haben. Lassen Sie das weg.`,
  service_account_inactive: ({ username }) => `${username} wurde deaktiviert. Legen Sie ein anderes Dienstkonto an.`,
  service_account_name_taken: 'Dieser Benutzername ist vergeben. Wählen Sie einen anderen.',
  api_key_permission_not_of_account: ({ permissions }) =>
    `Das Dienstkonto hat ${permissions.join(', ')} nicht. Geben Sie es zuerst dem Konto, oder lassen Sie es weg.`,
  api_key_network_invalid: 'Geben Sie eine Adresse oder ein Netz ein, wie 192.0.2.7, 10.0.0.0/8 oder 2001:db8::/32.',
  api_key_end_past: 'Wählen Sie einen Zeitpunkt in der Zukunft.',
  api_key_end_too_late: ({ days }) => `Ein Schlüssel gilt höchstens ${days} Tage. Wählen Sie ein früheres Ende.`,
  api_key_limit_reached: ({ maximum }) =>
    `Ein Dienstkonto hat höchstens ${maximum} gültige Schlüssel. Widerrufen Sie einen, der nicht benutzt wird.`,
  api_key_not_live: ({ status }) => `Dieser Schlüssel ist ${states[status] ?? status}. Stellen Sie einen neuen aus.`,
  api_key_already_rotated: 'Dieser Schlüssel wurde schon ausgetauscht. Tauschen Sie den aus, der ihn ersetzt hat.',
  api_key_already_revoked: 'Dieser Schlüssel wurde schon widerrufen.',
  api_key_notice_not_due: 'Zu diesem Schlüssel ist kein Hinweis fällig.',
})
