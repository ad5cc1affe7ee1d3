import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  job_not_failed: 'Dieser Auftrag ist nicht fehlgeschlagen. Nur ein fehlgeschlagener kann erneut gestartet werden.',
  jobs_none_failed: 'In den letzten 30 Tagen ist kein Auftrag fehlgeschlagen.',
})
