import { labelOf } from '#kernel/labels.ts'
import { defineMessages } from '#kernel/message.ts'

type Named = { number: string }
type InState = Named & { status: string }

export const messages = defineMessages({
  controlled_copy_no_effective_version: ({ number }: Named) =>
    `No version of ${number} is effective, so no copy of it can be issued.`,
  controlled_copy_other_version_effective: ({
    number,
    version,
    effective,
  }: Named & { version: string; effective: string }) =>
    `Version ${version} of ${number} is not effective, and copies are issued of effective versions only. Issue a copy of version ${effective}.`,
  controlled_copy_too_many: ({ number, maximum }: Named & { maximum: number }) =>
    `${number} has ${maximum} controlled copies in use, which is the most. Reconcile copies that are no longer needed first.`,
  controlled_copy_holder_not_trained: ({ number, username }: Named & { username: string }) =>
    `Only people trained on ${number} may have its file, and ${username} is not. Choose another person, or have ${username} trained first.`,
  controlled_copy_version_over: ({ number, version }: Named & { version: string }) =>
    `Version ${version} is no longer effective, so ${number} is not printed any more. Issue a copy of the effective version.`,
  controlled_copy_not_in_use: ({ number, status }: InState) =>
    `${number} is ${labelOf(status)}, so it is not printed any more. Issue another copy.`,
  controlled_copy_reprint_reason_required: ({ number }: Named) =>
    `${number} was printed before. Enter the reason why it is printed again.`,
  controlled_copy_printed_meanwhile: ({ number }: Named) =>
    `Someone printed ${number} at the same time. Reload it, and print it again only if you need another print.`,
  controlled_copy_not_pages: ({ number, version, reason }: Named & { version: string; reason: string }) =>
    `Version ${version} of ${number} cannot be printed with a copy number on each page: ${reason}. Upload a version as a PDF.`,
  controlled_copy_over: ({ number, status }: InState) =>
    `${number} is ${labelOf(status)} and can no longer be changed.`,
  controlled_copy_already_recalled: ({ number }: Named) => `${number} was recalled before.`,
  controlled_copy_already_lost: ({ number }: Named) =>
    `${number} is lost already. It can only be reconciled as returned or destroyed, once it is found.`,
  controlled_copy_due_date_past: 'Choose today or a later day.',
  controlled_copy_same_holder: ({ number }: Named) => `This person holds ${number} already. Choose another person.`,
  controlled_copy_never_printed: ({ number }: Named) =>
    `${number} was never printed, so nothing can be returned. Recall it, and it is cancelled.`,
  controlled_copy_already_confirmed: ({ number }: Named) =>
    `The holder has said what became of ${number}. Someone with the permission documents.print_controlled must reconcile it.`,
  controlled_copy_comment_required: ({ outcome }: { outcome: string }) =>
    `Enter a comment that says how the copy was ${labelOf(outcome)}.`,
  controlled_copy_not_holder: ({ number }: Named) =>
    `You do not hold ${number}. Only its holder can say what became of it.`,
  controlled_copy_own_reconciliation: ({ number }: Named) =>
    `You hold ${number}, or confirmed its return. Another person with the permission documents.print_controlled must reconcile it.`,
  controlled_copy_reminder_not_due: ({ number }: Named) => `No reminder is due for ${number}.`,
})

/** Texts that are printed. */
export const printed = defineMessages({
  controlled_copy_mark: ({ copy }: { copy: number }) => `CONTROLLED COPY ${copy}`,
  controlled_copy_footer: ({
    copy,
    holder,
    location,
    print,
    person,
    moment,
  }: {
    copy: number
    holder: string
    location: string
    print: number
    person: string
    moment: string
  }) =>
    `Controlled copy ${copy}${print === 1 ? '' : `, print ${print}`}. Issued to ${holder}, ${location}. Printed by ${person} at ${moment}`,
  controlled_copy_print: ({ print, reason }: { print: number; reason: string | null }) =>
    reason === null ? String(print) : `${print}: ${reason}`,
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_copy_version_ended: ({ version, status }: { version: string; status: string }) =>
    `Version ${version} became ${status}`,
})
