import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  too_many_at_once: 'Too many requests of this kind are in progress. Try again in a minute.',
  csv_quotes_do_not_match: ({ line }: { line: number }) =>
    `The quotes in line ${line} do not match. Save the list as CSV again.`,
})

/** Texts that are printed or mailed. */
export const printed = defineMessages({
  pdf_page: ({ page, pages }: { page: string; pages: string }) => `Page ${page} of ${pages}`,
  pdf_numbers: 'A number such as <U+738B> stands for a character that the font of this page does not have.',
  pdf_not_shown: ({ reason }: { reason: string }) => `The file is not shown here: ${reason}.`,
  pdf_attached: 'It is attached to this PDF, byte for byte as it is stored.',
  pdf_too_large_to_attach:
    'It is too large to be attached: download it without a rendition. It is the one with this SHA-256.',
  pdf_original: 'The original',
})
