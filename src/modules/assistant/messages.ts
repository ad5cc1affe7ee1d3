import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  assistant_unreachable: 'The assistant cannot be reached at the moment. Try again later.',
  assistant_too_slow: 'The assistant did not answer in time. Try again later.',
  assistant_request_rejected: 'The language model rejected the request. Inform the operator of this installation.',
  assistant_answer_unusable: 'The assistant gave an answer that cannot be used. Try again.',
  assistant_busy: 'The assistant is busy. Try again in a moment.',
  assistant_paused: 'The assistant is paused after a failure. Try again in a moment.',
  assistant_documents_permission_missing:
    'You need the permission documents.read to ask the assistant about documents.',
  assistant_document_not_trained: ({ numbers }: { numbers: readonly string[] }) =>
    `Only people trained on ${numbers.join(', ')} may know the content. Complete the training first.`,
  assistant_draft_permission_missing: 'You need the permission documents.create to create a document from the text.',
  assistant_title_required: 'Enter a title for the document.',
  assistant_document_type_unknown: 'Choose an active document type.',
  assistant_text_cut: 'The text is longer than an answer can be, so no document was created. Ask for a part of it.',
  assistant_text_not_ready: ({ number }: { number: string }) =>
    `The text of ${number} is still being extracted. Try again in a minute.`,
  assistant_text_missing: ({ number, reason }: { number: string; reason: string | null }) =>
    `The assistant cannot read any text of ${number}.${reason === null ? '' : ` ${reason}`}`,
})

/** Notes of an answer about the text that it used. */
export const printed = defineMessages({
  /** `reason`: why some of its text could not be extracted. */
  assistant_pieces_left_out: ({ left, all, reason }: { left: number; all: number; reason: string | null }) =>
    `${left} of the ${all} pieces of its text were left out, because the document is too long to be read at once. They have the least to do with the instructions.${reason === null ? '' : ` ${reason}`}`,
  assistant_text_incomplete: ({ reason }: { reason: string }) => `Not all of its text could be read. ${reason}`,
})
