import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  uploads_too_many: ({ maximum, hours }) =>
    `${maximum} Ihrer Dateien warten auf ihren Datensatz, mehr sind nicht möglich. Verwenden Sie sie, oder warten Sie, bis sie nach ${hours} Stunden verfallen.`,
})
