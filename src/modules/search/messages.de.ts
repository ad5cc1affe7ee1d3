import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  search_filters_malformed: 'Geben Sie ein JSON-Objekt ein, wie {"status": "effective"}.',
  search_filter_repeated: ({ name }) => `Auch der Parameter filters hat ${name}. Geben Sie es einmal an.`,
  search_nothing_to_reindex: 'Es gibt keinen Text, der noch einmal zu lesen wäre.',
})
