import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  storage_file_in_use: 'A record has begun to use one of these files, so none was removed. Start the sweep again.',
})
