import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  event_streams_of_person: ({ maximum }: { maximum: number }) =>
    `You have ${maximum} open event streams, and there may be no more. Close a window, or ask again now and then instead.`,
  event_streams_of_process: 'The service has too many open event streams. Ask again now and then instead.',
})
