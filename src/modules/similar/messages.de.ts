import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

defineGerman<typeof messages & typeof printed>({
  similar_deviations_of_one:
    'Geben Sie entweder einen Text (q) oder die ID einer Abweichung (deviation_id) ein, nicht beides.',

  similar_words: ({ words }) => `Wörter: ${words.join(', ')}`,
  similar_title: 'Titel',
  similar_meaning: 'Bedeutung',
  similar_item: ({ item }) => `Betroffen: ${item}`,
  similar_category: ({ category }) => `Kategorie: ${category}`,
  similar_root_cause: ({ category }) => `Kategorie der Ursache: ${category}`,
})
