import { labelOf } from '#kernel/labels.ts'
import { defineMessages } from '#kernel/message.ts'

/** Refusals of training programs, assignments, curricula and training records. */
/** What stands in a cell of the training matrix. */
const standings: Readonly<Record<string, string>> = {
  trained: 'trained',
  overdue: 'OVERDUE',
  open: 'open',
  awaiting_verification: 'awaits verification',
  expired: 'EXPIRED',
  failed: 'FAILED',
  waived: 'waived',
  not_assigned: 'not assigned',
}

export const messages = defineMessages({
  training_archived: ({ number }: { number: string }) => `${number} is archived. Make it active again to assign it.`,
  training_archived_unchangeable: ({ number }: { number: string }) =>
    `${number} is archived and cannot be changed. Make it active again first.`,
  training_archived_reason_required: ({ number }: { number: string }) =>
    `Enter a reason for the change, because ${number} is archived.`,
  training_assigned_reason_required: ({ number }: { number: string }) =>
    `Enter a reason for the change, because ${number} was assigned to people.`,
  training_has_open_assignments: ({ number, people }: { number: string; people: number }) =>
    `${people === 1 ? 'One person has' : `${people} people have`} not completed ${number}. Set cancel_open to cancel what is open.`,
  training_used_by_document_type: ({ number, document_type }: { number: string; document_type: string }) =>
    `The document type ${document_type} requires ${number} of its approvers. Remove it from the document type first.`,

  training_document_required: 'Choose the document to be read.',
  training_document_already_covered: ({ number }: { number: string }) =>
    `${number} already covers this document. Change it, or archive it first.`,
  quiz_questions_required: 'Add at least one question. A quiz needs questions.',
  quiz_settings_need_questions: 'Add questions first. Only a program with questions has this setting.',
  quiz_needs_one_correct_option: 'Mark exactly one option as correct.',
  quiz_needs_correct_option: 'Mark at least one option as correct.',
  quiz_true_false_options: 'Enter two options and mark exactly one of them as correct.',
  quiz_question_key_repeated: 'An earlier question has the same key. Choose another key.',
  quiz_option_key_repeated: 'An earlier option has the same key. Choose another key.',
  quiz_option_text_repeated: 'An earlier option has the same text. Enter another text.',

  training_or_document_required: 'Choose either a training program or a document.',
  training_assignees_required: 'Choose at least one person or group.',
  training_due_date_past: 'Choose a day from today on.',
  training_due_date_too_late: ({ maximum_days }: { maximum_days: number }) =>
    `Choose a day at most ${maximum_days} days from today.`,
  training_assignee_inactive: 'The account is not active.',
  training_assignee_not_permitted: 'This person does not have the permission training.complete.',
  training_assignee_trained: 'This person has already completed the training, and it is still valid.',
  training_not_assigned_to_group: ({ number }: { number: string }) => `${number} is not assigned to this group.`,
  training_not_assigned_to_you: ({ number }: { number: string }) => `${number} is not assigned to you.`,
  training_own_waiver: 'You cannot waive your own training. Ask another person to decide.',

  training_prerequisites_missing: ({ number, prerequisites }: { number: string; prerequisites: readonly string[] }) =>
    `Complete ${prerequisites.join(', ')} before ${number}. Your curriculum sets this order.`,
  training_version_not_effective_yet: ({ number }: { number: string }) =>
    `The document of ${number} has no effective version yet. Complete the training once it has one.`,
  training_version_superseded: ({
    number,
    version,
    effective_version,
  }: {
    number: string
    version: string
    effective_version: string
  }) => `Version ${version} is no longer effective. Read version ${effective_version}, which ${number} is about now.`,
  training_version_ended: ({ number, version }: { number: string; version: string }) =>
    `Version ${version} is no longer effective and no other version is, so ${number} cannot be completed.`,
  training_version_changed: ({ number, version }: { number: string; version: string }) =>
    `${number} is now about version ${version}. Read version ${version} and try again.`,
  training_document_not_opened: ({
    number,
    version,
    document_id,
  }: {
    number: string
    version: string
    document_id: number
  }) =>
    `Open version ${version} of the document before you complete ${number} (GET /api/documents/${document_id}/download?purpose=view).`,
  training_opening_needs_document:
    'Only a program of the type read_and_understand can ask for its document to be opened.',
  training_has_no_questions: ({ number }: { number: string }) => `${number} has no questions. Leave out the answers.`,
  training_answers_required: ({ number }: { number: string }) => `Answer the questions of ${number}.`,
  training_questions_changed: ({ number, quiz_version }: { number: string; quiz_version: number }) =>
    `The questions of ${number} have changed. Reload them and answer version ${quiz_version}.`,
  training_changed_meanwhile: ({ number }: { number: string }) =>
    `${number} changed while you were completing it. Reload it and try again.`,
  quiz_question_unknown: 'The quiz has no such question. Reload the questions.',
  quiz_question_already_answered: 'This question is answered twice. Remove one of the answers.',
  quiz_single_answer_only: 'Choose one option only.',
  quiz_option_unknown: 'The question has no such option. Reload the questions.',

  training_verification_not_required: ({ number }: { number: string }) => `${number} does not require verification.`,
  training_not_completed: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${labelOf(status)}. It can be verified once it is completed.`,
  training_verifier_is_trainee: ({ number }: { number: string }) =>
    `You completed ${number} yourself, so another person must verify it.`,
  training_already_verified: ({ number }: { number: string }) => `${number} has already been verified for this person.`,

  curriculum_role_unknown: ({ role }: { role: string }) => `There is no role ${role}. Choose another role.`,
  curriculum_program_repeated: 'This program is listed twice. Remove one of the entries.',
  curriculum_order_circular: ({
    before,
    after,
    curricula,
  }: {
    before: readonly string[]
    after: readonly string[]
    curricula: readonly string[]
  }) =>
    `Nobody could begin these programs, because each waits for another: ${before
      .map((number, i) => `${number} before ${after[i]} in ${curricula[i]}`)
      .join(', ')}. Change the order or the prerequisites.`,
  curriculum_programs_archived: ({ numbers }: { numbers: readonly string[] }) =>
    `A curriculum takes active programs only. Remove ${numbers.join(', ')}, or make ${numbers.length === 1 ? 'it' : 'them'} active again.`,
  curriculum_limit_reached: ({ maximum }: { maximum: number }) =>
    `A company can have at most ${maximum} curricula. Change one that exists.`,
  curriculum_name_taken: ({ name }: { name: string }) =>
    `A curriculum named ${name} already exists. Choose another name.`,
  curriculum_reason_required: ({ name, status }: { name: string; status: string }) =>
    `Enter a reason for the change, because ${name} is ${status}.`,

  training_matrix_programs_required: ({ maximum }: { maximum: number }) =>
    `Choose the programs, at most ${maximum}. More than that are active.`,
  training_matrix_too_large: ({ maximum }: { maximum: number }) =>
    `A PDF shows at most ${maximum} cells. Choose fewer people or programs, or the format CSV.`,
  training_record_permission_missing:
    'You need the permission training.read_all to read the training record of another person.',
  training_dossier_too_large: ({ maximum }: { maximum: number }) =>
    `A dossier has at most ${maximum} trainings. Export the dossier of each assignment, or the training record as CSV.`,
  training_record_too_large: ({ maximum }: { maximum: number }) =>
    `A PDF shows at most ${maximum} trainings. Choose fewer, or the format CSV.`,
  training_record_past_format: 'Choose the format JSON, the only one for an earlier date (as_of).',
  training_record_past_filter: ({ field }: { field: string }) =>
    `Leave out ${field}: it goes by the status of today and cannot be combined with as_of.`,

  training_nobody_to_assign: 'Everyone who needs this training has it.',
  training_nothing_to_cancel: 'None of these assignments is open any more.',
  training_reminder_of_ended: ({ number, status }: { number: string; status: string }) =>
    `This training of ${number} is ${labelOf(status)}, so there is nothing to remind of.`,
  training_reminder_of_oneself: 'This is your own training. Remind another person.',
  training_already_reminded: ({ number, username }: { number: string; username: string }) =>
    `${username} was reminded of ${number} today. Try again tomorrow.`,
  training_nothing_to_remind: 'No reminder is due.',
  training_nothing_to_renew: 'None of these qualifications needs renewal.',
})

/** Texts that are printed or mailed. */
export const printed = defineMessages({
  training_matrix_programs: ({ from, to, total }: { from: number; to: number; total: number }) =>
    `Programs ${from} to ${to} of ${total}`,
  /** In the place of a signature. */
  training_record_imported: 'none: completed before the migration, and imported as recorded there',
  training_matrix_cell: ({
    status,
    version,
    until,
    due_date,
    is_imported,
  }: {
    status: string
    version: string | null
    until: string | null
    due_date: string | null
    is_imported: boolean
  }) =>
    [
      standings[status] ?? status,
      ...(version === null ? [] : [`(${version})`]),
      ...(until === null ? [] : [`until ${until}`]),
      ...(is_imported ? ['imported'] : []),
      ...(due_date === null ? [] : [`due ${due_date}`]),
    ].join(' '),
  training_matrix_empty: 'No people or programs match.',
  training_record_empty: 'Nothing was assigned to this person.',
  training_record_subject: ({
    person,
    role,
    is_active,
    total,
  }: {
    person: string
    role: string
    is_active: boolean
    total: number
  }) => `${person}, ${role}${is_active ? '' : ', not active'}: ${total} ${total === 1 ? 'training' : 'trainings'}`,
  training_record_document: ({ number, version }: { number: string; version: string }) =>
    `${number} version ${version}`,
  training_record_opened: ({ version, moment }: { version: string; moment: string }) =>
    `version ${version} at ${moment}`,
  training_record_attempt: ({
    attempt_number,
    score,
    passed,
  }: {
    attempt_number: number
    score: number
    passed: boolean
  }) => `attempt ${attempt_number}: ${score} %${passed ? ', passed' : ''}`,
  training_record_signed: ({
    meaning,
    signer,
    moment,
    code,
    is_void,
  }: {
    meaning: string
    signer: string
    moment: string
    code: string
    is_void: boolean
  }) => `${meaning} by ${signer} at ${moment}, verification code ${code}${is_void ? ', VOID' : ''}`,

  // The remedies of the conditions of transitions, without the end of a sentence.
  training_condition_prerequisites_are_done: 'Complete its prerequisites in the curriculum first',
  training_condition_read_version_is_in_force: 'Read the version that counts now',
  training_condition_document_was_opened: 'Open the document first, if the program asks for it',
  training_condition_quiz_is_passed: 'Answer enough of its questions correctly',
  training_condition_attempts_are_used_up: 'Use the last attempt without passing',
  training_condition_waiver_is_another: 'Another person must waive it',
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_quiz_not_passed: (quiz: { score: number; required: number; attempt: number; attempts: number }) =>
    `Scored ${quiz.score} %, and ${quiz.required} % is required (attempt ${quiz.attempt} of ${quiz.attempts})`,
})
