import { defineMessages } from '#kernel/message.ts'

interface Titled {
  title: string
}

export const messages = defineMessages({
  disposal_on_hold: ({ title, number }: Titled & { number: string }) =>
    `${title} is under legal hold (${number}), so it cannot be disposed of. Leave it out, or have the hold lifted.`,
  disposal_of_version_in_use: ({ title }: Titled) =>
    `${title} is under way, approved or effective, so it cannot be disposed of. Leave it out.`,
  disposal_of_referenced: ({ title }: Titled) =>
    `An open deviation, CAPA or training names ${title}, so it cannot be disposed of. Close it first, or leave this version out.`,
  disposal_with_copies_out: ({ title }: Titled) =>
    `Controlled copies of ${title} are not returned, so it cannot be disposed of. Reconcile them first, or leave it out.`,
  disposal_of_open_record: ({ title }: Titled) => `${title} is open, so its files cannot be disposed of. Leave it out.`,
  disposal_with_open_link: ({ title }: Titled) =>
    `An open deviation or CAPA is linked to ${title}, so its files cannot be disposed of. Close it first, or leave this record out.`,
  disposal_with_removal_requested: ({ title }: Titled) =>
    `The removal of a file of ${title} is requested. Decide that request first, or leave this record out.`,
  disposal_without_files: ({ title }: Titled) =>
    `${title} has no attached files, so there is nothing to dispose of. Its text, signatures and audit trail are kept. Leave it out.`,
  disposal_without_period: ({ title }: Titled) =>
    `${title} is kept for ever, because the settings have no retention period for such records. Leave it out.`,
  disposal_without_retention: ({ title }: Titled) =>
    `${title} is kept for ever, because its document type has no retention period. Leave it out.`,
  disposal_before_retention_day: ({ title, retention_until }: Titled & { retention_until: string }) =>
    `${title} must be kept until ${retention_until}. Leave it out.`,
  disposal_proposed_already: ({ title, number }: Titled & { number: string }) =>
    `${number} already lists ${title}. Decide that disposal, or leave this record out.`,
  disposal_done_already: ({ title, number }: Titled & { number: string }) => `${number} already disposed of ${title}.`,
  disposal_names_record_twice: 'This record is named twice. Name it once.',
  disposal_names_nothing: 'Name the versions, deviations or CAPAs to dispose of.',
  disposal_names_too_many: ({ most }: { most: number }) =>
    `A disposal has at most ${most} records. Propose the rest in another one.`,
  disposal_without_decider:
    'Nobody else can decide this disposal: it needs another active person with the permissions retention.approve_disposal and retention.read. Give them to somebody, then try again.',
  disposal_own: 'You proposed this disposal, so another person must decide on it. You can withdraw it instead.',
  disposal_not_own: 'Only the person who proposed this disposal can withdraw it. Reject it instead.',
  disposal_decided: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${status}, so there is nothing to decide.`,
  legal_hold_one_scope:
    'Name one thing to hold: a record, a document type, a kind of record, an affected item or a department.',
  legal_hold_own: 'You placed this hold, so another person must lift it.',
  legal_hold_lifted_already: ({ number }: { number: string }) => `${number} is lifted already.`,
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_disposal_not_approved: ({ number }: { number: string }) => `${number} was not approved`,
})
