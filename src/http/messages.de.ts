import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

const kinds: Readonly<Record<string, string>> = {
  array: 'Geben Sie eine Liste ein.',
  boolean: 'Geben Sie true oder false ein.',
  integer: 'Geben Sie eine ganze Zahl ein.',
  null: 'Lassen Sie dies leer.',
  number: 'Geben Sie eine Zahl ein.',
  object: 'Geben Sie ein Objekt mit Feldern ein.',
  string: 'Geben Sie einen Text ein.',
}

defineGerman<typeof messages>({
  invalid_request: 'Die Anfrage ist nicht gültig.',
  invalid_path: 'Der Pfad der Anfrage ist nicht gültig.',
  invalid_http: 'Die Anfrage ist kein gültiges HTTP.',
  invalid_json: 'Der Inhalt der Anfrage ist kein gültiges JSON.',
  empty_body: 'Der Inhalt der Anfrage ist leer, obwohl er als JSON angekündigt ist.',
  idempotency_key_not_accepted:
    'Dieser Endpunkt nimmt keinen Idempotency-Key an, weil die Anfrage oder ihre Antwort eine Datei ist oder ein Geheimnis hat. Lassen Sie ihn weg.',
  idempotency_key_invalid:
    'Geben Sie einen Idempotency-Key mit 1 bis 128 Buchstaben, Ziffern und Zeichen ein, ohne Leerzeichen.',
  body_too_large: 'Der Inhalt der Anfrage ist zu groß.',
  body_length_mismatch: 'Der Inhalt der Anfrage ist nicht so lang, wie Content-Length angibt.',
  content_type_not_accepted: 'Dieser Endpunkt nimmt diese Art von Inhalt nicht an.',
  headers_too_large: 'Die Kopfzeilen der Anfrage sind zu groß.',
  host_header_missing: 'Der Anfrage fehlt die Kopfzeile Host.',
  request_incomplete: 'Die Anfrage endete, bevor sie vollständig war. Senden Sie sie noch einmal.',
  request_cancelled: 'Die Anfrage wurde vor ihrer Antwort abgebrochen.',
  too_many_requests: ({ seconds }) =>
    `Zu viele Anfragen. Versuchen Sie es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} noch einmal.`,
  limit_reached: ({ limit }) =>
    `Zu viele Anfragen: Die Grenze ${limit} ist erreicht. In der nächsten Stunde stehen weitere Ablehnungen durch sie nur im Log.`,
  control_panel_not_built:
    'Die Seite für Betreiber ist in dieser Installation nicht gebaut. Führen Sie npm run build aus und starten Sie den Dienst neu.',
  internal_error: 'Bei uns ist etwas schiefgegangen. Nennen Sie dem Support die Kennung.',
  database_error: 'Fehler der Datenbank. Versuchen Sie es noch einmal.',
  clocks_differ:
    'Die Uhren des Dienstes und seiner Datenbank gehen verschieden, deshalb wurde nichts unterschrieben. Versuchen Sie es noch einmal, und sagen Sie es Ihrem Administrator, wenn es so bleibt.',
  storage_error:
    'Die Ablage der Dateien funktioniert gerade nicht. Versuchen Sie es noch einmal, und nennen Sie dem Support die Kennung.',

  missing: 'Geben Sie einen Wert ein.',
  extra_forbidden: 'Dieses Feld hat die Anfrage nicht. Berichtigen Sie seinen Namen, oder lassen Sie es weg.',
  wrong_type: ({ expected }) => kinds[expected] ?? `Geben Sie einen Wert vom Typ ${expected} ein.`,
  not_allowed_value: ({ allowed }) => `Wählen Sie einen dieser Werte: ${allowed.join(', ')}.`,
  too_short: ({ minimum }) =>
    minimum === 1 ? 'Geben Sie einen Wert ein.' : `Geben Sie mindestens ${minimum} Zeichen ein.`,
  too_long: ({ maximum }) => `Geben Sie höchstens ${maximum} Zeichen ein.`,
  too_small: ({ minimum }) => `Geben Sie ${minimum} oder mehr ein.`,
  too_large: ({ maximum }) => `Geben Sie ${maximum} oder weniger ein.`,
  too_few_items: ({ minimum }) =>
    minimum === 1 ? 'Geben Sie mindestens einen Eintrag ein.' : `Geben Sie mindestens ${minimum} Einträge ein.`,
  too_many_items: ({ maximum }) => `Geben Sie höchstens ${maximum} Einträge ein.`,
  duplicate_items: 'Die Liste hat einen Eintrag zweimal. Entfernen Sie einen davon.',
  wrong_pattern: ({ pattern, example }) =>
    `Geben Sie einen Wert ${example === null ? `der Form ${pattern}` : `wie ${example}`} ein.`,
  unreadable_text:
    'Der Text hat Zeichen, die nicht gespeichert werden können (NUL oder ein halbes Zeichen). Entfernen Sie sie.',
  invalid_day: 'Geben Sie einen Tag von 1900 bis 2199 in der Form JJJJ-MM-TT ein.',
  invalid_moment: 'Geben Sie Datum und Uhrzeit ein, wie 2026-03-01T08:30:00Z.',
  invalid_email: 'Geben Sie eine E-Mail-Adresse ein, wie name@example.com.',
  invalid_value: 'Der Wert ist nicht gültig. Geben Sie einen anderen ein.',

  form_required: 'Senden Sie die Anfrage als multipart/form-data.',
  form_incomplete: 'Das Formular endete, bevor es vollständig war. Senden Sie es noch einmal.',
  form_too_large: ({ maximum_fields }) =>
    `Das Formular hat zu viele Felder oder Dateien. Senden Sie eine Datei und höchstens ${maximum_fields} Felder.`,
  form_field_duplicate: 'Das Formular hat dieses Feld zweimal. Senden Sie es einmal.',
  file_missing: 'Wählen Sie eine Datei.',
  virus_found: ({ virus }) => `In der Datei wurde ein Virus gefunden: ${virus}. Die Datei wurde nicht gespeichert.`,
})
