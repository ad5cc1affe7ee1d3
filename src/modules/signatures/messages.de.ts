import { day } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

const setBack = (clock: readonly string[]) =>
  clock.map(what => `. Die Uhr war zurückgestellt: Sie ist datiert, bevor ${what}`).join('')

defineGerman<typeof messages & typeof printed>({
  signature_exists: ({ number, version }) =>
    `Sie haben ${version === null ? '' : `Version ${version} von `}${number} mit dieser Bedeutung schon unterschrieben.`,
  signature_meaning_not_permitted: ({ meaning, permission }) =>
    `Mit der Bedeutung ${meaning} außerhalb eines Workflows zu unterschreiben verlangt die Berechtigung ${permission}. Unterschreiben Sie den Freigabeschritt des Workflows, oder unterschreiben Sie als acknowledgement oder witness.`,
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
  signature_of_migration:
    'Diese Unterschrift gehört zu einem übernommenen Datenbestand, der bleibt, wie er angenommen wurde. Berichtigen Sie die übernommenen Datensätze selbst.',
  signature_of_disposal:
    'Diese Unterschrift gehört zu einer Vernichtung, die bleibt, wie sie entschieden wurde. Ziehen Sie einen noch offenen Vorschlag zurück oder lehnen Sie ihn ab.',
  signature_of_legal_hold: 'Diese Unterschrift hat eine Löschsperre aufgehoben. Setzen Sie stattdessen eine neue.',
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
  signature_outside_workflow: 'außerhalb des Workflows gegeben',
  signature_for: ({ person }) => `für ${person}`,
  signature_code: ({ code, id }) => `${code} (Unterschrift ${id})`,

  check_complete: 'Alle nötigen Angaben der Unterschrift sind da',
  check_name_missing: 'Der ausgeschriebene Name der unterschreibenden Person fehlt',
  check_row_differs: ({ fields }) => `Der Datensatz weicht von dem ab, was unterschrieben wurde: ${fields.join(', ')}`,
  check_unreadable: 'Der unterschriebene Inhalt ist nicht lesbar und lässt sich nicht vergleichen',
  check_sealed: 'Der unterschriebene Inhalt passt zu seinem Siegel',
  check_sealed_by_unknown:
    'Der unterschriebene Inhalt passt zu seinem Siegel. Ob der Schlüssel des Siegels zu diesem Dienst gehört, wurde nicht geprüft, weil kein Schlüssel des Dienstes zur Hand war',
  check_key_replaced: ({ key }) => `Der Schlüssel ${key} wurde durch einen anderen ersetzt`,
  check_key_of_others: ({ key }) =>
    `Der Schlüssel ${key} gehört nicht zu diesem Dienst: Kein jetziger oder früherer Schlüssel hat ihn bestätigt`,
  check_content_altered: 'Der unterschriebene Inhalt oder seine Prüfsumme wurde verändert',
  check_seal_wrong: 'Das Siegel ist nicht das Siegel dieses Dienstes über den unterschriebenen Inhalt',
  check_copy: ({ id }) => `Sie ist eine Kopie der Unterschrift ${id}`,
  check_of_record: ({ number }) => `Sie gehört zu ${number}`,
  check_record_of_another_number: 'Den unterschriebenen Datensatz gibt es nicht, oder nicht unter dieser Nummer',
  check_of_version: ({ number, version }) => `Sie gehört zu Version ${version} von ${number}`,
  check_version_of_another: 'Die unterschriebene Version gehört nicht zu diesem Dokument',
  check_signer: ({ username }) => `Unterschrieben hat ${username}`,
  check_signer_gone: 'Das Konto der unterschreibenden Person gibt es nicht mehr',
  check_signer_renamed: ({ username }) => `Der Benutzername der unterschreibenden Person ist jetzt ${username}`,
  check_follows: ({ id }) => `Sie folgt der Unterschrift ${id}`,
  check_first: () => 'Sie ist die erste Unterschrift dieses Datensatzes',
  check_was_first: ({ id }) =>
    `Sie war die erste Unterschrift dieses Datensatzes, und jetzt geht ihr die Unterschrift ${id} voran`,
  check_preceding_gone: 'Die vorhergehende Unterschrift wurde entfernt, verändert oder verschoben',
  check_manifestation: ({ name, person, role, moment, meaning }) =>
    `${name}${person === null ? '' : ` für ${person}`}, ${role}, am ${moment}: ${meaning}`,
  check_no_entry: 'Der Audit Trail hat keinen Eintrag zu dieser Unterschrift',
  check_entry_not_sealed:
    'Der Eintrag zu dieser Unterschrift im Audit Trail ist nicht versiegelt und wartet auch nicht darauf',
  check_entry_of_another_person: 'Der Eintrag zu dieser Unterschrift im Audit Trail ist von einer anderen Person',
  check_entry_of_other_content: 'Der Eintrag zu dieser Unterschrift im Audit Trail ist von einem anderen Inhalt',
  check_entry_at_another_time: ({ signed, entered }) =>
    `Sie will am ${signed} gegeben worden sein, und ihr Eintrag wurde am ${entered} geschrieben`,
  check_dated_back: ({ signed, what }) => `Sie will am ${signed} gegeben worden sein, bevor ${what}`,
  check_what_preceding: ({ id }) => `es die Unterschrift ${id} gab, der sie folgt`,
  check_what_account: 'es das Konto oder die Version gab',
  check_entry: ({ clock }) => `Der Audit Trail hat ihren Eintrag, mit Prüfsumme und Zeit${setBack(clock)}`,
  check_entry_redacted: ({ clock }) =>
    `Der Audit Trail hat ihren Eintrag, mit der Zeit. Die Einzelheiten des Eintrags wurden geschwärzt${setBack(clock)}`,
  check_entry_without_digest: ({ clock }) =>
    `Der Audit Trail hat ihren Eintrag, mit der Zeit. Der Eintrag nennt keine Prüfsumme${setBack(clock)}`,
  check_record_gone: 'Den unterschriebenen Datensatz gibt es nicht',
  check_record_superseded: ({ signed, now }) =>
    `Der Datensatz wurde nach der Unterschrift wieder geöffnet oder geändert: Unterschrieben wurde die Inhaltsrevision ${signed}, die jetzige ist ${now}. Sie wurden nicht verglichen`,
  check_record_unchanged: 'Der unterschriebene Inhalt ist seit der Unterschrift unverändert',
  check_record_altered: ({ fields }) => `Seit der Unterschrift geändert: ${fields.join(', ')}`,
  check_version_unchanged:
    'Titel, Typ, Kategorie, Beschreibung, Stichwörter und Version sind seit der Unterschrift unverändert',
  check_version_altered:
    'Titel, Typ, Kategorie, Beschreibung, Stichwörter oder Version wurden seit der Unterschrift geändert',
  check_version_superseded: ({ signed, now }) =>
    `Die Angaben wurden nach der Unterschrift geändert: Unterschrieben wurde die Inhaltsrevision ${signed}, die jetzige ist ${now}`,
  check_no_files: 'Es waren keine Dateien angehängt',
  check_files_unchanged: 'Die angehängten Dateien sind seit der Unterschrift unverändert',
  check_files: ({ files }) => files.join('; '),
  check_file_removed: ({ name, statement }) => `Die angehängte Datei ${name}: ${statement}`,
  check_file_missing: ({ name }) => `Die angehängte Datei ${name} fehlt`,
  check_file_altered: ({ name }) => `Die angehängte Datei ${name} weicht von der unterschriebenen ab`,
  check_version_file_unchanged: 'Die gespeicherte Datei ist seit der Unterschrift unverändert',
  check_version_file_missing: 'Die gespeicherte Datei fehlt',
  check_version_file_altered: 'Die gespeicherte Datei weicht von der unterschriebenen ab',
  check_version_file_another: 'Die unterschriebene Datei ist eine andere',
  check_removal_unsigned: ({ id }) =>
    `Die Entfernung ${id} sagt, dass die Datei entfernt wurde, aber nicht zwei Personen haben das unterschrieben`,
  check_removed: ({ is_removed, on, requested_by, decided_by, reason }) =>
    `${is_removed ? 'Entfernt' : 'Entfernung freigegeben'} am ${on} von ${requested_by} und ${decided_by}, weil: ${reason}. Ihr Inhalt wurde nicht verglichen`,
  check_disposal_unsigned: ({ id }) =>
    `Die Entfernung ${id} sagt, dass eine Vernichtung die Datei betraf, aber nicht zwei Personen haben das unterschrieben`,
  check_disposed: ({ is_removed, on, proposed_by, decided_by, number }) =>
    `${is_removed ? 'Vernichtet' : 'Vernichtung freigegeben'} am ${on} von ${proposed_by} und ${decided_by} nach Ablauf der Aufbewahrungsfrist, Vernichtungsprotokoll ${number}. Der Inhalt wurde nicht verglichen`,
  check_evidence: 'Die unterschreibende Person hat diesen Inhalt bestätigt, und der Nachweis davon hält stand',
  check_evidence_of_password: 'Von einem Passwort wird nichts weiter aufbewahrt',
  check_evidence_not_named: 'Zur Unterschrift gibt es einen Nachweis, den sie nicht nennt',
  check_evidence_missing: 'Der Nachweis der Identität der unterschreibenden Person fehlt',
  check_evidence_altered:
    'Der Nachweis der Identität der unterschreibenden Person ist nicht der, der bei der Unterschrift aufbewahrt wurde',
  check_challenge_another: 'Die Aufgabe ist eine andere',
  check_evidence_kind_unknown: ({ kind }) => `Diese Version kann Nachweise der Art ${kind} nicht prüfen`,
  check_challenge_of_another: 'Die Aufgabe wurde einer anderen Person gestellt',
  check_challenge_of_other_content: 'Die Aufgabe nennt nicht diesen Datensatz und diesen Inhalt',
  check_proof_wrong: ({ fault }) => `Der Nachweis hält nicht stand: ${fault}`,
  check_proof_unreadable: 'Der Nachweis ist nicht lesbar',
})
