import { and, day, documentState, number, or } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

const steps: Readonly<Record<string, string>> = { approve: 'Freigabe', review: 'Prüfung' }
const stepIn = (step: string) => steps[step] ?? step

const reviewParts: Readonly<Record<string, string>> = {
  owner: 'der Eigner',
  author: 'der Autor',
  'former owner': 'ein früherer Eigner',
}

defineGerman<typeof messages & typeof printed>({
  document_file_removed_from_draft: ({ number }) =>
    `Die Datei dieser Version von ${number} wurde entfernt, deshalb kann sie nicht eingereicht werden. Verwerfen Sie sie, und laden Sie eine neue Version hoch.`,
  document_type_inactive: ({ name }) => `Die Art ${name} ist nicht aktiv. Wählen Sie eine andere Art.`,
  document_department_required: ({ document_type }) =>
    `Die Nummern der Art ${document_type} nennen die Abteilung. Geben Sie ihr Kürzel ein, zum Beispiel QA.`,
  document_type_workflow_inactive: ({ document_type, template }) =>
    `Der Workflow ${template} der Art ${document_type} ist nicht aktiv. Wählen Sie eine andere Art, oder lassen Sie für diese einen anderen Workflow wählen.`,
  document_type_not_approvable: ({ document_type, reason }) =>
    `Niemand könnte ein Dokument der Art ${document_type} von Ihnen freigeben. ${reason} Lassen Sie zuerst die Personen oder den Workflow der Art ändern.`,
  document_final: ({ number, status }) =>
    `${number} ist ${documentState(status)} und nimmt keine neue Version an. Laden Sie ein neues Dokument hoch.`,
  document_version_under_way: ({ number }) =>
    `Eine andere Version von ${number} ist in Arbeit, und Sie dürfen sie nicht ersetzen. Fragen Sie den Eigner des Dokuments.`,
  document_submission_reason_required: ({ author }) =>
    `Diesen Entwurf hat ${author} verfasst. Geben Sie in einem Kommentar an, warum Sie ihn einreichen.`,
  document_training_assigned_to_nobody: ({ number }) =>
    `Niemandem ist die Schulung zu ${number} zugewiesen, deshalb wartet die Schulungsschranke auf niemanden. Weisen Sie die Schulung vor der Freigabe zu.`,
  document_changed_meanwhile: ({ number }) =>
    `${number} wurde inzwischen geändert. Laden Sie neu und versuchen Sie es noch einmal.`,
  document_owner_inactive: ({ username }) =>
    `${username} ist nicht aktiv und kann kein Dokument besitzen. Wählen Sie einen anderen Eigner.`,
  document_change_reason_required: ({ version, status }) =>
    `Geben Sie einen Grund der Änderung ein, weil Version ${version} ${documentState(status)} ist.`,
  document_metadata_fixed: ({ version, status }) =>
    `Version ${version} ist ${documentState(status)}, und ihre Angaben gehören zum Datensatz. Laden Sie eine neue Version hoch, um sie zu ändern.`,
  document_day_past: ({ today }) =>
    `Wählen Sie einen Tag ab heute. In der Zeitzone Ihrer Firma ist heute der ${day(today)}.`,

  document_approval_permission_required:
    'Sie brauchen die Berechtigung documents.approve, um über eine Freigabe zu entscheiden.',
  document_approver_not_trained: ({ number, programs }) =>
    `Sie brauchen eine gültige Schulung in ${programs.join(', ')}, um über ${number} zu entscheiden. Schließen Sie zuerst die Schulung ab.`,
  document_author_excluded: 'Der Autor darf nicht freigeben.',
  document_editor_excluded: 'Wer die Angaben geändert hat, darf nicht freigeben.',
  document_submitter_excluded: 'Wer die Version eingereicht hat, darf nicht freigeben.',
  document_chooser_excluded: 'Wer die Freigaben gewählt hat, darf nicht freigeben.',
  document_training_not_valid: ({ programs }) => `Diese Person hat keine gültige Schulung in ${programs.join(', ')}.`,

  document_without_approval: ({ version, status }) =>
    `Version ${version} ist ${documentState(status)} und hat deshalb keine Freigabe, die sich festlegen lässt. Laden Sie zuerst eine neue Version hoch.`,
  document_approval_begun: ({ version, transitions }) =>
    `Version ${version} hat schon Freigaben, deshalb lassen sich ihr Workflow und ihre Freigebenden nicht mehr ändern.${transitions.length > 0 ? ` Um sie festzulegen, machen Sie sie zuerst wieder zum Entwurf: ${transitions.join(', ')}.` : ''}`,
  document_approval_configured_by_approver: ({ version }) =>
    `Sie haben Version ${version} freigegeben, deshalb muss eine andere Person mit der Berechtigung documents.configure_approval die anderen Freigebenden nennen.`,
  document_approval_other_step_orphaned: ({ step }) =>
    `Für den Schritt ${stepIn(step)} sind zu wenige Personen übrig, und andere haben die Version freigegeben. Legen Sie nur diesen Schritt fest.`,
  document_approval_mode_fixed: ({ mode }) =>
    `Der Schritt hat Freigaben, deshalb bleibt seine Art ${mode}. Lassen Sie die Art weg.`,
  document_approval_rule_given: ({ places }) =>
    `Diese Regeln haben Freigaben und müssen bleiben, wie und wo sie sind: ${places.join(', ')}. Ändern Sie die anderen.`,
  document_approval_still_orphaned: ({ step }) =>
    `Der Schritt ${stepIn(step)} hätte immer noch zu wenige verschiedene Freigebende, die über diese Version entscheiden dürfen. Nennen Sie andere Personen.`,
  document_approval_step_unknown: ({ steps }) => `Wählen Sie einen Freigabeschritt des Workflows: ${steps.join(', ')}.`,
  document_workflow_inactive: ({ name }) => `Der Workflow ${name} ist nicht aktiv. Wählen Sie einen anderen.`,
  document_workflow_not_admitted: ({ name, document_type, admitted }) =>
    `Dokumente der Art ${document_type} dürfen den Workflow ${name} nicht verwenden. Wählen Sie einen von diesen: ${admitted.join(', ')}.`,
  document_configuration_reason_required:
    'Geben Sie einen Grund ein, warum Sie einen anderen Workflow oder andere Freigebende als üblich wählen.',
  document_approval_missing: ({ number, version }) =>
    `Version ${version} von ${number} hat keine Freigabe, und ihre Art ist gelenkt. Wählen Sie einen Workflow mit einer Freigabe.`,
  document_workflow_in_use: ({ version, status }) =>
    `Version ${version} ist ${documentState(status)}. Ziehen Sie sie zuerst zurück, und wählen Sie dann einen anderen Workflow.`,

  document_delegate_inactive: ({ username }) =>
    `${username} ist nicht aktiv. Übertragen Sie die Entscheidung an eine andere Person.`,
  document_delegation_permission_required:
    'Sie brauchen die Berechtigung documents.configure_approval, um die Entscheidung einer anderen Person zu übertragen.',
  document_delegation_to_oneself: ({ person }) =>
    `Sie können die Entscheidung von ${person} nicht selbst übernehmen. Übertragen Sie sie an jemand anderen, oder bitten Sie ${person}, sie Ihnen zu übertragen.`,
  transition_for_oneself: ({ number }) =>
    `Eine Vertretung entscheidet über ${number}, solange es auf eine Freigabe wartet, und führt für niemanden einen anderen Übergang aus. Lassen Sie on_behalf_of weg.`,
  document_review_for_owner_only: ({ number, person }) =>
    `${number} gehört nicht ${person}, deshalb entscheidet diese Person nicht über die Überprüfung. Lassen Sie on_behalf_of weg.`,
  document_review_by_owner: ({ number, part, others }) =>
    `Sie sind ${reviewParts[part] ?? part} von ${number}, deshalb muss eine andere Person entscheiden, dass es gültig bleibt: ${
      others.length > 0 ? or(others) : 'ein Admin muss jemand anderem die Berechtigung documents.periodic_review geben'
    }.`,
  document_delegation_end_permission_required:
    'Sie brauchen die Berechtigung documents.configure_approval, um die Übertragung einer anderen Person zu beenden.',
  document_nothing_to_delegate:
    'Sie dürfen in dieser Firma nicht freigeben und haben deshalb keine Entscheidung zu übertragen.',

  document_effective_date_fixed: ({ version, status }) =>
    `Version ${version} ist ${documentState(status)}, deshalb lässt sich der Tag der Gültigkeit nicht mehr ändern.`,
  document_effective_date_permission_required: ({ version, status }) =>
    `Version ${version} ist ${documentState(status)}, deshalb brauchen Sie die Berechtigung documents.make_effective, um den Tag der Gültigkeit zu ändern.`,
  document_not_due: ({ number }) => `Keine Version von ${number} steht davor, gültig zu werden.`,
  document_reminder_not_yours: ({ number, permission }) =>
    `Sie sind weder Autor noch Eigner von ${number} und brauchen deshalb die Berechtigung ${permission}, um an die Freigabe zu erinnern.`,
  document_awaits_no_decision: ({ number, status }) =>
    `${number} ist ${documentState(status)} und wartet auf keine Entscheidung, deshalb ist niemand zu erinnern.`,
  document_nobody_to_remind: ({ number }) =>
    `Niemand außer Ihnen kann jetzt über ${number} entscheiden, deshalb ist niemand zu erinnern.`,
  document_approvers_reminded: ({ number }) =>
    `Alle, die ${number} freigeben können, wurden heute erinnert. Versuchen Sie es morgen wieder.`,
  document_reminder_not_due: ({ number }) => `Für ${number} ist keine Erinnerung fällig.`,

  document_not_effective: ({ number }) =>
    `Keine Version von ${number} ist gültig, deshalb gibt es nichts zu überprüfen.`,
  document_next_review_not_kept:
    'Nur eine Version, die gültig bleibt, hat eine nächste Überprüfung. Lassen Sie den Tag weg.',
  document_next_review_out_of_range: ({ last }) => `Wählen Sie einen Tag nach heute und bis zum ${day(last)}.`,

  document_obsolescence_permission_required:
    'Sie brauchen die Berechtigung documents.obsolete, um ein Dokument ungültig zu machen.',
  document_obsolescence_not_offered: ({ number }) =>
    `Der Workflow von ${number} hat keinen Übergang, der es ungültig macht. Laden Sie eine neuere Version hoch, die es ersetzt.`,
  document_obsolescence_reason_required: ({ version }) => `Geben Sie an, warum Version ${version} ungültig wird.`,

  document_comments_closed: ({ version, status }) =>
    `Version ${version} ist ${documentState(status)} und nimmt keine Kommentare mehr an.`,
  document_comment_already_resolved: ({ username }) => `${username} hat diesen Kommentar schon erledigt.`,
  document_comment_not_yours:
    'Nur wer den Kommentar schrieb, Autor oder Eigner des Dokuments und Personen mit der Berechtigung documents.review können ihn erledigen oder wieder öffnen.',
  document_comment_not_resolved: 'Dieser Kommentar ist nicht erledigt und muss nicht wieder geöffnet werden.',
  document_comment_is_reply: 'Dieser Kommentar ist eine Antwort. Nehmen Sie den Kommentar, mit dem der Faden beginnt.',
  document_comment_of_another: 'Nur wer ihn schrieb, kann einen Kommentar ändern. Antworten Sie stattdessen.',
  document_comment_answered:
    'Jemand hat auf diesen Kommentar geantwortet, deshalb kann er nicht mehr geändert werden. Antworten Sie stattdessen.',
  document_comment_too_old: ({ minutes }) =>
    `Ein Kommentar kann ${minutes} Minuten lang geändert werden. Antworten Sie stattdessen.`,
  document_comment_other_version: ({ version }) => `Der Faden betrifft Version ${version}. Lassen Sie die Version weg.`,
  document_mention_cannot_read: ({ usernames, version }) =>
    `${and(usernames)} ${usernames.length === 1 ? 'darf' : 'dürfen'} Version ${version} nicht lesen. Erwähnen Sie Personen, die es dürfen.`,

  document_training_needed: ({ number, training }) =>
    `Nur Personen mit Schulung zu ${number} dürfen die Datei öffnen. ${training === null ? 'Bitten Sie um eine Schulung dazu' : `Bitten Sie um die Schulung ${training}`}.`,
  document_gate_permission_required:
    'Sie brauchen die Berechtigung documents.configure_approval, um die Schulungsschranke zu setzen.',
  document_gate_fixed: ({ version, status }) =>
    `Version ${version} ist ${documentState(status)}, und die Schulungsschranke lässt sich nur an einem Entwurf setzen.`,
  document_gate_without_program: ({ document_type }) =>
    `Wählen Sie eine andere Schranke: Die Art ${document_type} nennt keine Schulung für before_sign.`,

  document_preview_converter_missing: ({ number }) =>
    `Die Datei von ${number} kann nur gezeigt werden, wo LibreOffice installiert ist, und das ist es hier nicht. Laden Sie sie herunter, um sie zu öffnen.`,
  document_preview_not_possible: ({ number, reason }) =>
    `Die Datei von ${number} lässt sich nicht in Seiten zeigen (${reason}). Laden Sie sie herunter, um sie zu öffnen.`,

  document_versions_not_readable: ({ number, versions }) =>
    `Ein Dossier enthält jede Version von ${number}, und Sie dürfen ${versions.join(', ')} nicht lesen.`,

  document_copy_title: ({ number, version }) => `${number} Version ${version}`,
  document_copy_file: ({ name, size }) => `${name} (${number(size)} Byte)`,
  document_copy_standing: ({ state, standing, since }) =>
    `${(state === 'draft' ? 'Entwurf' : String(documentState(state)).replaceAll('_', ' ')).toUpperCase()}${standing === 'effective' ? ` seit ${day(String(since))}` : standing === 'approved' ? ' - NOCH NICHT GÜLTIG' : ''}`,
  document_copy_signatures: ({ version }) => `Unterschriften der Version ${version}`,
  document_historical_approvals: ({ source }) => `Vor der Migration freigegeben, wie in ${source} aufgezeichnet`,
  document_historical_note: ({ number, source, person, moment }) =>
    `Historie, keine elektronischen Unterschriften: Diese Freigaben waren in ${source} aufgezeichnet und wurden mit der Migration ${number} importiert, die ${person} ${day(moment)} mit Unterschrift angenommen hat.`,
  document_copy_note: ({ moment }) =>
    `Diese Kopie wurde ${day(moment)} aus der gespeicherten Datei erstellt, deren SHA-256 oben steht. Die Unterschriften gelten für die Datei selbst, nicht für diese Kopie.`,
  document_copy_printed: ({ person, moment }) => `Gedruckt von ${person}, ${day(moment)} - gedruckt nicht gelenkt`,
  document_copy_effective: ({ date }) => `Gültig ab: ${date === null ? 'nicht angegeben' : day(date)}`,

  document_workflow_summary: ({ number, version, state, due_date, is_overdue, waits_for }) => {
    const due =
      due_date === null ? '' : is_overdue ? `, überfällig seit ${day(due_date)}` : `, fällig am ${day(due_date)}`
    return `${number}, Version ${version}, ist ${documentState(state)}${due}: ${waits_for.length > 0 ? waits_for.join(', und ') : 'sie wartet auf nichts'}`
  },
  document_gate_before_access: 'Nur wer darin geschult ist oder geschult wird, darf die Datei öffnen',
  document_gate_met: 'Alle, die jetzt entscheiden können, haben die nötige Schulung',
  document_gate_untrained: ({ people }) =>
    `${people} von denen, die jetzt entscheiden können, fehlt die nötige Schulung`,
  document_gate_being_assigned: 'Die Schulung dazu wird gerade zugewiesen',
  document_gate_assigned_later: 'Die Schulung dazu wird zugewiesen, sobald es freigegeben ist',
  document_gate_idle: 'Die Schulung dazu ist niemandem zugewiesen, deshalb wartet es auf keine',
  document_gate_progress: ({ completed, assigned, threshold }) =>
    `${completed} von ${assigned} ${assigned === 1 ? 'Person hat' : 'Personen haben'} die Schulung dazu abgeschlossen; ${threshold} % sind nötig`,
})
