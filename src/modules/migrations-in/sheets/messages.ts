import { defineMessages, listInWords } from '#kernel/message.ts'

/** What is wrong with a row (`staged_`), and what to do about it (`todo_`). */
export const messages = defineMessages({
  staged_person_unknown: ({ name }: { name: string }) => `There is no user ${name}.`,
  todo_person_unknown: 'Add the person to the sheet users, also one who has left, or correct the user name.',
  staged_day_ahead: ({ day }: { day: string }) => `${day} lies in the future.`,
  todo_day_ahead: 'Correct the date. Only what has happened can be imported.',
  staged_days_reversed: ({
    earlier,
    first,
    later,
    second,
  }: {
    earlier: string
    first: string
    later: string
    second: string
  }) => `${later} (${second}) is before ${earlier} (${first}).`,
  todo_days_reversed: 'Compare both dates with the source, and correct the wrong one.',
  staged_number_unfit: ({ number }: { number: string }) =>
    `The number ${number} is longer than 100 characters or has line breaks.`,
  todo_number_unfit: 'Shorten the number.',
  staged_number_taken: ({ number }: { number: string }) => `${number} is already the number of a record in Attest.`,
  todo_number_taken:
    'Leave the row out if it is the same record. If not, give it another number, or have the batch give new numbers.',
  staged_text_too_long: ({ maximum }: { maximum: number }) => `The text is longer than ${maximum} characters.`,
  todo_text_too_long: 'Shorten the text.',

  staged_username_unfit: ({ name }: { name: string }) => `${name} is no user name.`,
  todo_username_unfit:
    'Use 2 to 64 letters without accents, digits, points, hyphens or underscores, beginning with a letter or digit.',
  staged_username_of_service: ({ name }: { name: string }) => `${name} is the name of a service account.`,
  staged_email_unfit: ({ email }: { email: string }) => `${email} is no e-mail address.`,
  todo_email_unfit: 'Enter one address, such as name@company.com.',
  staged_email_taken: ({ email, name }: { email: string; name: string }) =>
    `${email} is the e-mail address of ${name}.`,
  staged_email_twice: ({ email, line }: { email: string; line: number }) =>
    `${email} is also the e-mail address of line ${line}.`,
  todo_email_taken: 'Give each person an address of their own.',
  staged_role_unknown: ({ role }: { role: string }) => `There is no role ${role}.`,
  todo_role_unknown: 'Use the name of a role as Attest shows it, or leave the cell empty.',
  staged_user_known: ({ name }: { name: string }) => `${name} is already a user.`,
  todo_user_known: 'Nothing has to be done: the user stays as they are, and rows may name them.',
  staged_user_other_email: ({ name, email }: { name: string; email: string }) =>
    `${name} is already a user with the e-mail address ${email}.`,
  todo_user_other_email: 'If it is the same person, enter this address. If not, give the person another user name.',

  staged_group_known: ({ name }: { name: string }) => `The group ${name} is already there.`,
  todo_group_known: 'Nothing has to be done: the group stays as it is, and gets the members of the sheet members.',
  staged_group_unknown: ({ name }: { name: string }) => `There is no group ${name}.`,
  todo_group_unknown: 'Add the group to the sheet groups, or correct the name.',
  staged_member_inactive: ({ name }: { name: string }) =>
    `${name} is not active, and cannot become a member of a group.`,
  todo_member_inactive: 'Leave the row out.',

  staged_type_unknown: ({ type }: { type: string }) => `There is no document type ${type}.`,
  todo_type_unknown: 'Use the name or the prefix of a document type, or create the type first.',
  staged_type_without_state: ({ type, state }: { type: string; state: string }) =>
    `The workflow of ${type} has no state for a version that is ${state}.`,
  todo_type_without_state: 'Choose another document type, or change its workflow first.',
  staged_owner_inactive: ({ name }: { name: string }) => `${name} is not active, and cannot own a document in force.`,
  todo_owner_inactive: 'Name the person who answers for the document today.',
  staged_document_without_version: ({ number }: { number: string }) => `${number} has no version.`,
  todo_document_without_version: 'Add at least one row for the document to the sheet versions.',
  staged_document_effective_twice: ({
    number,
    versions,
    lines,
  }: {
    number: string
    versions: readonly string[]
    lines: readonly number[]
  }) =>
    `${number} has several effective versions: ${listInWords([...versions])} (lines ${listInWords(lines.map(String))} of the sheet versions).`,
  todo_document_effective_twice: 'Mark the earlier ones as superseded, with the day on which they ended.',
  staged_review_without_effective: 'The document has a review date, and no effective version.',
  todo_review_without_effective: 'Check the states of its versions. The date is left out.',
  staged_department_no_code: ({ department }: { department: string }) => `${department} is no code of a department.`,
  todo_department_no_code:
    'Write a code that begins with a letter, of at most 10 capital letters and digits, such as QC.',
  staged_department_missing: ({ type, pattern }: { type: string; pattern: string }) =>
    `New numbers of the type ${type} have a department (${pattern}), and this row has none.`,
  todo_department_missing: 'Add the department, or keep the numbers of before.',
  staged_review_overdue: ({ day }: { day: string }) => `Its periodic review was due on ${day}.`,
  todo_review_overdue: 'Correct the date if it is wrong. If not, the document is listed as overdue after the load.',

  staged_version_without_document: ({ number }: { number: string }) => `The sheet documents has no document ${number}.`,
  todo_version_without_document:
    'Add the document, or correct the number. A document that is in Attest already takes new versions by their upload alone.',
  staged_version_unfit: ({ version }: { version: string }) => `${version} is no version.`,
  todo_version_unfit: 'Use a number such as 3 or 2.1, from 1 on, or a single letter such as B.',
  staged_effective_and_ended: 'The version is effective, and has a day on which it ended.',
  todo_effective_and_ended: 'Remove the day, or mark the version as superseded or obsolete.',
  staged_end_unknown: ({ state }: { state: string }) =>
    `The version is ${state}, and the day on which it ended is missing.`,
  todo_end_unknown: 'Enter the day if the source has it.',
  staged_version_before_earlier: ({
    number,
    version,
    day,
    earlier,
    earlier_day,
  }: {
    number: string
    version: string
    day: string
    earlier: string
    earlier_day: string
  }) => `Version ${version} of ${number} was effective from ${day}, before version ${earlier} (${earlier_day}).`,
  todo_version_before_earlier:
    'Compare both dates with the source. Correct the wrong one, or leave them as they are recorded.',
  staged_file_legacy: ({ name }: { name: string }) => `${name} is of a type that Attest can neither show nor search.`,
  todo_file_legacy:
    'Nothing has to be done: the file is kept as it is, and can be downloaded. To have it shown, convert it to PDF.',

  staged_approval_without_version: ({ number, version }: { number: string; version: string }) =>
    `The sheet versions has no version ${version} of ${number}.`,
  todo_approval_without_version: 'Add the version, or correct number and version.',
  staged_approval_undated: 'The approval has no date.',
  todo_approval_undated: 'Enter the day if the source has it.',
  staged_approved_after_effective: ({ day, effective }: { day: string; effective: string }) =>
    `It was approved on ${day}, after the version became effective on ${effective}.`,
  todo_approved_after_effective:
    'Compare both dates with the source. Correct the wrong one, or leave them as they are recorded.',

  staged_curriculum_taken: ({ name }: { name: string }) => `The curriculum ${name} is already there.`,
  todo_curriculum_taken: 'Give it another name, or leave the row out and change the curriculum in Attest.',
  staged_training_unknown: ({ name }: { name: string }) => `${name} is neither a document nor a training.`,
  todo_training_unknown: 'Use the number of a document, or the title of a training in the sheet training or in Attest.',
  staged_training_twice: ({ name }: { name: string }) => `${name} is listed twice.`,
  todo_training_twice: 'List each training once.',
  staged_curriculum_for_nobody: 'The curriculum names neither roles nor groups, so it is for nobody.',
  todo_curriculum_for_nobody: 'Enter roles or groups, or add them in Attest later.',

  staged_training_subject: 'The row must name either a document or the title of a training.',
  todo_training_subject: 'Fill in exactly one of the two.',
  staged_training_without_version: 'The version that was read is missing.',
  todo_training_without_version: 'Enter the version, or the title of a training instead of the document.',
  staged_training_version_unknown: ({ document, version }: { document: string; version: string }) =>
    `There is no version ${version} of ${document}.`,
  todo_training_version_unknown: 'Add the version to the sheet versions, or correct document and version.',
  staged_trained_before_effective: ({ day, effective }: { day: string; effective: string }) =>
    `It was completed on ${day}, before the version became effective on ${effective}.`,
  todo_trained_before_effective: 'Leave it if people were trained before the effective date. Correct the date if not.',
  staged_score_unfit: ({ score }: { score: number }) => `The score ${score} is no percentage.`,
  todo_score_unfit: 'Enter a number from 0 to 100.',
  staged_training_unverified: 'In Attest, a trainer has to verify this training.',
  todo_training_unverified: 'Have a trainer verify it after the load. Until then it counts for nobody.',

  staged_assignee_inactive: ({ name }: { name: string }) =>
    `${name} is not active, and cannot be responsible for open work.`,
  todo_assignee_inactive: 'Name the person who works on it today.',
  staged_assignee_missing: 'Nobody is responsible for this open record.',
  todo_assignee_missing: 'Enter a person, or assign the record after the load.',
  staged_due_missing: 'The due date of an open record is missing.',
  todo_due_missing: 'Enter the day by which it has to be done.',
  staged_overdue: ({ day }: { day: string }) => `It was due on ${day}.`,
  todo_overdue:
    'Correct the date if it is wrong. If not, the record is listed as overdue after the load, and notifies nobody of it.',
  staged_closed_undated: 'The record is closed, and the day of its closure is missing.',
  todo_closed_undated: 'Enter the day on which it was closed.',
  staged_open_and_closed: ({ state }: { state: string }) => `The record is ${state}, and has a closure.`,
  todo_open_and_closed: 'Mark it as closed, or remove day and person of the closure.',
  staged_closed_as_document: 'This batch takes closed deviations and CAPAs as documents.',
  todo_closed_as_document: 'Move the record to the sheets documents and versions, or change the settings of the batch.',

  staged_action_without_capa: ({ number }: { number: string }) => `The sheet capas has no CAPA ${number}.`,
  todo_action_without_capa:
    'Add the CAPA, or correct the number. A CAPA that is in Attest already takes new actions on its page alone.',
  staged_action_position: ({ position, maximum }: { position: number; maximum: number }) =>
    `${position} is no place of an action: a CAPA has at most ${maximum}.`,
  todo_action_position: 'Number the actions of each CAPA from 1 on.',
  staged_action_still_open: ({ state, number, capa_state }: { state: string; number: string; capa_state: string }) =>
    `The action is ${state}, and ${number} is ${capa_state}.`,
  todo_action_still_open: 'Mark the action as done or cancelled, or correct the state of the CAPA.',
  staged_action_due_after_capa: ({ day, due }: { day: string; due: string }) =>
    `It is due on ${day}, after its CAPA (${due}).`,
  todo_action_due_after_capa:
    'Compare both dates with the source. Correct the wrong one, or leave them as they are recorded.',
  staged_action_undated: 'The action is done, and the day of its completion is missing.',
  staged_action_verified_undated: 'The action was verified, and the day of it is missing.',
  todo_action_undated: 'Enter the day that the source has.',
  staged_action_not_done: ({ state }: { state: string }) =>
    `The action is ${state}, and has a completion or a verification.`,
  todo_action_not_done: 'Mark it as done, or remove the days and the names.',
  staged_action_without_evidence: 'The action is done, and has neither a text nor a file as evidence.',
  todo_action_without_evidence: 'Enter the evidence if the source has it.',

  staged_link_unknown: ({ number }: { number: string }) => `There is no deviation, CAPA or document ${number}.`,
  todo_link_unknown: 'Correct the number, or leave the row out.',
  staged_link_to_itself: 'Both numbers are of the same record.',
  staged_link_not_possible: ({ from, to }: { from: string; to: string }) => `${from} and ${to} cannot be linked.`,
  todo_link_not_possible: 'Link deviations with CAPAs, documents and other deviations, and CAPAs with documents.',
  staged_link_relation: ({ relation, known }: { relation: string; known: readonly string[] }) =>
    `The relation ${relation} is none of these two records. Possible are ${listInWords([...known])}.`,
  todo_link_relation: 'Choose another relation, or leave the cell empty.',
  staged_link_recurrence: ({ from, to }: { from: string; to: string }) =>
    `${from} is listed before ${to}, so it cannot be its recurrence.`,
  todo_link_recurrence: 'List the older deviation first in the sheet deviations.',
})

