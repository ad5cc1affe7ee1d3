import { number } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

const mebibyte = 1024 * 1024

defineGerman<typeof messages>({
  file_too_large: ({ maximum_bytes }) =>
    `Die Datei ist größer als ${maximum_bytes % mebibyte === 0 ? `${maximum_bytes / mebibyte} MiB` : `${number(maximum_bytes)} Byte`}. Wählen Sie eine kleinere Datei.`,
  storage_quota_exceeded: ({ quota_mb, left_bytes, file_bytes }) =>
    `Die Datei hat ${number(file_bytes)} Byte, und von den ${quota_mb} MiB Ihrer Firma sind noch ${number(left_bytes)} Byte frei. Bitten Sie den Betreiber des Dienstes um mehr Platz.`,
  file_empty: 'Die Datei ist leer. Wählen Sie eine andere Datei.',
  file_type_not_accepted: ({ ending, accepted }) =>
    `${ending === '' ? 'Dateien ohne Endung im Namen' : `Dateien mit der Endung .${ending}`} werden nicht angenommen. Wählen Sie eine dieser Arten: ${accepted.join(', ')}.`,
  file_type_mismatch: ({ ending, found }) =>
    `Der Name der Datei endet auf .${ending}, aber ihr Inhalt ist ${found === null ? `nicht der einer .${ending}-Datei` : `der einer .${found}-Datei`}.`,
  file_is_old_office: ({ ending }) =>
    `Der Name der Datei endet auf .${ending}, aber ihr Inhalt ist der einer alten oder mit Passwort geschützten Office-Datei. Speichern Sie sie im aktuellen Format und ohne Passwort.`,
  file_is_no_text: ({ ending }) =>
    `Der Name der Datei endet auf .${ending}, aber ihr Inhalt ist kein Text in UTF-8. Speichern Sie sie als UTF-8.`,
  file_is_no_page: ({ ending }) =>
    `Der Name der Datei endet auf .${ending}, aber ihr Inhalt ist keine Webseite, die mit <!doctype html> oder <html> beginnt.`,
  file_check_timeout: 'Die Datei konnte nicht rechtzeitig geprüft werden. Versuchen Sie es später noch einmal.',
  file_damaged: ({ format }) => `Die ${format}-Datei ist abgeschnitten oder beschädigt.`,
  file_has_trailing_data: ({ format }) =>
    `Hinter dem Ende der ${format}-Datei stehen andere Daten. Speichern Sie sie noch einmal ohne diese Daten.`,
  file_hides_archive: 'Die Datei verbirgt ein ZIP-Archiv. Speichern Sie sie noch einmal ohne das Archiv.',
  file_has_macros: 'Die Datei hat Makros. Speichern Sie sie ohne Makros.',
  file_password_protected: 'Die Datei ist mit einem Passwort geschützt. Speichern Sie sie ohne Passwort.',
  file_is_no_office: ({ kind }) =>
    `Dies ist keine ${kind}-Datei, weil die Liste ihrer Teile fehlt oder eine andere Art nennt.`,
  file_parts_list_too_long: 'Die Liste der Teile der Datei ist zu lang.',
  file_is_no_open_document: 'Dies ist keine OpenDocument-Datei, weil ihr Typ oder die Liste ihrer Teile fehlt.',
  open_document_kind_mismatch: 'Dies ist eine OpenDocument-Datei einer anderen Art, als ihr Name sagt.',
  file_nested_too_deep: ({ maximum }) => `Die Datei enthält Dateien in Dateien, mehr als ${maximum} Ebenen tief.`,
  file_has_embedded_archive: ({ name }) =>
    `Die Datei enthält ein Archiv, ${name}, wo keines hingehört. Speichern Sie sie ohne das Archiv.`,
  file_has_dtd:
    'Die Datei enthält XML mit einem Dokumenttyp (DTD). Speichern Sie sie noch einmal mit einem Office-Programm.',
  file_in_archive_refused: ({ name, reason }) => `${name} im Archiv: ${reason}`,
  pdf_has_leading_data: 'Das PDF beginnt nicht mit %PDF-. Speichern Sie es noch einmal ohne die Daten davor.',
  pdf_incomplete: 'Das PDF endet nicht mit %%EOF. Es ist abgeschnitten, oder andere Daten folgen.',
  pdf_has_too_many_pages: ({ pages, maximum }) =>
    `Das PDF hat ${pages} Seiten, und höchstens ${maximum} werden angenommen. Teilen Sie es in mehrere Dateien.`,
  pdf_encrypted: 'Das PDF ist verschlüsselt. Speichern Sie es ohne Passwort und ohne Einschränkungen.',
  text_not_utf8: 'Die Datei ist nicht bis zu ihrem Ende Text in UTF-8. Speichern Sie sie als UTF-8.',
  tiff_kind_not_accepted: 'Diese Art von TIFF-Datei wird nicht angenommen. Speichern Sie sie als gewöhnliches TIFF.',
  page_has_element: ({ element }) => `Die Seite hat das Element <${element}>. Speichern Sie sie ohne dieses Element.`,
  page_has_attribute: ({ attribute, element }) =>
    `Die Seite würde durch das Attribut ${attribute} von <${element}> etwas ausführen oder laden. Speichern Sie sie ohne dieses Attribut.`,
  page_comment_has_element:
    'Die Seite hat einen Kommentar mit Elementen darin. Speichern Sie sie ohne diesen Kommentar.',
  archive_damaged: 'Das Archiv ist abgeschnitten oder beschädigt.',
  archive_empty: 'Das Archiv ist leer.',
  archive_too_many_entries: ({ maximum }) =>
    `Das Archiv hat mehr als ${maximum} Einträge. Teilen Sie es in mehrere Archive.`,
  archive_inconsistent: ({ name }) =>
    `Das Archiv widerspricht sich über ${name}. Erstellen Sie es noch einmal mit einem anderen Programm.`,
  archive_duplicate_entry: ({ name }) => `Das Archiv hat ${name} zweimal.`,
  archive_entry_name_invalid: 'Das Archiv hat einen Eintrag ohne gültigen Dateinamen.',
  archive_compression_not_accepted:
    'Das Archiv ist auf eine Art gepackt, die nicht angenommen wird. Speichern Sie es als gewöhnliches ZIP-Archiv.',
  archive_has_hidden_data: 'Das Archiv hat Daten, die seine Liste der Einträge nicht nennt.',
  archive_entries_overlap: 'Die Einträge des Archivs überlappen sich.',
  archive_entry_size_wrong: ({ name }) => `Das Archiv gibt für ${name} eine falsche Größe an.`,
  archive_entry_damaged: ({ name }) => `${name} im Archiv ist beschädigt.`,
  archive_inflates_too_much: ({ ratio, maximum_mib }) =>
    `Das Archiv wird entpackt mehr als ${ratio}-mal so groß, oder größer als ${maximum_mib} MiB.`,
})
