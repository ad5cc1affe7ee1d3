import { day, decision, documentState, number, severity } from '#kernel/german.ts'
import { labelOf, values } from '#kernel/labels.de.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

const plain = (value: string) => values[value] ?? String(labelOf(value)).replaceAll('_', ' ')

const kinds: Readonly<Record<string, string>> = {
  document: 'ein Dokument',
  deviation: 'eine Abweichung',
  capa: 'eine CAPA',
  CAPA: 'eine CAPA',
}

defineGerman<typeof messages & typeof printed>({
  dossier_permission_required:
    'Ein Dossier enthält die Dateien des Dokuments, deshalb brauchen Sie die Berechtigung documents.download, um es zu exportieren.',
  dossier_outdated: ({ number }) => `${number} wurde während des Exports geändert. Exportieren Sie noch einmal.`,
  record_too_large: ({ number }) =>
    `${number} hat zu viel Text für ein PDF. Exportieren Sie das Dossier, das alles in Dateien hat.`,

  dossier_title: ({ number }) => `Dossier von ${number}`,
  dossier_status: ({ status, version }) => `${documentState(status)} (Version ${version})`,
  dossier_signature_count: ({ total, valid }) => `${total}, davon ${valid} gültig`,
  dossier_last_changed: ({ moment, revision }) => `${day(moment)} (Revision ${revision})`,
  dossier_made_with: ({ moment, person, release }) => `${day(moment)} von ${person}, Attest ${release}`,
  dossier_content_digest: ({ digest }) => `SHA-256 des Inhalts ${digest}`,
  dossier_other_files:
    'Die anderen Dateien dieses Dossiers enthalten dieselben Fakten für Programme. SHA256SUMS hat die SHA-256 jeder Datei (sha256sum -c SHA256SUMS). Zwei Dossiers eines unveränderten Datensatzes haben dieselbe SHA-256 des Inhalts, wenn beide Exportierenden dieselben verknüpften Datensätze lesen dürfen; manifest.json sagt, wie sie berechnet wird.',
  dossier_version: ({ version }) => `Version ${version}`,
  dossier_file_differs: 'Die gespeicherte Datei weicht von der festgehaltenen Datei dieser Version ab.',
  dossier_file_removed: ({ moment, requested_by, decided_by, reason }) =>
    `Der Inhalt wurde ${day(moment)} von ${requested_by} und ${decided_by} entfernt: ${reason}`,
  dossier_file_disposed: ({ moment, requested_by, decided_by, number }) =>
    `${day(moment)} von ${requested_by} und ${decided_by} nach Ablauf der Aufbewahrungsfrist vernichtet, Vernichtungsprotokoll ${number}`,
  dossier_workflow: ({ name, version, round }) => `${name}, Version ${version}, Runde ${round}`,
  dossier_file: ({ name, type, size }) => `${name} (${type}, ${number(size)} Byte)`,
  dossier_no_signatures: 'Dieser Datensatz hat keine Unterschriften.',
  dossier_signatures_of: ({ version }) => `Unterschriften der Version ${version}`,
  dossier_signatures_of_record: ({ number }) => `Unterschriften von ${number}`,
  dossier_signature: ({ id }) => `Unterschrift ${id}`,
  dossier_signature_verified: ({ status }) => `geprüft: ${labelOf(status)}`,
  dossier_signature_failed: ({ status, checks }) => `${labelOf(status)}: ${checks.join('; ')}`,
  dossier_first_entries: ({ shown, total }) => `Die ersten ${shown} von ${total} Einträgen; audit.jsonl hat alle.`,
  dossier_first_comments: ({ shown, total }) =>
    `Die ersten ${shown} von ${total} Kommentaren; das Dossier hat alle in parts/comments.json.`,
  dossier_too_large_to_print:
    'Dieser Datensatz hat zu viel Text für ein PDF. Die anderen Dateien dieses Dossiers haben alles.',
  dossier_due: ({ day: due, original, extensions }) =>
    extensions === 0
      ? day(due)
      : `${day(due)} (zuerst ${day(original)}, ${extensions === 1 ? 'einmal' : `${extensions}-mal`} verlängert)`,
  dossier_created_as: ({ to }) => `angelegt als ${plain(to)}`,
  dossier_transition: ({ from, to }) => `${plain(from)} zu ${plain(to)}`,
  dossier_document_transition: ({ transition, from, to }) =>
    `${transition}: ${from === null ? 'neu' : documentState(from)} zu ${documentState(to)}`,
  dossier_document_decision: ({ decision: decided, transition, is_void }) =>
    `${decision(decided)} (${transition})${is_void ? ', ungültig' : ''}`,
  dossier_change: ({ type, reason }) => `${severity(type)}${reason ? `: ${reason}` : ''}`,
  dossier_relation_of_other: ({ relation }) => `${plain(relation)} (des anderen Datensatzes)`,
  dossier_record_not_readable: ({ type }) => `${kinds[type] ?? type}, die oder das Sie nicht lesen dürfen`,
  dossier_attachment: ({ id, size }) => `Anhang ${id}, ${number(size)} Byte`,
  dossier_form: ({ name, version }) => `Formular ${name}, Version ${version}`,
  dossier_form_attachment: ({ id }) => `Anhang ${id}`,
  dossier_imported: ({ batch, source }) => `aus ${source}, mit ${batch}`,
  dossier_action: ({ number }) => `Maßnahme ${number}`,
  dossier_review: ({ number }) => `Wirksamkeitsprüfung ${number}`,
  dossier_training: ({ number, id }) => `${number}, Schulung ${id}`,
  record_title: ({ number }) => `Datensatz ${number}`,
  record_footer: 'Gedruckt nicht gelenkt',
  record_note:
    'Dieser Ausdruck zeigt den Datensatz, wie er bei der Erstellung war. Unterschriften und angehängte Dateien wurden dafür nicht geprüft; das Dossier des Datensatzes hat ihre Prüfung, die Dateien und den Audit Trail.',
})
