import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  similar_deviations_of_one: 'Enter either a text (q) or the id of a deviation (deviation_id), not both.',
})

/** What two deviations share. */
export const printed = defineMessages({
  similar_words: ({ words }: { words: readonly string[] }) => `words: ${words.join(', ')}`,
  similar_title: 'title',
  similar_meaning: 'meaning',
  similar_item: ({ item }: { item: string }) => `item: ${item}`,
  similar_category: ({ category }: { category: string }) => `category: ${category}`,
  similar_root_cause: ({ category }: { category: string }) => `root cause: ${category}`,
})
