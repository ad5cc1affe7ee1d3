import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  dossier_permission_required:
    'A dossier contains the files of the document, so you need the permission documents.download to export it.',
  dossier_outdated: ({ number }: { number: string }) =>
    `${number} was changed while its dossier was being made. Export it again.`,
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
    'The other files of this dossier hold the same facts for programs. SHA256SUMS has the SHA-256 of each file (sha256sum -c SHA256SUMS). Two dossiers of an unchanged record have the same content SHA-256; manifest.json says how it is computed.',
  dossier_version: ({ version }: { version: string }) => `Version ${version}`,
  dossier_file_differs: 'The stored file differs from the recorded file of this version.',
  dossier_workflow: ({ name, version, round }: { name: string; version: number; round: number }) =>
    `${name}, version ${version}, round ${round}`,
  dossier_file: ({ name, type, size }: { name: string; type: string; size: string }) =>
    `${name} (${type}, ${size} bytes)`,
  dossier_no_signatures: 'This document has no signatures.',
  dossier_signatures_of: ({ version }: { version: string }) => `Signatures of version ${version}`,
  dossier_signature: ({ id }: { id: number }) => `Signature ${id}`,
  dossier_signature_verified: ({ status }: { status: string }) => `verified: ${status}`,
  dossier_signature_failed: ({ status, checks }: { status: string; checks: readonly string[] }) =>
    `${status}: ${checks.join('; ')}`,
  dossier_first_entries: ({ shown, total }: { shown: number; total: number }) =>
    `The first ${shown} of ${total} entries; audit.jsonl has all of them.`,
})
