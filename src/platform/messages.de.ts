import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  too_many_at_once: 'Zu viele Anfragen dieser Art sind in Arbeit. Versuchen Sie es in einer Minute noch einmal.',
  csv_quotes_do_not_match: ({ line }) =>
    `Die Anführungszeichen in Zeile ${line} passen nicht zusammen. Speichern Sie die Liste noch einmal als CSV.`,
})
