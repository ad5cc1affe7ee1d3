import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  audit_review_findings_required: 'Geben Sie die Feststellungen ein.',
  audit_review_findings_not_allowed: 'Lassen Sie die Feststellungen leer, oder wählen Sie das Ergebnis findings.',
  audit_review_record_kind_required: 'Wählen Sie die Art des Datensatzes.',
  audit_review_period_reversed: 'Wählen Sie ein Ende, das nicht vor dem Anfang liegt.',
  audit_review_period_not_over: 'Wählen Sie einen Zeitraum, der vorbei ist.',
  audit_review_no_entries:
    'Der Filter findet in diesem Zeitraum keinen Eintrag. Ändern Sie den Filter oder den Zeitraum.',
  audit_review_own_actions_only:
    'Alles, was Personen in dieser Auswahl taten, waren Sie selbst, deshalb muss eine andere Person sie prüfen.',
})
