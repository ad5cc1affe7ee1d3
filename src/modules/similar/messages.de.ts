import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  similar_deviations_of_one:
    'Geben Sie entweder einen Text (q) oder die ID einer Abweichung (deviation_id) ein, nicht beides.',
})
