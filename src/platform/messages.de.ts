import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

defineGerman<typeof messages & typeof printed>({
  too_many_at_once: 'Zu viele Anfragen dieser Art sind in Arbeit. Versuchen Sie es in einer Minute noch einmal.',
  csv_quotes_do_not_match: ({ line }) =>
    `Die Anführungszeichen in Zeile ${line} passen nicht zusammen. Speichern Sie die Liste noch einmal als CSV.`,

  pages_unreadable: 'sie war nicht lesbar',
  pages_too_slow: 'das Lesen dauerte zu lange',
  pages_too_much_memory: 'sie braucht mehr Speicher, als es für eine Datei gibt',
  pages_file_too_large: ({ mebibytes }) => `sie ist größer als ${mebibytes} MiB`,
  pages_text_too_long: ({ mebibytes }) => `sie ist ein Text von mehr als ${mebibytes} MiB`,
  pages_kind_without_pages: 'eine Datei dieser Art lässt sich nicht als Seiten zeigen',
  pages_converter_missing: 'dafür braucht es LibreOffice, das hier nicht installiert ist',
  pages_converter_failed: 'LibreOffice konnte sie nicht lesen',
  pages_converter_too_slow: 'LibreOffice brauchte zu lange, um sie zu lesen',
  pages_converter_not_started: 'LibreOffice ließ sich nicht starten',
  pdf_page: ({ page, pages }) => `Seite ${page} von ${pages}`,
  pdf_numbers: 'Eine Nummer wie <U+738B> steht für ein Zeichen, das die Schrift dieser Seite nicht hat.',
  pdf_not_shown: ({ reason }) => `Die Datei wird hier nicht gezeigt: ${reason}.`,
  pdf_attached: 'Sie ist diesem PDF angehängt, Byte für Byte wie gespeichert.',
  pdf_too_large_to_attach:
    'Sie ist zu groß, um angehängt zu werden: Laden Sie sie ohne Wiedergabe herunter. Es ist die mit dieser SHA-256.',
  pdf_original: 'Das Original',
})
