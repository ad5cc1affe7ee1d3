import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  storage_file_in_use:
    'Ein Datensatz hat begonnen, eine dieser Dateien zu verwenden, deshalb wurde keine entfernt. Beginnen Sie noch einmal.',
})
