import { day } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  assistant_not_configured: 'Der Assistent ist in dieser Installation abgeschaltet.',
  assistant_switched_off: 'Der Assistent ist in den Einstellungen Ihrer Firma abgeschaltet.',
  assistant_tokens_used_up: ({ renewed_at }) =>
    `Ihre Firma hat die monatlichen Token für den Assistenten verbraucht, oder es sind zu wenige für diese Anfrage übrig. Der nächste Monat beginnt ${day(renewed_at)}.`,
  assistant_budget_used_up: ({ renewed_at }) =>
    `Ihre Firma hat das monatliche Budget für den Assistenten verbraucht, oder es ist zu wenig für diese Anfrage übrig. Der nächste Monat beginnt ${day(renewed_at)}.`,
  assistant_call_abandoned: 'Der Assistent hat zu lange gebraucht. Versuchen Sie es noch einmal.',
  assistant_call_ended: 'Der Aufruf des Assistenten ist schon beendet.',
})
