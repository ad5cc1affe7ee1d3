import { day } from '#kernel/german.ts'
import { labelOf } from '#kernel/labels.de.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

const states: Readonly<Record<string, string>> = { active: 'aktiv', archived: 'archiviert' }

/** What stands in a cell of the training matrix. */
const standings: Readonly<Record<string, string>> = {
  trained: 'geschult',
  overdue: 'ÜBERFÄLLIG',
  open: 'offen',
  awaiting_verification: 'wartet auf Bestätigung',
  expired: 'ABGELAUFEN',
  failed: 'NICHT BESTANDEN',
  waived: 'erlassen',
  not_assigned: 'nicht zugewiesen',
}

defineGerman<typeof messages & typeof printed>({
  training_archived: ({ number }) => `${number} ist archiviert. Aktivieren Sie es wieder, um es zuzuweisen.`,
  training_archived_unchangeable: ({ number }) =>
    `${number} ist archiviert und kann nicht geändert werden. Aktivieren Sie es zuerst wieder.`,
  training_archived_reason_required: ({ number }) =>
    `Geben Sie einen Grund der Änderung ein, weil ${number} archiviert ist.`,
  training_assigned_reason_required: ({ number }) =>
    `Geben Sie einen Grund der Änderung ein, weil ${number} Personen zugewiesen wurde.`,
  training_has_open_assignments: ({ number, people }) =>
    `${people === 1 ? 'Eine Person hat' : `${people} Personen haben`} ${number} nicht abgeschlossen. Setzen Sie cancel_open, um abzubrechen, was offen ist.`,
  training_used_by_document_type: ({ number, document_type }) =>
    `Die Art ${document_type} verlangt ${number} von ihren Freigebenden. Nehmen Sie es zuerst aus der Art heraus.`,

  training_document_required: 'Wählen Sie das Dokument, das gelesen wird.',
  training_document_already_covered: ({ number }) =>
    `${number} betrifft dieses Dokument schon. Ändern Sie es, oder archivieren Sie es zuerst.`,
  quiz_questions_required: 'Fügen Sie mindestens eine Frage hinzu. Ein Quiz braucht Fragen.',
  quiz_settings_need_questions: 'Fügen Sie zuerst Fragen hinzu. Nur ein Programm mit Fragen hat diese Einstellung.',
  quiz_needs_one_correct_option: 'Kennzeichnen Sie genau eine Antwort als richtig.',
  quiz_needs_correct_option: 'Kennzeichnen Sie mindestens eine Antwort als richtig.',
  quiz_true_false_options: 'Geben Sie zwei Antworten ein, und kennzeichnen Sie genau eine davon als richtig.',
  quiz_question_key_repeated: 'Eine frühere Frage hat denselben Schlüssel. Wählen Sie einen anderen.',
  quiz_option_key_repeated: 'Eine frühere Antwort hat denselben Schlüssel. Wählen Sie einen anderen.',
  quiz_option_text_repeated: 'Eine frühere Antwort hat denselben Text. Geben Sie einen anderen ein.',

  training_or_document_required: 'Wählen Sie entweder ein Schulungsprogramm oder ein Dokument.',
  training_assignees_required: 'Wählen Sie mindestens eine Person oder Gruppe.',
  training_due_date_past: 'Wählen Sie einen Tag ab heute.',
  training_due_date_too_late: ({ maximum_days }) => `Wählen Sie einen Tag höchstens ${maximum_days} Tage nach heute.`,
  training_assignee_inactive: 'Das Konto ist nicht aktiv.',
  training_assignee_not_permitted: 'Diese Person hat die Berechtigung training.complete nicht.',
  training_assignee_trained: 'Diese Person hat die Schulung schon abgeschlossen, und sie ist noch gültig.',
  training_not_assigned_to_group: ({ number }) => `${number} ist dieser Gruppe nicht zugewiesen.`,
  training_not_assigned_to_you: ({ number }) => `${number} ist Ihnen nicht zugewiesen.`,
  training_own_waiver:
    'Sie können sich Ihre eigene Schulung nicht erlassen. Bitten Sie eine andere Person, zu entscheiden.',

  training_prerequisites_missing: ({ number, prerequisites }) =>
    `Schließen Sie ${prerequisites.join(', ')} vor ${number} ab. Diese Reihenfolge gibt Ihr Curriculum vor.`,
  training_version_not_effective_yet: ({ number }) =>
    `Das Dokument von ${number} hat noch keine gültige Version. Schließen Sie die Schulung ab, sobald es eine hat.`,
  training_version_superseded: ({ number, version, effective_version }) =>
    `Version ${version} ist nicht mehr gültig. Lesen Sie Version ${effective_version}, um die es in ${number} jetzt geht.`,
  training_version_ended: ({ number, version }) =>
    `Version ${version} ist nicht mehr gültig, und keine andere ist es, deshalb kann ${number} nicht abgeschlossen werden.`,
  training_version_changed: ({ number, version }) =>
    `In ${number} geht es jetzt um Version ${version}. Lesen Sie Version ${version}, und versuchen Sie es noch einmal.`,
  training_document_not_opened: ({ number, version, document_id }) =>
    `Öffnen Sie Version ${version} des Dokuments, bevor Sie ${number} abschließen (GET /api/documents/${document_id}/download?purpose=view).`,
  training_opening_needs_document:
    'Nur ein Programm der Art read_and_understand kann verlangen, dass das Dokument geöffnet wird.',
  training_has_no_questions: ({ number }) => `${number} hat keine Fragen. Lassen Sie die Antworten weg.`,
  training_answers_required: ({ number }) => `Beantworten Sie die Fragen von ${number}.`,
  training_questions_changed: ({ number, quiz_version }) =>
    `Die Fragen von ${number} haben sich geändert. Laden Sie sie neu, und beantworten Sie Fassung ${quiz_version}.`,
  training_changed_meanwhile: ({ number }) =>
    `${number} wurde geändert, während Sie es abschlossen. Laden Sie neu, und versuchen Sie es noch einmal.`,
  quiz_question_unknown: 'Diese Frage gibt es nicht. Laden Sie die Fragen neu.',
  quiz_question_already_answered: 'Diese Frage ist zweimal beantwortet. Entfernen Sie eine der Antworten.',
  quiz_single_answer_only: 'Wählen Sie nur eine Antwort.',
  quiz_option_unknown: 'Diese Antwort hat die Frage nicht. Laden Sie die Fragen neu.',

  training_verification_not_required: ({ number }) => `${number} verlangt keine Verifizierung.`,
  training_not_completed: ({ number, status }) =>
    `${number} ist ${labelOf(status)}. Verifiziert werden kann, was abgeschlossen ist.`,
  training_verifier_is_trainee: ({ number }) =>
    `Sie haben ${number} selbst abgeschlossen, deshalb muss eine andere Person verifizieren.`,
  training_already_verified: ({ number }) => `${number} wurde für diese Person schon verifiziert.`,

  curriculum_role_unknown: ({ role }) => `Die Rolle ${role} gibt es nicht. Wählen Sie eine andere.`,
  curriculum_program_repeated: 'Dieses Programm ist zweimal aufgeführt. Entfernen Sie einen der Einträge.',
  curriculum_order_circular: ({ before, after, curricula }) =>
    `Niemand könnte mit diesen Programmen beginnen, weil jedes auf ein anderes wartet: ${before
      .map((number, i) => `${number} vor ${after[i]} in ${curricula[i]}`)
      .join(', ')}. Ändern Sie die Reihenfolge oder die Voraussetzungen.`,
  curriculum_programs_archived: ({ numbers }) =>
    `Ein Curriculum nimmt nur aktive Programme auf. Entfernen Sie ${numbers.join(', ')}, oder aktivieren Sie ${numbers.length === 1 ? 'es' : 'sie'} wieder.`,
  curriculum_limit_reached: ({ maximum }) =>
    `Eine Firma kann höchstens ${maximum} Curricula haben. Ändern Sie eines, das es gibt.`,
  curriculum_name_taken: ({ name }) => `Ein Curriculum namens ${name} gibt es schon. Wählen Sie einen anderen Namen.`,
  curriculum_reason_required: ({ name, status }) =>
    `Geben Sie einen Grund der Änderung ein, weil ${name} ${states[status] ?? status} ist.`,

  training_matrix_programs_required: ({ maximum }) =>
    `Wählen Sie die Programme, höchstens ${maximum}. Mehr als das sind aktiv.`,
  training_matrix_too_large: ({ maximum }) =>
    `Ein PDF zeigt höchstens ${maximum} Zellen. Wählen Sie weniger Personen oder Programme, oder das Format CSV.`,
  training_record_permission_missing:
    'Sie brauchen die Berechtigung training.read_all, um den Schulungsnachweis einer anderen Person zu lesen.',
  training_dossier_too_large: ({ maximum }) =>
    `Ein Dossier hat höchstens ${maximum} Schulungen. Exportieren Sie das Dossier jeder Zuweisung, oder den Schulungsnachweis als CSV.`,
  training_record_too_large: ({ maximum }) =>
    `Ein PDF zeigt höchstens ${maximum} Schulungen. Wählen Sie weniger, oder das Format CSV.`,
  training_record_past_format: 'Wählen Sie das Format JSON, das einzige für einen früheren Tag (as_of).',
  training_record_past_filter: ({ field }) =>
    `Lassen Sie ${field} weg: Es richtet sich nach dem heutigen Status und geht nicht zusammen mit as_of.`,

  training_nobody_to_assign: 'Alle, die diese Schulung brauchen, haben sie.',
  training_nothing_to_cancel: 'Keine dieser Zuweisungen ist noch offen.',
  training_reminder_of_ended: ({ number, status }) =>
    `Diese Schulung von ${number} ist ${labelOf(status)}, deshalb gibt es nichts zu erinnern.`,
  training_reminder_of_oneself: 'Das ist Ihre eigene Schulung. Erinnern Sie eine andere Person.',
  training_already_reminded: ({ number, username }) =>
    `${username} wurde heute an ${number} erinnert. Versuchen Sie es morgen wieder.`,
  training_nothing_to_remind: 'Es ist keine Erinnerung fällig.',
  training_nothing_to_renew: 'Keine dieser Qualifikationen muss erneuert werden.',

  training_matrix_programs: ({ from, to, total }) => `Programme ${from} bis ${to} von ${total}`,
  training_record_imported: 'keine: vor der Migration abgeschlossen und importiert, wie dort aufgezeichnet',
  training_matrix_cell: ({ status, version, until, due_date, is_imported }) =>
    [
      standings[status] ?? status,
      ...(version === null ? [] : [`(${version})`]),
      ...(until === null ? [] : [`bis ${day(until)}`]),
      ...(is_imported ? ['importiert'] : []),
      ...(due_date === null ? [] : [`fällig ${day(due_date)}`]),
    ].join(' '),
  training_matrix_empty: 'Keine Personen oder Programme passen.',
  training_record_empty: 'Dieser Person wurde nichts zugewiesen.',
  training_record_subject: ({ person, role, is_active, total }) =>
    `${person}, ${role}${is_active ? '' : ', nicht aktiv'}: ${total} ${total === 1 ? 'Schulung' : 'Schulungen'}`,
  training_record_document: ({ number, version }) => `${number} Version ${version}`,
  training_record_opened: ({ version, moment }) => `Version ${version}, ${day(moment)}`,
  training_record_attempt: ({ attempt_number, score, passed }) =>
    `Versuch ${attempt_number}: ${score} %${passed ? ', bestanden' : ''}`,
  training_record_signed: ({ meaning, signer, moment, code, is_void }) =>
    `${meaning} von ${signer}, ${day(moment)}, Prüfcode ${code}${is_void ? ', UNGÜLTIG' : ''}`,

  training_condition_prerequisites_are_done: 'Schließen Sie zuerst die Voraussetzungen des Curriculums ab',
  training_condition_read_version_is_in_force: 'Lesen Sie die Version, die jetzt zählt',
  training_condition_document_was_opened: 'Öffnen Sie zuerst das Dokument, wenn das Programm es verlangt',
  training_condition_quiz_is_passed: 'Beantworten Sie genug der Fragen richtig',
  training_condition_attempts_are_used_up: 'Verbrauchen Sie den letzten Versuch, ohne zu bestehen',
  training_condition_waiver_is_another: 'Eine andere Person muss sie erlassen',
})
