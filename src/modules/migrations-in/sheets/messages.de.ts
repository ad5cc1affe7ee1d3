import { and } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { help, messages } from './messages.ts'

defineGerman<typeof messages & typeof help>({
  staged_person_unknown: ({ name }) => `Es gibt keine Person mit dem Benutzernamen ${name}.`,
  todo_person_unknown:
    'Tragen Sie die Person in das Blatt users ein, auch wenn sie ausgeschieden ist, oder berichtigen Sie den Benutzernamen.',
  staged_day_ahead: ({ day }) => `${day} liegt in der Zukunft.`,
  todo_day_ahead: 'Berichtigen Sie das Datum. Importiert wird nur, was geschehen ist.',
  staged_days_reversed: ({ earlier, first, later, second }) => `${later} (${second}) liegt vor ${earlier} (${first}).`,
  todo_days_reversed: 'Vergleichen Sie beide Daten mit der Quelle und berichtigen Sie das falsche.',
  staged_number_unfit: ({ number }) => `Die Nummer ${number} ist länger als 100 Zeichen oder hat Zeilenumbrüche.`,
  todo_number_unfit: 'Kürzen Sie die Nummer.',
  staged_number_taken: ({ number }) => `${number} ist in Attest schon vergeben.`,
  todo_number_taken:
    'Lassen Sie die Zeile weg, wenn es derselbe Vorgang ist. Sonst geben Sie eine andere Nummer, oder lassen Sie den Import neue Nummern vergeben.',
  staged_text_too_long: ({ maximum }) => `Der Text ist länger als ${maximum} Zeichen.`,
  todo_text_too_long: 'Kürzen Sie den Text.',

  staged_username_unfit: ({ name }) => `${name} ist kein Benutzername.`,
  todo_username_unfit:
    'Verwenden Sie 2 bis 64 Buchstaben ohne Akzente, Ziffern, Punkte, Bindestriche oder Unterstriche, am Anfang einen Buchstaben oder eine Ziffer.',
  staged_username_of_service: ({ name }) => `${name} ist der Name eines Dienstkontos.`,
  staged_email_unfit: ({ email }) => `${email} ist keine E-Mail-Adresse.`,
  todo_email_unfit: 'Geben Sie eine Adresse wie name@firma.de ein.',
  staged_email_taken: ({ email, name }) => `${email} ist die E-Mail-Adresse von ${name}.`,
  staged_email_twice: ({ email, line }) => `${email} ist auch die E-Mail-Adresse von Zeile ${line}.`,
  todo_email_taken: 'Geben Sie jeder Person eine eigene Adresse.',
  staged_role_unknown: ({ role }) => `Es gibt keine Rolle ${role}.`,
  todo_role_unknown: 'Verwenden Sie den Namen einer Rolle, wie Attest ihn zeigt, oder lassen Sie die Zelle leer.',
  staged_user_known: ({ name }) => `${name} gibt es schon.`,
  todo_user_known: 'Es ist nichts zu tun: Die Person bleibt, wie sie ist, und Zeilen dürfen sie nennen.',
  staged_user_other_email: ({ name, email }) => `${name} gibt es schon, mit der E-Mail-Adresse ${email}.`,
  todo_user_other_email:
    'Ist es dieselbe Person, geben Sie diese Adresse ein. Sonst geben Sie der Person einen anderen Benutzernamen.',

  staged_group_known: ({ name }) => `Die Gruppe ${name} gibt es schon.`,
  todo_group_known:
    'Es ist nichts zu tun: Die Gruppe bleibt, wie sie ist, und bekommt die Mitglieder des Blattes members.',
  staged_group_unknown: ({ name }) => `Es gibt keine Gruppe ${name}.`,
  todo_group_unknown: 'Tragen Sie die Gruppe in das Blatt groups ein, oder berichtigen Sie den Namen.',
  staged_member_inactive: ({ name }) => `${name} ist nicht aktiv und kann nicht Mitglied einer Gruppe werden.`,
  todo_member_inactive: 'Lassen Sie die Zeile weg.',

  staged_type_unknown: ({ type }) => `Es gibt keinen Dokumenttyp ${type}.`,
  todo_type_unknown: 'Verwenden Sie Namen oder Präfix eines Dokumenttyps, oder legen Sie den Typ zuerst an.',
  staged_type_without_state: ({ type, state }) =>
    `Der Workflow von ${type} hat keinen Status für eine Version, die ${state} ist.`,
  todo_type_without_state: 'Wählen Sie einen anderen Dokumenttyp, oder ändern Sie zuerst dessen Workflow.',
  staged_owner_inactive: ({ name }) =>
    `${name} ist nicht aktiv und kann für kein gültiges Dokument verantwortlich sein.`,
  todo_owner_inactive: 'Nennen Sie die Person, die heute für das Dokument verantwortlich ist.',
  staged_document_without_version: ({ number }) => `${number} hat keine Version.`,
  todo_document_without_version: 'Tragen Sie mindestens eine Version des Dokuments in das Blatt versions ein.',
  staged_document_effective_twice: ({ number, versions, lines }) =>
    `${number} hat mehrere gültige Versionen: ${and([...versions])} (Zeilen ${and(lines.map(String))} des Blattes versions).`,
  todo_document_effective_twice:
    'Kennzeichnen Sie die früheren als ersetzt (superseded), mit dem Tag, an dem sie endeten.',
  staged_review_without_effective: 'Das Dokument hat ein Datum der Überprüfung und keine gültige Version.',
  todo_review_without_effective: 'Prüfen Sie den Status seiner Versionen. Das Datum wird weggelassen.',
  staged_department_no_code: ({ department }) => `${department} ist kein Kürzel einer Abteilung.`,
  todo_department_no_code:
    'Schreiben Sie ein Kürzel, das mit einem Buchstaben beginnt, aus höchstens 10 Großbuchstaben und Ziffern, etwa QC.',
  staged_department_missing: ({ type, pattern }) =>
    `Neue Nummern der Art ${type} haben eine Abteilung (${pattern}), und diese Zeile hat keine.`,
  todo_department_missing: 'Ergänzen Sie die Abteilung, oder behalten Sie die bisherigen Nummern.',
  staged_review_overdue: ({ day }) => `Die regelmäßige Überprüfung war am ${day} fällig.`,
  todo_review_overdue:
    'Berichtigen Sie das Datum, wenn es falsch ist. Sonst steht das Dokument nach dem Import als überfällig in der Liste.',

  staged_version_without_document: ({ number }) => `Das Blatt documents hat kein Dokument ${number}.`,
  todo_version_without_document:
    'Tragen Sie das Dokument ein, oder berichtigen Sie die Nummer. Ein Dokument, das schon in Attest ist, bekommt neue Versionen nur durch Hochladen.',
  staged_version_unfit: ({ version }) => `${version} ist keine Version.`,
  todo_version_unfit: 'Verwenden Sie eine Zahl wie 3 oder 2.1, ab 1, oder einen einzelnen Buchstaben wie B.',
  staged_effective_and_ended: 'Die Version ist gültig und hat einen Tag, an dem sie endete.',
  todo_effective_and_ended:
    'Entfernen Sie den Tag, oder kennzeichnen Sie die Version als ersetzt (superseded) oder außer Kraft (obsolete).',
  staged_end_unknown: ({ state }) => `Die Version ist ${state}, und der Tag fehlt, an dem sie endete.`,
  todo_end_unknown: 'Geben Sie den Tag ein, wenn die Quelle ihn hat.',
  staged_version_before_earlier: ({ number, version, day, earlier, earlier_day }) =>
    `Version ${version} von ${number} galt ab ${day}, vor Version ${earlier} (${earlier_day}).`,
  todo_version_before_earlier:
    'Vergleichen Sie beide Daten mit der Quelle. Berichtigen Sie das falsche, oder lassen Sie sie, wie sie aufgezeichnet sind.',
  staged_file_legacy: ({ name }) => `${name} ist von einer Art, die Attest weder zeigen noch durchsuchen kann.`,
  todo_file_legacy:
    'Es ist nichts zu tun: Die Datei bleibt, wie sie ist, und kann heruntergeladen werden. Damit sie gezeigt wird, wandeln Sie sie in PDF um.',

  staged_approval_without_version: ({ number, version }) =>
    `Das Blatt versions hat keine Version ${version} von ${number}.`,
  todo_approval_without_version: 'Tragen Sie die Version ein, oder berichtigen Sie Nummer und Version.',
  staged_approval_undated: 'Die Freigabe hat kein Datum.',
  todo_approval_undated: 'Geben Sie den Tag ein, wenn die Quelle ihn hat.',
  staged_approved_after_effective: ({ day, effective }) =>
    `Die Freigabe ist vom ${day}, nach dem Beginn der Gültigkeit am ${effective}.`,
  todo_approved_after_effective:
    'Vergleichen Sie beide Daten mit der Quelle. Berichtigen Sie das falsche, oder lassen Sie sie, wie sie aufgezeichnet sind.',

  staged_curriculum_taken: ({ name }) => `Den Schulungsplan ${name} gibt es schon.`,
  todo_curriculum_taken:
    'Geben Sie ihm einen anderen Namen, oder lassen Sie die Zeile weg und ändern Sie den Schulungsplan in Attest.',
  staged_training_unknown: ({ name }) => `${name} ist weder ein Dokument noch eine Schulung.`,
  todo_training_unknown:
    'Verwenden Sie die Nummer eines Dokuments, oder den Titel einer Schulung aus dem Blatt training oder aus Attest.',
  staged_training_twice: ({ name }) => `${name} steht zweimal in der Liste.`,
  todo_training_twice: 'Nennen Sie jede Schulung einmal.',
  staged_curriculum_for_nobody: 'Der Schulungsplan nennt weder Rollen noch Gruppen und gilt deshalb für niemanden.',
  todo_curriculum_for_nobody: 'Geben Sie Rollen oder Gruppen ein, oder ergänzen Sie sie später in Attest.',

  staged_training_subject: 'Die Zeile muss entweder ein Dokument oder den Titel einer Schulung nennen.',
  todo_training_subject: 'Füllen Sie genau eines von beiden aus.',
  staged_training_without_version: 'Die gelesene Version fehlt.',
  todo_training_without_version: 'Geben Sie die Version ein, oder statt des Dokuments den Titel einer Schulung.',
  staged_training_version_unknown: ({ document, version }) => `Es gibt keine Version ${version} von ${document}.`,
  todo_training_version_unknown:
    'Tragen Sie die Version in das Blatt versions ein, oder berichtigen Sie Dokument und Version.',
  staged_trained_before_effective: ({ day, effective }) =>
    `Abgeschlossen am ${day}, vor dem Beginn der Gültigkeit der Version am ${effective}.`,
  todo_trained_before_effective:
    'Lassen Sie es so, wenn vor der Gültigkeit geschult wurde. Sonst berichtigen Sie das Datum.',
  staged_score_unfit: ({ score }) => `Das Ergebnis ${score} ist kein Prozentwert.`,
  todo_score_unfit: 'Geben Sie eine Zahl von 0 bis 100 ein.',
  staged_training_unverified: 'In Attest muss eine schulende Person diese Schulung bestätigen.',
  todo_training_unverified: 'Lassen Sie sie nach dem Import bestätigen. Bis dahin zählt sie nicht.',

  staged_assignee_inactive: ({ name }) => `${name} ist nicht aktiv und kann für offene Arbeit nicht zuständig sein.`,
  todo_assignee_inactive: 'Nennen Sie die Person, die heute daran arbeitet.',
  staged_assignee_missing: 'Für diesen offenen Vorgang ist niemand zuständig.',
  todo_assignee_missing: 'Nennen Sie eine Person, oder weisen Sie den Vorgang nach dem Import zu.',
  staged_due_missing: 'Die Frist eines offenen Vorgangs fehlt.',
  todo_due_missing: 'Geben Sie den Tag ein, bis zu dem er erledigt sein muss.',
  staged_overdue: ({ day }) => `Die Frist war am ${day}.`,
  todo_overdue:
    'Berichtigen Sie das Datum, wenn es falsch ist. Sonst steht der Vorgang nach dem Import als überfällig in der Liste, und niemand wird benachrichtigt.',
  staged_closed_undated: 'Der Vorgang ist abgeschlossen, und der Tag des Abschlusses fehlt.',
  todo_closed_undated: 'Geben Sie den Tag ein, an dem er abgeschlossen wurde.',
  staged_open_and_closed: ({ state }) => `Der Vorgang ist ${state} und hat einen Abschluss.`,
  todo_open_and_closed:
    'Kennzeichnen Sie ihn als abgeschlossen (closed), oder entfernen Sie Tag und Person des Abschlusses.',
  staged_closed_as_document: 'Dieser Import nimmt abgeschlossene Abweichungen und CAPAs als Dokumente auf.',
  todo_closed_as_document:
    'Verschieben Sie den Vorgang in die Blätter documents und versions, oder ändern Sie die Einstellungen des Imports.',

  staged_action_without_capa: ({ number }) => `Das Blatt capas hat keine CAPA ${number}.`,
  todo_action_without_capa:
    'Ergänzen Sie die CAPA, oder berichtigen Sie die Nummer. Eine CAPA, die schon in Attest ist, nimmt neue Maßnahmen nur auf ihrer Seite auf.',
  staged_action_position: ({ position, maximum }) =>
    `${position} ist kein Platz einer Maßnahme: eine CAPA hat höchstens ${maximum}.`,
  todo_action_position: 'Nummerieren Sie die Maßnahmen jeder CAPA ab 1.',
  staged_action_still_open: ({ state, number, capa_state }) =>
    `Die Maßnahme ist ${state}, und ${number} ist ${capa_state}.`,
  todo_action_still_open:
    'Kennzeichnen Sie die Maßnahme als erledigt (done) oder aufgegeben (cancelled), oder berichtigen Sie den Status der CAPA.',
  staged_action_due_after_capa: ({ day, due }) => `Ihre Frist ist der ${day}, nach der ihrer CAPA (${due}).`,
  todo_action_due_after_capa:
    'Vergleichen Sie beide Daten mit der Quelle. Berichtigen Sie das falsche, oder lassen Sie sie, wie sie aufgezeichnet sind.',
  staged_action_undated: 'Die Maßnahme ist erledigt, und der Tag fehlt.',
  staged_action_verified_undated: 'Die Maßnahme wurde verifiziert, und der Tag fehlt.',
  todo_action_undated: 'Geben Sie den Tag ein, den die Quelle hat.',
  staged_action_not_done: ({ state }) => `Die Maßnahme ist ${state} und hat eine Erledigung oder Verifizierung.`,
  todo_action_not_done: 'Kennzeichnen Sie sie als erledigt (done), oder entfernen Sie Tage und Namen.',
  staged_action_without_evidence: 'Die Maßnahme ist erledigt und hat weder Text noch Datei als Nachweis.',
  todo_action_without_evidence: 'Geben Sie den Nachweis ein, wenn die Quelle ihn hat.',

  staged_link_unknown: ({ number }) => `Es gibt keine Abweichung, keine CAPA und kein Dokument ${number}.`,
  todo_link_unknown: 'Berichtigen Sie die Nummer, oder lassen Sie die Zeile weg.',
  staged_link_to_itself: 'Beide Nummern gehören zum selben Vorgang.',
  staged_link_not_possible: ({ from, to }) => `${from} und ${to} können nicht verknüpft werden.`,
  todo_link_not_possible:
    'Verknüpfen Sie Abweichungen mit CAPAs, Dokumenten und anderen Abweichungen, und CAPAs mit Dokumenten.',
  staged_link_relation: ({ relation, known }) =>
    `Die Beziehung ${relation} gibt es zwischen diesen beiden nicht. Möglich sind ${and([...known])}.`,
  todo_link_relation: 'Wählen Sie eine andere Beziehung, oder lassen Sie die Zelle leer.',
  staged_link_recurrence: ({ from, to }) => `${from} steht vor ${to} und kann deshalb nicht deren Wiederholung sein.`,
  todo_link_recurrence: 'Führen Sie die ältere Abweichung im Blatt deviations zuerst auf.',

  help_users:
    'Personen, die in Zeilen genannt werden, auch ausgeschiedene. Sie bekommen kein Kennwort: Ihr Konto beginnt mit einer Einladung oder mit Single Sign-on.',
  help_groups: 'Gruppen von Personen: Funktionen, Abteilungen, Standorte. Eine vorhandene Gruppe bleibt, wie sie ist.',
  help_members: 'Wer heute Mitglied welcher Gruppe ist.',
  help_documents: 'Gelenkte Dokumente. Jedes braucht mindestens eine Zeile im Blatt versions.',
  help_versions: 'Die Versionen jedes Dokuments mit ihren Dateien und Daten.',
  help_approvals: 'Wer eine Version früher freigegeben hat. Es wird als Historie gezeigt und ist keine Unterschrift.',
  help_curricula:
    'Welche Schulungen Personen mit einer Rolle oder in einer Gruppe brauchen. Sie werden nach den Schulungen importiert.',
  help_training:
    'Schulungen, die früher abgeschlossen wurden: eine gelesene Version eines Dokuments, oder eine andere Schulung mit ihrem Titel.',
  help_deviations: 'Abweichungen, offen oder abgeschlossen. Offene gehen in Attest in ihrem Status weiter.',
  help_capas:
    'CAPAs, offen oder abgeschlossen. Offene gehen in Attest in ihrem Status weiter; Wirksamkeitsprüfungen werden neu geplant.',
  help_capa_actions: 'Maßnahmen der CAPAs dieses Imports, offen oder erledigt. Jede steht im Plan ihrer CAPA.',
  help_links: 'Verknüpfungen zwischen Abweichungen, CAPAs und Dokumenten.',

  help_username: 'Der Name zur Anmeldung; er bleibt für immer derselbe.',
  help_email: 'Die Adresse der Person.',
  help_full_name: 'Vor- und Nachname.',
  help_role: 'Der Name einer Rolle in Attest; leer: User.',
  help_active: 'no für ausgeschiedene Personen; leer: yes.',
  help_group_name: 'Der Name der Gruppe.',
  help_group_type: 'Leer: custom.',
  help_description: 'Eine Beschreibung, wenn es eine gibt.',
  help_member_group: 'Der Name einer Gruppe.',
  help_member_user: 'Der Benutzername des Mitglieds.',
  help_document_number: 'Die Nummer von heute. Der Import entscheidet, ob sie bleibt.',
  help_document_title: 'Der Titel des Dokuments.',
  help_document_type: 'Name oder Präfix eines Dokumenttyps in Attest.',
  help_document_owner: 'Der Benutzername der verantwortlichen Person.',
  help_document_department: 'Das Kürzel der Abteilung, etwa QC, wenn es eine gibt.',
  help_category: 'Die Kategorie, wenn es eine gibt.',
  help_keywords: 'Durch Semikolon getrennt.',
  help_review_date: 'Der Tag, an dem die nächste regelmäßige Überprüfung der gültigen Version fällig ist.',
  help_version_number: 'Die Nummer des Dokuments.',
  help_version_label:
    'Zum Beispiel 3, 2.1, Rev. 3 oder B. Die frühere Bezeichnung bleibt neben der von Attest erhalten.',
  help_version_state: 'Höchstens eine Version eines Dokuments ist gültig (effective).',
  help_version_file: 'Der Pfad der Datei in den hochgeladenen Zip-Dateien.',
  help_effective_date: 'Der Tag, ab dem die Version galt.',
  help_ended_on: 'Der Tag, an dem sie ersetzt oder außer Kraft gesetzt wurde.',
  help_version_title: 'Leer: der Titel des Dokuments.',
  help_change_reason: 'Warum die Version entstand.',
  help_approval_version: 'Die Version des Dokuments.',
  help_approval_person: 'Der Name, wie er aufgezeichnet ist; ein Konto ist nicht nötig.',
  help_approval_role: 'Die damalige Funktion der Person.',
  help_approval_meaning: 'Zum Beispiel erstellt, geprüft oder freigegeben.',
  help_approved_on: 'Der Tag der Freigabe.',
  help_evidence: 'Wodurch sie belegt ist, zum Beispiel eine unterschriebene Seite im Archiv.',
  help_evidence_file: 'Der Pfad eines Scans in den hochgeladenen Zip-Dateien.',
  help_curriculum_name: 'Der Name des Schulungsplans.',
  help_curriculum_roles: 'Namen von Rollen, durch Semikolon getrennt.',
  help_curriculum_groups: 'Namen von Gruppen, durch Semikolon getrennt.',
  help_curriculum_trainings:
    'Nummern von Dokumenten und Titel von Schulungen in ihrer Reihenfolge, durch Semikolon getrennt.',
  help_trainee: 'Der Benutzername der geschulten Person.',
  help_training_document: 'Die Nummer des gelesenen Dokuments.',
  help_training_version: 'Die gelesene Version.',
  help_training_title: 'Der Titel einer Schulung ohne Dokument.',
  help_training_type: 'Bei einer Schulung ohne Dokument; leer: classroom.',
  help_completed_on: 'Der Tag des Abschlusses.',
  help_valid_until: 'Der letzte Tag einer befristeten Qualifikation.',
  help_score: 'Das Ergebnis in Prozent.',
  help_trainer: 'Der Name, wie er aufgezeichnet ist.',
  help_case_number: 'Die Nummer von heute. Der Import entscheidet, ob sie bleibt.',
  help_case_title: 'Worum es geht, in einer Zeile.',
  help_case_description: 'Was geschehen ist, oder was zu tun ist.',
  help_severity: 'Der Schweregrad, wie er bewertet wurde.',
  help_deviation_state: 'Abgeschlossene werden als vor der Migration abgeschlossen gezeigt.',
  help_department: 'Die Abteilung, wenn es eine gibt.',
  help_reported_by: 'Der Benutzername der Person, die sie gemeldet hat.',
  help_assigned_to: 'Der Benutzername der Person, die daran arbeitet.',
  help_occurred_on: 'Der Tag, an dem es geschah.',
  help_detected_on: 'Der Tag der Feststellung.',
  help_reported_on: 'Leer: der Tag der Feststellung.',
  help_due_date: 'Nötig bei offenen.',
  help_closed_on: 'Nötig bei abgeschlossenen.',
  help_closed_by: 'Der Name, wie er aufgezeichnet ist; ein Konto ist nicht nötig.',
  help_investigation: 'Was gefunden wurde.',
  help_capa_type: 'Korrektur (corrective), Vorbeugung (preventive) oder beides (both).',
  help_capa_source: 'Woraus sie entstand.',
  help_capa_priority: 'Die Priorität, wie sie festgelegt wurde.',
  help_capa_state: 'Abgeschlossene werden als vor der Migration abgeschlossen gezeigt.',
  help_opened_on: 'Der Tag, an dem sie eröffnet wurde.',
  help_root_cause: 'Die gefundene Ursache.',
  help_adverse_effects: 'Ob die Maßnahmen nachteilige Auswirkungen haben können.',
  help_action_capa: 'Die Nummer der CAPA im Blatt capas.',
  help_action_position: 'Ihr Platz im Plan: 1, 2, 3. Jeder einmal in einer CAPA.',
  help_action_description: 'Was zu tun ist.',
  help_action_assigned_to: 'Der Benutzername der Person, die sie erledigt oder erledigt hat.',
  help_action_state:
    'Die einer abgeschlossenen oder verifizierten CAPA sind erledigt (done) oder aufgegeben (cancelled).',
  help_action_completed_on: 'Nötig für erledigte.',
  help_action_verified_on: 'Der Tag, an dem eine andere Person verifizierte, dass sie erledigt ist.',
  help_action_evidence: 'Der Beleg, dass sie erledigt ist.',
  help_attachment:
    'Der Pfad einer Datei in den hochgeladenen Zip-Dateien. Von jeder Art, auch .doc, .xls, .msg und .dwg.',
  help_link_from: 'Die Nummer einer Abweichung, einer CAPA oder eines Dokuments.',
  help_link_to: 'Die Nummer des anderen Vorgangs.',
  help_link_relation: 'Leer: die übliche.',
})
