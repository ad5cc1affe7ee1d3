import { day, number } from '#kernel/german.ts'
import { labelOf } from '#kernel/labels.de.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

const statuses: Readonly<Record<string, string>> = {
  valid: 'gültig',
  superseded: 'gültig, für eine frühere Fassung',
  content_removed: 'gültig, Inhalt entfernt',
  void: 'für ungültig erklärt',
  content_mismatch: 'Inhalt verändert',
  seal_invalid: 'Siegel ungültig',
}

defineGerman<typeof messages & typeof printed>({
  export_in_progress: 'Ein Export wird gerade erstellt. Warten Sie, bis er fertig ist, oder löschen Sie ihn.',
  export_not_ready: 'Das Archiv ist noch nicht fertig. Laden Sie es herunter, sobald der Export fertig ist.',
  export_failed: 'Dieser Export konnte nicht erstellt werden, deshalb gibt es kein Archiv. Fordern Sie einen neuen an.',
  export_gone: 'Das Archiv dieses Exports wurde entfernt. Fordern Sie einen neuen Export an.',
  export_ended: 'Dieser Export hat kein Archiv mehr, deshalb gibt es nichts zu löschen.',

  export_page_overview: 'Überblick',
  export_page_documents: 'Dokumente',
  export_page_deviations: 'Abweichungen',
  export_page_capas: 'CAPAs',
  export_page_training: 'Schulungen',
  export_page_people: 'Personen',
  export_page_signatures: 'Unterschriften',
  export_page_trail: 'Audit-Trail',
  export_skip_to_content: 'Zum Inhalt springen',
  export_navigation: 'Teile des Exports',
  export_footer: ({ moment }) => `Export aus Attest, Stand ${day(moment)}`,
  export_title: ({ company }) => `Export von ${company}`,
  export_lead: ({ moment }) => `Alle Datensätze, Stand ${day(moment)}.`,
  export_files_missing: ({ count }) =>
    count === 1
      ? 'Eine Datei fehlt im Dateispeicher oder ist nicht wie gespeichert. files.jsonl nennt sie.'
      : `${number(count)} Dateien fehlen im Dateispeicher oder sind nicht wie gespeichert. files.jsonl nennt sie.`,
  export_column_records: 'Datensätze',
  export_column_count: 'Anzahl',
  export_about: 'Über diesen Export',
  export_as_of: 'Stand',
  export_requested: 'Angefordert',
  export_requested_by: ({ person, moment }) => `${day(moment)} von ${person}`,
  export_files: 'Dateien der Datensätze',
  export_files_count: ({ count, bytes }) => `${number(count)} (${number(bytes)} Byte)`,
  export_installation: 'Installation',
  export_verifier_key: 'Schlüssel des Audit-Trails',
  export_check: 'Diesen Export prüfen',
  export_check_how:
    'Diese Programme prüfen jede Datei, den Audit-Trail und die Unterschriften ohne Attest. Nehmen Sie die Schlüssel nicht aus diesem Export.',
  export_readme: 'Eine Beschreibung jeder Datei und ihrer Prüfung:',
  export_other_records: 'Andere Datensätze, für Programme',
  export_list_lead: ({ file }) => `Die vollständigen Datensätze stehen in ${file}.`,
  export_list_empty: 'Es gibt keine.',
  export_signature: 'Unterschrift',
  export_signatures_lead: ({ total, valid }) => `${number(total)}, davon ${number(valid)} gültig`,
  export_signature_status: ({ status }) => `${statuses[status] ?? labelOf(status)}`,
  export_signature_unreadable: 'Der unterschriebene Datensatz kann nicht gelesen werden',
  export_trail_lead:
    'Jede Aktion mit Person und Zeit, und der Nachweis, dass seither kein Eintrag geändert oder entfernt wurde.',
  export_trail_file: 'Alle Einträge stehen in',
  export_trail_actions: 'Einträge nach Aktion',
})
