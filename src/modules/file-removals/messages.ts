import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  file_removal_one_file:
    'Name one file: `document_id` with `version` for the file of a version, or `attachment_id` for an attached file.',
  file_removal_version_required: 'Name the version of the document whose file is to be removed.',
  file_removal_of_effective: ({ title }: { title: string }) =>
    `${title} is effective, so people work by its file. Make the document obsolete or release a newer version, then request the removal.`,
  file_removal_in_review: ({ title }: { title: string }) =>
    `${title} is in review or waits to become effective, so its file cannot be removed. Take it back or reject it, then request the removal.`,
  file_removal_requested_already: ({ title, number }: { title: string; number: string }) =>
    `${number} already asks for the removal of the file of ${title}. Decide that request.`,
  file_removal_done_already: ({ title, number }: { title: string; number: string }) =>
    `${number} already removed the file of ${title}.`,
  file_removal_without_decider:
    'Nobody else can decide this request: it needs another active person with the permissions files.decide_removal and files.read_removals. Give them to somebody, then try again.',
  file_removal_own: 'You requested this removal, so another person must decide on it. You can withdraw it instead.',
  file_removal_not_own: 'Only the person who requested this removal can withdraw it. Reject it instead.',
  file_removal_decided: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${status}, so there is nothing to decide.`,
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_content_restored: 'The store had the content of the removed file again, as after a restore',
})
