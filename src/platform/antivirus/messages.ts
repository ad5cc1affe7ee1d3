import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  virus_scanner_unavailable:
    'The virus scanner does not answer, and no file is accepted without a scan. Try again later.',
  virus_scanner_failed: 'The virus scanner could not scan the file, so it was not accepted. Try again later.',
  file_beyond_virus_scanner:
    'The virus scanner does not take a file of this size or kind, so it was not accepted. Contact your operator.',
})
