import { labelOf } from '#kernel/labels.ts'
import { defineMessages } from '#kernel/message.ts'

const plain = (value: string) => String(labelOf(value)).replaceAll('_', ' ')

export const messages = defineMessages({
  dossier_permission_required:
    'A dossier contains the files of the document, so you need the permission documents.download to export it.',
  dossier_outdated: ({ number }: { number: string }) =>
    `${number} was changed while the export was being made. Export it again.`,
  record_too_large: ({ number }: { number: string }) =>
    `${number} has too much text for one PDF. Export its dossier, which has all of it in files.`,
})

/** Texts that are printed or mailed. */
export const printed = defineMessages({
  dossier_title: ({ number }: { number: string }) => `Dossier of ${number}`,
  dossier_status: ({ status, version }: { status: string; version: string }) => `${status} (version ${version})`,
  dossier_signature_count: ({ total, valid }: { total: number; valid: number }) =>
    `${total}, of which ${valid} are valid`,
  dossier_last_changed: ({ moment, revision }: { moment: string; revision: number }) =>
    `${moment} (revision ${revision})`,
  dossier_made_with: ({ moment, person, release }: { moment: string; person: string; release: string }) =>
    `${moment} by ${person}, Attest ${release}`,
  dossier_content_digest: ({ digest }: { digest: string }) => `Content SHA-256 ${digest}`,
  dossier_other_files:
    'The other files of this dossier hold the same facts for programs. SHA256SUMS has the SHA-256 of each file (sha256sum -c SHA256SUMS). Two dossiers of an unchanged record have the same content SHA-256, if those who exported them may read the same linked records; manifest.json says how it is computed.',
  dossier_version: ({ version }: { version: string }) => `Version ${version}`,
  dossier_file_differs: 'The stored file differs from the recorded file of this version.',
  dossier_file_removed: ({
    moment,
    requested_by,
    decided_by,
    reason,
  }: {
    moment: string
    requested_by: string
    decided_by: string
    reason: string
  }) => `The content was removed on ${moment} by ${requested_by} and ${decided_by} because: ${reason}`,
  dossier_file_disposed: ({
    moment,
    requested_by,
    decided_by,
    number,
  }: {
    moment: string
    requested_by: string
    decided_by: string
    number: string
  }) =>
    `Disposed of on ${moment} by ${requested_by} and ${decided_by} after the retention period, record of disposal ${number}`,
  dossier_workflow: ({ name, version, round }: { name: string; version: number; round: number }) =>
    `${name}, version ${version}, round ${round}`,
  dossier_file: ({ name, type, size }: { name: string; type: string; size: number }) =>
    `${name} (${type}, ${size.toLocaleString('en')} bytes)`,
  dossier_no_signatures: 'This record has no signatures.',
  dossier_signatures_of: ({ version }: { version: string }) => `Signatures of version ${version}`,
  dossier_signatures_of_record: ({ number }: { number: string }) => `Signatures of ${number}`,
  dossier_signature: ({ id }: { id: number }) => `Signature ${id}`,
  dossier_signature_verified: ({ status }: { status: string }) => `verified: ${status}`,
  dossier_signature_failed: ({ status, checks }: { status: string; checks: readonly string[] }) =>
    `${status}: ${checks.join('; ')}`,
  dossier_first_entries: ({ shown, total }: { shown: number; total: number }) =>
    `The first ${shown} of ${total} entries; audit.jsonl has all of them.`,
  dossier_first_comments: ({ shown, total }: { shown: number; total: number }) =>
    `The first ${shown} of ${total} comments; the dossier has all of them in parts/comments.json.`,
  dossier_too_large_to_print:
    'This record has too much text for one PDF. The other files of this dossier have all of it.',
  dossier_due: ({ day, original, extensions }: { day: string; original: string; extensions: number }) =>
    extensions === 0
      ? day
      : `${day} (first ${original}, extended ${extensions === 1 ? 'once' : `${extensions} times`})`,
  dossier_created_as: ({ to }: { to: string }) => `created as ${plain(to)}`,
  dossier_transition: ({ from, to }: { from: string; to: string }) => `${plain(from)} to ${plain(to)}`,
  dossier_document_transition: ({ transition, from, to }: { transition: string; from: string | null; to: string }) =>
    `${transition}: ${from ?? 'new'} to ${to}`,
  dossier_document_decision: ({
    decision,
    transition,
    is_void,
  }: {
    decision: string
    transition: string
    is_void: boolean
  }) => `${decision} (${transition})${is_void ? ', void' : ''}`,
  dossier_change: ({ type, reason }: { type: string; reason: string | null }) =>
    `${type}${reason ? `: ${reason}` : ''}`,
  dossier_relation_of_other: ({ relation }: { relation: string }) => `${plain(relation)} (of the other record)`,
  dossier_record_not_readable: ({ type }: { type: string }) => `a ${plain(type)} that you may not read`,
  dossier_attachment: ({ id, size }: { id: number; size: number }) =>
    `attachment ${id}, ${size.toLocaleString('en')} bytes`,
  dossier_form: ({ name, version }: { name: string; version: number }) => `Form ${name}, version ${version}`,
  dossier_form_attachment: ({ id }: { id: number }) => `attachment ${id}`,
  dossier_imported: ({ batch, source }: { batch: string; source: string }) => `from ${source}, by ${batch}`,
  dossier_action: ({ number }: { number: number }) => `Action ${number}`,
  dossier_review: ({ number }: { number: number }) => `Effectiveness review ${number}`,
  dossier_training: ({ number, id }: { number: string; id: number }) => `${number}, training ${id}`,
  record_title: ({ number }: { number: string }) => `Record of ${number}`,
  record_footer: 'Uncontrolled when printed',
  record_note:
    'This print shows the record as it was when it was generated. Signatures and attached files were not verified for it; the dossier of the record has their verification, the files and the audit trail.',
})
