import { day } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  stale_revision: ({ expected, current, changes }) =>
    `Ihre Änderung beruht auf Revision ${expected}, und der Datensatz ist bei Revision ${current}. ${changes.length > 0 ? `Seitdem geändert: ${changes.join('; ')}. ` : ''}Laden Sie ihn neu und versuchen Sie es noch einmal.`,
  temporary_password: 'Ihr Passwort ist vorläufig. Ändern Sie es zuerst, mit POST /api/auth/change-password.',
  platform_second_factor_missing:
    'Ein Plattform-Benutzer braucht einen zweiten Faktor. Richten Sie zuerst einen ein, mit POST /api/auth/totp/enroll.',
  file_removed: ({ removed_at, requested_by, decided_by, reason }) =>
    `Der Inhalt dieser Datei wurde am ${day(String(removed_at).split('T')[0]!)} von ${requested_by} und ${decided_by} entfernt: ${reason}. Prüfsumme, Größe und Datensatz bleiben.`,
  file_disposed: ({ removed_at, requested_by, decided_by, number }) =>
    `Der Inhalt dieser Datei wurde am ${day(String(removed_at).split('T')[0]!)} von ${requested_by} und ${decided_by} nach Ablauf der Aufbewahrungsfrist vernichtet, Vernichtungsprotokoll ${number}. Prüfsumme, Größe und Datensatz bleiben.`,
  idempotency_key_used:
    'Mit diesem Idempotency-Key wurde schon eine andere Anfrage gesendet. Nehmen Sie für jede Anfrage einen eigenen.',
  idempotency_key_in_use:
    'Die Anfrage mit diesem Idempotency-Key ist noch in Arbeit. Senden Sie sie gleich noch einmal.',
  conflicting_change:
    'Jemand hat zur selben Zeit etwas gespeichert, das dem widerspricht. Laden Sie neu und versuchen Sie es noch einmal.',
})
