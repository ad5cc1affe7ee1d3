import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  access_review_findings_required: 'Geben Sie die Feststellungen ein.',
  access_review_findings_not_allowed: 'Lassen Sie die Feststellungen leer, oder wählen Sie das Ergebnis findings.',
  access_review_list_changed:
    'Ein Konto kam hinzu oder wurde geändert, seit Sie die Liste gelesen haben. Lesen Sie die Liste noch einmal, und unterschreiben Sie dann die Prüfung.',
  access_review_export_interrupted:
    'Ein Konto wurde geändert, während die Liste exportiert wurde. Versuchen Sie es noch einmal.',
  access_review_admins_may_approve: 'Admins dürfen Dokumente und andere Datensätze freigeben.',
  access_review_identity_not_required: 'Unterschriften verlangen keine geprüfte Identität.',
  access_review_otp_not_required: 'Unterschriften verlangen keinen zweiten Faktor.',
  access_review_configuration_alone:
    'Eine Person allein kann Workflows, Formulare, Rollen und Arten von Dokumenten ändern.',
})
