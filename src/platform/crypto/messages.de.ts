import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  invalid_token: 'Das Token ist nicht gültig. Melden Sie sich noch einmal an.',
  too_many_logins: 'Gerade melden sich zu viele Personen an. Versuchen Sie es in einigen Sekunden noch einmal.',
  password_too_short: ({ minimum }) => `Das Passwort muss mindestens ${minimum} Zeichen haben.`,
  password_too_long: ({ maximum_bytes }) => `Das Passwort darf nicht länger als ${maximum_bytes} Byte sein.`,
  password_too_common:
    'Dieses Passwort probieren Angreifer zuerst, vielleicht mit angehängten Ziffern. Wählen Sie ein anderes.',
  password_contains_name: 'Das Passwort darf Ihren Namen, Ihren Benutzernamen und Ihre E-Mail-Adresse nicht enthalten.',
  password_used_before: ({ count }) => `Das Passwort muss sich von Ihren letzten ${count} unterscheiden.`,
})
