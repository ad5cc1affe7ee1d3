import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  virus_scanner_unavailable:
    'Der Virenscanner antwortet nicht, und ohne Prüfung wird keine Datei angenommen. Versuchen Sie es später noch einmal.',
  virus_scanner_failed:
    'Der Virenscanner konnte die Datei nicht prüfen, deshalb wurde sie nicht angenommen. Versuchen Sie es später noch einmal.',
  file_beyond_virus_scanner:
    'Der Virenscanner nimmt keine Datei dieser Größe oder Art an, deshalb wurde sie nicht angenommen. Wenden Sie sich an den Betreiber.',
})
