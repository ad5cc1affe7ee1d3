import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  similar_deviations_of_one: 'Enter either a text (q) or the id of a deviation (deviation_id), not both.',
})
