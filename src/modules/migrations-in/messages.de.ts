import { defineGerman } from '#kernel/message.ts'
import type { messages, printed, reasons } from './messages.ts'

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`

const words: Readonly<Record<string, string>> = {
  staging: 'in Vorbereitung',
  checking: 'in der Prüfung',
  checked: 'geprüft',
  rehearsing: 'in der Probe',
  rehearsed: 'geprobt',
  accepted: 'angenommen',
  loading: 'beim Laden',
  failed: 'nicht vollständig geladen',
  reconciling: 'im Vergleich',
  loaded: 'geladen',
  released: 'freigegeben',
  discarded: 'verworfen',
  new: 'neu',
  ok: 'in Ordnung',
  warning: 'Warnung',
  error: 'Fehler',
  verified: 'stimmt überein',
  differs: 'weicht ab',
}
const wordOf = (word: string) => words[word] ?? word

defineGerman<typeof messages>({
  migration_job_running: ({ number }) =>
    `Für ${number} läuft ein Auftrag. Warten Sie, bis er erledigt ist, und versuchen Sie es dann noch einmal.`,
  migration_not_open: ({ number, status }) =>
    `${number} ist ${wordOf(status)}, deshalb bleibt der Inhalt, wie er ist. Beginnen Sie eine neue Übernahme.`,
  migration_without_rows: ({ number }) => `${number} hat noch keine Zeilen. Laden Sie zuerst eine Liste hoch.`,
  migration_not_checked: ({ number }) => `${number} ist noch nicht geprüft. Prüfen Sie die Übernahme zuerst.`,
  migration_has_errors: ({ number, errors }) =>
    `${count(errors, 'Zeile', 'Zeilen')} von ${number} ${errors === 1 ? 'hat einen' : 'haben'} Fehler. Berichtigen Sie die Liste, laden Sie sie wieder hoch, und prüfen Sie sie.`,
  migration_not_rehearsed: ({ number }) =>
    `${number} ist noch nicht geprobt oder wurde seither geändert. Prüfen und proben Sie die Übernahme zuerst.`,
  migration_own: ({ number }) =>
    `Sie haben ${number} begonnen, deshalb muss eine andere Person die Stichproben vergleichen und die Übernahme annehmen.`,
  migration_samples_differ: ({ number, samples }) =>
    `${count(samples, 'Stichprobe', 'Stichproben')} von ${number} ${samples === 1 ? 'weicht' : 'weichen'} von der Quelle ab. Berichtigen Sie die Liste, oder vergleichen Sie noch einmal.`,
  migration_changed: ({ number }) =>
    `${number} wurde geändert, seit Sie den Bericht gelesen haben. Lesen Sie den Bericht noch einmal, und nehmen Sie die Übernahme dann an.`,
  migration_nothing_to_continue: ({ number, status }) =>
    `${number} ist ${wordOf(status)}, deshalb gibt es kein Laden fortzusetzen.`,
  migration_not_loaded: ({ number, status }) =>
    `${number} ist ${wordOf(status)}. Die Übernahme kann freigegeben werden, sobald sie geladen und mit den Zeilen verglichen ist.`,
  migration_released_already: ({ number }) => `${number} ist schon freigegeben.`,
  migration_remarks_required: ({ differences }) =>
    `${count(differences, 'Datensatz oder eine Datei weicht', 'Datensätze oder Dateien weichen')} von den Zeilen ab. Geben Sie an, warum, und wie jede Abweichung behoben wird.`,
  migration_report_too_long: 'Der Bericht ist zu lang für ein PDF. Geben Sie ihn als CSV aus.',
  migration_sample_comment_required: 'Geben Sie an, was abweicht.',
  migration_row_not_sampled:
    'Diese Zeile hat einen Fehler, deshalb gibt es noch nichts zu vergleichen. Berichtigen Sie sie zuerst.',
  migration_unknown_column: ({ sheet, column }) =>
    `Das Blatt ${sheet} hat keine Spalte ${column}. Verwenden Sie die Namen der Vorlage.`,
  migration_unknown_sheet: ({ sheet, known }) =>
    `Es gibt kein Blatt ${sheet}. Verwenden Sie eines von diesen: ${known.join(', ')}.`,
  migration_heading_twice: ({ sheet, heading }) =>
    `Zwei Spalten des Blatts ${sheet} werden aus der Überschrift ${heading} gelesen. Wählen Sie für eine davon eine andere Überschrift.`,

  manifest_too_large: ({ maximum_mib }) =>
    `Die Liste ist größer als ${maximum_mib} MiB. Teilen Sie sie in mehrere, eine für jedes Blatt.`,
  manifest_too_many_rows: ({ maximum }) =>
    `Die Liste hat mehr als ${maximum} Zeilen. Teilen Sie die Übernahme in mehrere.`,
  manifest_in_utf16: 'Die Liste ist Text in UTF-16. Speichern Sie sie als CSV UTF-8.',
  manifest_not_utf8:
    'Die Liste ist kein Text in UTF-8, sondern wahrscheinlich in Windows-1252. Speichern Sie sie als CSV UTF-8.',
  manifest_has_nul: 'Die Liste enthält Zeichen, die kein Text sind. Speichern Sie sie als CSV UTF-8.',
  manifest_unreadable: ({ reason }) => `Die Liste kann nicht gelesen werden: ${reason}. Speichern Sie sie noch einmal.`,
  manifest_without_sheet: ({ found, known }) =>
    `Die Liste hat kein Blatt einer Übernahme${found.length > 0 ? `, sondern ${found.join(', ')}` : ''}. Benennen Sie die Blätter wie in der Vorlage: ${known.join(', ')}.`,
  manifest_sheet_unnamed: ({ known }) =>
    `Wählen Sie das Blatt, das diese CSV-Datei ist, oder benennen Sie die Datei danach: ${known.join(', ')}.`,
  manifest_sheet_twice: ({ sheet }) =>
    `Die Liste hat zwei Blätter für ${sheet}. Schreiben Sie die Zeilen in ein Blatt.`,
  manifest_without_headings: ({ sheet }) =>
    `Die erste Zeile des Blatts ${sheet} hat keine Überschriften. Schreiben Sie dort die Namen der Spalten hin.`,
  manifest_heading_twice: ({ sheet, heading }) =>
    `Das Blatt ${sheet} hat die Überschrift ${heading} zweimal. Geben Sie jeder Spalte eine eigene Überschrift.`,
  manifest_too_many_columns: ({ sheet, maximum }) =>
    `Das Blatt ${sheet} hat mehr als ${maximum} Spalten. Entfernen Sie die Spalten, die nicht gebraucht werden.`,

  batch_file_path_invalid: ({ path }) =>
    `Der Pfad ${path} beginnt nicht in seinem Ordner, führt aus ihm hinaus oder ist länger als 500 Zeichen. Benennen Sie die Datei um.`,
  batch_file_type_unknown: ({ ending }) =>
    ending === ''
      ? 'Der Name der Datei hat keine Endung, deshalb ist ihre Art nicht bekannt. Benennen Sie die Datei um.'
      : `Dateien mit der Endung .${ending} können nicht übernommen werden. Speichern Sie die Datei als PDF.`,
  batch_file_infected: ({ virus }) =>
    `Die Datei enthält einen Virus (${virus}). Nehmen Sie sie aus der Übernahme heraus.`,
  batch_file_not_legacy: ({ ending }) =>
    `Der Name der Datei endet auf .${ending}, aber der Inhalt ist nicht von dieser Art.`,
  batch_without_files: 'Das Archiv enthält keine Dateien. Wählen Sie ein anderes Archiv.',

  row_value_missing: ({ column }) => `Die Spalte ${column} ist leer.`,
  row_fill_in: ({ column }) => `Füllen Sie die Spalte ${column} aus.`,
  row_column_missing: ({ column }) => `Das Blatt hat keine Spalte ${column}.`,
  row_add_column: ({ column }) =>
    `Fügen Sie die Spalte ${column} hinzu, oder wählen Sie die Überschrift, aus der sie gelesen wird.`,
  row_text_too_long: ({ maximum }) => `Der Text ist länger als ${maximum} Zeichen.`,
  row_shorten: 'Kürzen Sie den Text.',
  row_text_invalid: 'Der Text enthält Zeichen, die nicht gespeichert werden können.',
  row_type_again: 'Schreiben Sie den Text noch einmal.',
  row_no_number: ({ value }) => `„${value}“ ist keine ganze Zahl.`,
  row_enter_number: 'Geben Sie eine ganze Zahl ein.',
  row_no_choice: ({ value, choices }) => `„${value}“ ist nichts von ${choices.join(', ')}.`,
  row_choose: ({ choices }) => `Geben Sie eines davon ein: ${choices.join(', ')}.`,
  row_no_date: ({ value, format }) => `„${value}“ ist kein Tag in der Schreibweise ${format}.`,
  row_date_ambiguous: ({ value }) =>
    `„${value}“ kann zwei verschiedene Tage bedeuten, weil Tag und Monat vertauscht sein können.`,
  row_write_date: ({ format }) =>
    `Schreiben Sie den Tag als ${format}, oder wählen Sie die Schreibweise der Übernahme.`,
  row_no_moment: ({ value }) => `„${value}“ ist kein Tag mit einer Uhrzeit.`,
  row_write_moment: 'Schreiben Sie ihn als 2024-03-31 14:05, oder als Datum der Tabelle.',
  row_key_twice: ({ lines }) =>
    `Derselbe Schlüssel steht in ${lines.length === 1 ? 'Zeile' : 'den Zeilen'} ${lines.join(', ')}.`,
  row_remove_duplicate: 'Behalten Sie eine dieser Zeilen, und entfernen Sie die anderen.',
  row_file_missing: ({ path }) => `In der Übernahme gibt es keine Datei ${path}.`,
  row_upload_file: 'Laden Sie die Datei in einem Archiv hoch, oder berichtigen Sie den Pfad.',
  row_file_legacy: ({ path }) =>
    `${path} ist von einer Art, die nur als Anhang aufbewahrt wird, nicht als Datei eines Dokuments.`,
  row_convert_file: 'Speichern Sie die Datei als PDF oder in einem heutigen Format, und laden Sie sie wieder hoch.',
  row_file_twice: ({ path, lines }) => `Die Datei ${path} wird auch von anderen Zeilen genannt: ${lines.join(', ')}.`,
  row_copy_file: 'Geben Sie jeder Zeile eine eigene Datei: Kopieren Sie die Datei unter einem anderen Namen.',
  row_path_invalid: ({ value }) => `„${value}“ ist kein Pfad einer Datei der Übernahme.`,
  row_write_path: 'Schreiben Sie den Pfad wie im Archiv, zum Beispiel documents/SOP-0001.pdf.',
  row_refused: ({ reason }) => `Der Datensatz wurde abgelehnt: ${reason}`,
  row_needs_other_row: ({ sheet, key }) =>
    `Sie braucht ${key} aus dem Blatt ${sheet}, und diese Zeile hat einen Fehler. Berichtigen Sie zuerst jene Zeile.`,
  row_correct_and_check: 'Berichtigen Sie die Zeile, laden Sie die Liste wieder hoch, und prüfen Sie sie.',
  row_refused_by_database: ({ reason }) => `Die Datenbank hat den Datensatz abgelehnt: ${reason}`,
  row_report_fault:
    'Vergleichen Sie die Zeile mit der Vorlage. Wenn sie richtig aussieht, melden Sie dies dem Betreiber.',
})

defineGerman<typeof printed>({
  migration_word: ({ word }) => wordOf(word),
  migration_report_title: ({ number }) => `Übernahmebericht ${number}`,
  migration_counts: ({ rows, errors, warnings }) => `${rows} Zeilen, ${errors} mit Fehlern, ${warnings} mit Warnungen`,
  migration_compared: ({ records, differences, files, damaged }) =>
    `${records} Datensätze, ${differences} mit Abweichungen; ${files} Dateien, ${damaged} beschädigt`,
  migration_more_rows: ({ shown, rows }) =>
    `Gedruckt sind die ersten ${shown} von ${rows} Zeilen, die mit Befunden zuerst. Der Bericht als CSV hat alle.`,
  migration_history_note:
    'Freigaben von vor der Übernahme sind Geschichte und keine elektronischen Unterschriften dieses Systems. Die Übernahme wurde mit den oben genannten Unterschriften angenommen und freigegeben.',
  migration_template_required: 'Pflichtangabe',
  migration_template_choices: ({ choices }) => `Eines von: ${choices.join(', ')}`,
})

defineGerman<typeof reasons>({
  reason_migration_virus: ({ path, virus }) => `Die Datei ${path} enthält den Virus ${virus}`,
})
