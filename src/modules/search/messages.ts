import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  search_filters_malformed: 'Enter a JSON object such as {"status": "effective"}.',
  search_filter_repeated: ({ name }: { name: string }) => `The parameter filters has ${name} too. Give it once.`,
  search_nothing_to_reindex: 'There is no text to read again.',
})