/** The sentences under the names of sheets and columns in the template and in the documentation. */
export const help = defineMessages({
  help_users:
    'People whom rows name, also those who have left. They get no password: they come alive by an invitation or by single sign-on.',
  help_groups: 'Groups of people: job functions, departments, sites. A group that is there stays as it is.',
  help_members: 'Who is a member of which group today.',
  help_documents: 'Controlled documents. Each needs at least one row in the sheet versions.',
  help_versions: 'The versions of each document with their files and dates.',
  help_approvals: 'Who approved a version before. It is shown as history, and is no signature.',
  help_curricula: 'Which training people with a role or in a group need. They are loaded after the training.',
  help_training:
    'Training that people completed before: a version of a document that they read, or another training by its title.',
  help_deviations: 'Deviations, open or closed. Open ones go on in Attest in their state.',
  help_capas:
    'CAPAs, open or closed. Open ones go on in Attest in their state; effectiveness reviews are planned anew.',
  help_capa_actions: 'Actions of the CAPAs of this import, open or done. Each is in the plan of its CAPA.',
  help_links: 'Links between deviations, CAPAs and documents.',

  help_username: 'The name to log in with; it stays the same for ever.',
  help_email: 'The address of the person.',
  help_full_name: 'First and last name.',
  help_role: 'The name of a role in Attest; empty: User.',
  help_active: 'no for people who have left; empty: yes.',
  help_group_name: 'The name of the group.',
  help_group_type: 'Empty: custom.',
  help_description: 'A description, if there is one.',
  help_member_group: 'The name of a group.',
  help_member_user: 'The user name of the member.',
  help_document_number: 'The number as it is today. The batch decides whether it is kept.',
  help_document_title: 'The title of the document.',
  help_document_type: 'The name or the prefix of a document type in Attest.',
  help_document_owner: 'The user name of the person who answers for it.',
  help_document_department: 'The code of the department, such as QC, if there is one.',
  help_category: 'The category, if there is one.',
  help_keywords: 'Apart by semicolons.',
  help_review_date: 'The day on which the next periodic review of the effective version is due.',
  help_version_number: 'The number of the document.',
  help_version_label: 'Such as 3, 2.1, Rev. 3 or B. The label of before is kept beside that of Attest.',
  help_version_state: 'One version of a document at most is effective.',
  help_version_file: 'The path of the file in the uploaded zips.',
  help_effective_date: 'The day from which the version was effective.',
  help_ended_on: 'The day on which it was superseded or made obsolete.',
  help_version_title: 'Empty: the title of the document.',
  help_change_reason: 'Why the version was made.',
  help_approval_version: 'The version of the document.',
  help_approval_person: 'The name as recorded; no user has to have it.',
  help_approval_role: 'The function of the person then.',
  help_approval_meaning: 'Such as author, reviewed or approved.',
  help_approved_on: 'The day of the approval.',
  help_evidence: 'How it is proved, such as a signed page in an archive.',
  help_evidence_file: 'The path of a scan in the uploaded zips.',
  help_curriculum_name: 'The name of the curriculum.',
  help_curriculum_roles: 'Names of roles, apart by semicolons.',
  help_curriculum_groups: 'Names of groups, apart by semicolons.',
  help_curriculum_trainings: 'Numbers of documents and titles of trainings in their order, apart by semicolons.',
  help_trainee: 'The user name of the person who was trained.',
  help_training_document: 'The number of the document that was read.',
  help_training_version: 'The version that was read.',
  help_training_title: 'The title of a training without a document.',
  help_training_type: 'Of a training without a document; empty: classroom.',
  help_completed_on: 'The day on which it was completed.',
  help_valid_until: 'The last day of a qualification that ends.',
  help_score: 'The result in percent.',
  help_trainer: 'The name as recorded.',
  help_case_number: 'The number as it is today. The batch decides whether it is kept.',
  help_case_title: 'The subject, in one line.',
  help_case_description: 'What happened, or what is to be done.',
  help_severity: 'The severity as it was assessed.',
  help_deviation_state: 'Closed ones are shown as closed before migration.',
  help_department: 'The department, if there is one.',
  help_reported_by: 'The user name of the person who reported it.',
  help_assigned_to: 'The user name of the person who works on it.',
  help_occurred_on: 'The day on which it happened.',
  help_detected_on: 'The day on which it was detected.',
  help_reported_on: 'Empty: the day of the detection.',
  help_due_date: 'Needed for open ones.',
  help_closed_on: 'Needed for closed ones.',
  help_closed_by: 'The name as recorded; no user has to have it.',
  help_investigation: 'What was found.',
  help_capa_type: 'Corrective, preventive or both.',
  help_capa_source: 'What it came from.',
  help_capa_priority: 'The priority as it was set.',
  help_capa_state: 'Closed ones are shown as closed before migration.',
  help_opened_on: 'The day on which it was opened.',
  help_root_cause: 'The cause that was found.',
  help_adverse_effects: 'Whether the actions could have adverse effects.',
  help_action_capa: 'The number of the CAPA in the sheet capas.',
  help_action_position: 'Its place in the plan: 1, 2, 3. Each once in a CAPA.',
  help_action_description: 'What is to be done.',
  help_action_assigned_to: 'The user name of the person who does it, or did it.',
  help_action_state: 'Those of a CAPA that is closed or verified are done or cancelled.',
  help_action_completed_on: 'Needed for done ones.',
  help_action_verified_on: 'The day on which another person verified that it is done.',
  help_action_evidence: 'The proof that it is done.',
  help_attachment: 'The path of a file in the uploaded zips. Of any type, also .doc, .xls, .msg and .dwg.',
  help_link_from: 'The number of a deviation, CAPA or document.',
  help_link_to: 'The number of the other one.',
  help_link_relation: 'Empty: the usual one.',
})
