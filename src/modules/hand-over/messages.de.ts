import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  hand_over_user_active: ({ username }) =>
    `${username} ist aktiv und behält die eigenen Aufgaben. Deaktivieren Sie zuerst den Benutzer.`,
  hand_over_to_leaver: ({ username }) => `${username} geht. Wählen Sie jemand anderen als Nachfolge.`,
  hand_over_successor_inactive: ({ username }) =>
    `${username} ist nicht aktiv. Wählen Sie jemand anderen als Nachfolge.`,
  hand_over_nothing_open: ({ username }) => `${username} hat keine offenen Aufgaben zu übergeben.`,
  hand_over_to_nobody:
    'Niemand ist genannt, der die Aufgaben übernimmt. Wählen Sie eine Nachfolge, oder setzen Sie hand_over_role in den Einstellungen.',
})
