import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  event_streams_of_person: ({ maximum }) =>
    `Sie haben ${maximum} offene Ereignisströme, mehr sind nicht möglich. Schließen Sie ein Fenster, oder fragen Sie stattdessen ab und zu.`,
  event_streams_of_process: 'Der Dienst hat zu viele offene Ereignisströme. Fragen Sie stattdessen ab und zu.',
})
