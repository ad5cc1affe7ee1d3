import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  audit_as_of_permission_required: ({ permission }: { permission: string }) =>
    `You need the permission ${permission} to see a record as it was at another time.`,
  audit_as_of_day_not_over: ({ today }: { today: string }) => `Choose a day before today, ${today}.`,
  audit_as_of_in_future: 'Choose a moment in the past.',
  audit_beginning_redacted:
    'The beginning of this record was redacted in the audit trail, so its state at that time cannot be reconstructed.',

  audit_pdf_too_many_rows: ({ maximum }: { maximum: number }) =>
    `A PDF holds at most ${maximum} changed fields or entries. Narrow the filter, or choose CSV or bundle.`,
  audit_pdf_too_long: 'The entries have too much text for a PDF. Narrow the filter, or choose CSV or bundle.',

  audit_checkpoint_not_older: ({ size, old }: { size: number; old: number }) =>
    `This checkpoint has ${size} entries, so it does not extend one with ${old}. Give the size of an older checkpoint.`,
  audit_checkpoint_before_entry: ({ size, entry_number }: { size: number; entry_number: number }) =>
    `The checkpoint with ${size} entries is older than this entry, which is number ${entry_number} of its epoch. Choose a later checkpoint.`,
  audit_checkpoint_not_signed: 'The service did not sign this as a checkpoint of this log. Paste the whole note.',
  audit_verification_running: 'This audit trail is already being verified. Wait until that is done.',

  audit_sealing_stopped: ({ reason }: { reason: string }) =>
    `The audit trail can no longer be sealed: ${reason}. An operator must look into it.`,
  audit_behind_anchor: ({ reason, tenant }: { reason: string; tenant: string }) =>
    `The audit trail can no longer be sealed: ${reason}. An operator must find out what happened to the database, then run "qms audit new-epoch --tenant ${tenant} --reason TEXT".`,
  audit_anchors_unreadable: ({ failures }: { failures: string }) =>
    `The audit trail cannot be sealed while its anchors cannot be read: ${failures}.`,
})

/** Texts that are printed or mailed. */
export const printed = defineMessages({
  audit_pdf_entries: ({ count, from, to }: { count: number; from: number; to: number }) =>
    `${count.toLocaleString('en')} of sequence ${from} to ${to}`,
  audit_pdf_chosen: ({ name, values }: { name: string; values: readonly string[] }) =>
    `${name} = ${values.join(' or ')}`,
  audit_pdf_filter: ({ chosen }: { chosen: readonly string[] }) => chosen.join('; '),
  audit_pdf_no_filter: 'none: all entries of this range',
  audit_pdf_head: ({ entries, filter }: { entries: string; filter: string }) =>
    `Audit trail: ${entries}; filter: ${filter}`,
  audit_pdf_no_entry: 'There is no such entry.',
  audit_pdf_compare: 'Compare this PDF with a bundle of the same range, which can be verified without the service.',
})
