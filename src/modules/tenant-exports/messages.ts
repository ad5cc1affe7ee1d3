import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  export_in_progress: 'An export is already being made. Wait until it is complete, or delete it.',
  export_not_ready: 'The archive is not complete yet. Download it once the export is ready.',
  export_failed: 'This export could not be made, so there is no archive. Request a new one.',
  export_gone: 'The archive of this export was removed. Request a new export.',
  export_ended: 'This export has no archive any more, so there is nothing to delete.',
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_export_expired: ({ days }: { days: number }) => `Archives are kept for ${days} days`,
  reason_export_not_made: 'It failed in all attempts. The log of the service says why',
  reason_export_by_operator: 'An operator wrote everything of the company into a folder',
})

/** Texts of the pages of an archive. */
export const printed = defineMessages({
  export_page_overview: 'Overview',
  export_page_documents: 'Documents',
  export_page_deviations: 'Deviations',
  export_page_capas: 'CAPAs',
  export_page_training: 'Training',
  export_page_people: 'People',
  export_page_signatures: 'Signatures',
  export_page_trail: 'Audit trail',
  export_skip_to_content: 'Skip to content',
  export_navigation: 'Parts of the export',
  export_footer: ({ moment }: { moment: string }) => `Export from Attest, as of ${moment}`,
  export_title: ({ company }: { company: string }) => `Export of ${company}`,
  export_lead: ({ moment }: { moment: string }) => `All records as of ${moment}.`,
  export_files_missing: ({ count }: { count: number }) =>
    count === 1
      ? 'One file is missing from the file store, or is not as it was stored. files.jsonl names it.'
      : `${count} files are missing from the file store, or are not as they were stored. files.jsonl names them.`,
  export_column_records: 'Records',
  export_column_count: 'Number',
  export_about: 'About this export',
  export_as_of: 'As of',
  export_requested: 'Requested',
  export_requested_by: ({ person, moment }: { person: string; moment: string }) => `${moment} by ${person}`,
  export_files: 'Files of records',
  export_files_count: ({ count, bytes }: { count: number; bytes: number }) =>
    `${count.toLocaleString('en')} (${bytes.toLocaleString('en')} bytes)`,
  export_installation: 'Installation',
  export_verifier_key: 'Key of the audit trail',
  export_check: 'Check this export',
  export_check_how:
    'These programs check every file, the audit trail and the signatures without Attest. Take the keys from somewhere else than this export.',
  export_readme: 'A description of each file, and of how it is checked:',
  export_other_records: 'Other records, for programs',
  export_list_lead: ({ file }: { file: string }) => `The whole records are in ${file}.`,
  export_list_empty: 'There are none.',
  export_signature: 'Signature',
  export_signatures_lead: ({ total, valid }: { total: number; valid: number }) =>
    `${total.toLocaleString('en')}, of which ${valid.toLocaleString('en')} are valid`,
  export_signature_status: ({ status }: { status: string }) => String(status).replaceAll('_', ' '),
  export_signature_unreadable: 'The signed record cannot be read',
  export_trail_lead: 'Every action with its person and time, and the proof that no entry was changed or removed since.',
  export_trail_file: 'All entries are in',
  export_trail_actions: 'Entries by action',
})
