import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  too_many_at_once: 'Too many requests of this kind are in progress. Try again in a minute.',
  csv_quotes_do_not_match: ({ line }: { line: number }) =>
    `The quotes in line ${line} do not match. Save the list as CSV again.`,
})

/** Texts that are printed or mailed, and why a file is not shown as pages, in the middle of a sentence. */
export const printed = defineMessages({
  pdf_page: ({ page, pages }: { page: string; pages: string }) => `Page ${page} of ${pages}`,
  pdf_numbers: 'A number such as <U+738B> stands for a character that the font of this page does not have.',
  pdf_not_shown: ({ reason }: { reason: string }) => `The file is not shown here: ${reason}.`,
  pdf_attached: 'It is attached to this PDF, byte for byte as it is stored.',
  pdf_too_large_to_attach:
    'It is too large to be attached: download it without a rendition. It is the one with this SHA-256.',
  pdf_original: 'The original',

  pages_unreadable: 'it could not be read',
  pages_too_slow: 'it took too long to read',
  pages_too_much_memory: 'it takes more memory than there is for one file',
  pages_file_too_large: ({ mebibytes }: { mebibytes: number }) => `it is larger than ${mebibytes} MiB`,
  pages_text_too_long: ({ mebibytes }: { mebibytes: number }) => `it is a text of more than ${mebibytes} MiB`,
  pages_kind_without_pages: 'there is no way to show a file of this kind as pages',
  pages_converter_missing: 'showing it takes LibreOffice, which is not installed here',
  pages_converter_failed: 'LibreOffice could not read it',
  pages_converter_too_slow: 'LibreOffice took too long to read it',
  pages_converter_not_started: 'LibreOffice could not be started',
})
