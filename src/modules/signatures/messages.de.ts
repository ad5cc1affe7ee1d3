import { day } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

defineGerman<typeof messages & typeof printed>({
  signature_exists: ({ number, version }) =>
    `Sie haben ${version === null ? '' : `Version ${version} von `}${number} mit dieser Bedeutung schon unterschrieben.`,
  signature_meaning_not_permitted: ({ meaning, permission }) =>
    `Mit der Bedeutung ${meaning} außerhalb eines Ablaufs zu unterschreiben verlangt die Berechtigung ${permission}. Unterschreiben Sie den Freigabeschritt des Ablaufs, oder unterschreiben Sie als acknowledgement oder witness.`,
  signature_own_document: ({ number, meaning }) =>
    `${number} gehört Ihnen, oder Sie haben diese Version verfasst, deshalb muss eine andere Person mit der Bedeutung ${meaning} unterschreiben.`,
  signature_record_changed: ({ number }) =>
    `${number} wurde geändert, während Sie unterschrieben. Laden Sie neu, und unterschreiben Sie dann noch einmal.`,
  signature_content_changed:
    'Dies wurde geändert, während Sie es unterschrieben. Laden Sie neu, und unterschreiben Sie dann noch einmal.',
  signature_files_changed: ({ number }) =>
    `An ${number} wurde eine Datei angehängt, während Sie unterschrieben. Laden Sie neu, und unterschreiben Sie dann noch einmal.`,

  signature_already_void: 'Diese Unterschrift ist schon ungültig.',
  signature_of_own_decision:
    'Diese Unterschrift gehört zu Ihrer Freigabe einer Version in Arbeit. Nehmen Sie die Freigabe zurück, um sie ungültig zu machen.',
  signature_of_decision:
    'Diese Unterschrift gehört zur Freigabe einer Version in Arbeit durch eine andere Person. Wer unterschrieb, kann die Freigabe zurücknehmen, und Freigebende können die Version ablehnen.',
  signature_of_approval:
    'Diese Unterschrift gehört zur Freigabe einer freigegebenen Version. Laden Sie eine neue Version hoch, die sie ersetzt.',
  signature_of_effective_version:
    'Diese Unterschrift gehört zur Freigabe einer gültigen Version. Laden Sie eine neue Version hoch, die sie ersetzt, oder machen Sie das Dokument ungültig.',
  signature_of_ended_version:
    'Diese Unterschrift gehört zur Freigabe einer Version, die nicht mehr in Gebrauch ist, und bleibt, wie sie gegeben wurde.',
  signature_of_approval_withdrawal:
    'Mit dieser Unterschrift wurde eine Freigabe zurückgenommen, und das bleibt so. Geben Sie die Version noch einmal frei.',
  signature_of_obsolescence:
    'Mit dieser Unterschrift wurde das Dokument ungültig, und das lässt sich nicht zurücknehmen. Laden Sie das Dokument als neues hoch.',
  signature_of_periodic_review:
    'Diese Unterschrift gehört zu einer regelmäßigen Überprüfung, die bleibt, wie sie entschieden wurde. Entscheiden Sie eine weitere Überprüfung.',
  signature_of_deviation_closure:
    'Mit dieser Unterschrift wurde die Abweichung abgeschlossen oder abgebrochen. Eine abgeschlossene Abweichung kann wieder geöffnet werden, was die Unterschrift ersetzt.',
  signature_of_capa_closure:
    'Mit dieser Unterschrift wurde die CAPA abgeschlossen, und das lässt sich nicht zurücknehmen. Legen Sie eine weitere CAPA an.',
  signature_of_effectiveness:
    'Diese Unterschrift gehört zu einer Wirksamkeitsprüfung, die bleibt, wie sie abgeschlossen wurde. Planen Sie eine weitere Prüfung.',
  signature_of_training:
    'Diese Unterschrift gehört zu einer Schulung, die bleibt, wie sie abgeschlossen wurde. Weisen Sie die Schulung noch einmal zu.',
  signature_of_audit_review:
    'Diese Unterschrift gehört zu einer Prüfung des Audit Trails, die bleibt, wie sie ist. Legen Sie eine weitere Prüfung an.',
  signature_of_configuration_change:
    'Mit dieser Unterschrift trat eine Konfigurationsänderung in Kraft, die bleibt, wie sie freigegeben wurde. Schlagen Sie eine weitere Änderung vor.',
  signature_of_access_review:
    'Diese Unterschrift gehört zu einer Zugriffsprüfung, die bleibt, wie sie ist. Legen Sie eine weitere Prüfung an.',
  signature_of_file_removal:
    'Diese Unterschrift gehört zur Entfernung einer Datei, die bleibt, wie sie entschieden wurde. Ziehen Sie einen noch offenen Antrag zurück, oder lehnen Sie ihn ab.',
  signature_file_removed: ({ number }) =>
    `Die Datei dieser Version von ${number} wurde entfernt, deshalb kann sie nicht unterschrieben werden. Unterschreiben Sie eine andere Version.`,

  signature_none: 'Diese Version hat keine Unterschriften.',
  signature_how_to_verify:
    'Um eine Unterschrift zu prüfen, schlagen Sie sie in Attest unter ihrer Nummer nach (GET /api/signatures/{number}): Ihre Prüfsumme beginnt mit dem Prüfcode, und ihre Prüfung zeigt, ob der unterschriebene Inhalt, seine Dateien und die unterschreibende Person unverändert sind.',
  signature_void_since: ({ moment, reason }) => `UNGÜLTIG seit ${day(moment)}: ${reason}`,
  signature_superseded: 'ERSETZT: Die Angaben wurden nach der Unterschrift geändert',
  signature_record_superseded: 'ERSETZT: Der Datensatz wurde nach der Unterschrift wieder geöffnet oder geändert',
  signature_outside_workflow: 'außerhalb des Ablaufs gegeben',
  signature_for: ({ person }) => `für ${person}`,
  signature_code: ({ code, id }) => `${code} (Unterschrift ${id})`,
})
