import { defineMessages, listInWords } from '#kernel/message.ts'
import { stepName } from '#modules/workflows'

type VersionState = { version: string; status: string }

export const messages = defineMessages({
  document_file_removed_from_draft: ({ number }: { number: string }) =>
    `The file of this version of ${number} was removed, so it cannot be submitted. Cancel it, and upload a new version.`,
  document_type_inactive: ({ name }: { name: string }) =>
    `The document type ${name} is not active. Choose another type.`,
  document_department_required: ({ document_type }: { document_type: string }) =>
    `The numbers of the document type ${document_type} name the department. Enter its code, such as QA.`,
  document_type_workflow_inactive: ({ document_type, template }: { document_type: string; template: string }) =>
    `The workflow template ${template} of the document type ${document_type} is not active. Choose another type, or have another workflow chosen for this one.`,
  /** `reason` says what is missing. */
  document_type_not_approvable: ({
    document_type,
    reason,
  }: {
    document_type: string
    reason: string
    reason_code: string
  }) =>
    `Nobody could approve a document of the type ${document_type} by you. ${reason} Have the people or the workflow of the type changed first.`,
  document_final: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${status} and takes no new version. Upload a new document.`,
  document_version_under_way: ({ number }: { number: string }) =>
    `Another version of ${number} is under way, and you may not replace it. Ask the owner of the document.`,
  document_submission_reason_required: ({ author }: { author: string }) =>
    `${author} wrote this draft. Enter a comment that says why you submit it for them.`,
  document_training_assigned_to_nobody: ({ number }: { number: string }) =>
    `Nobody is assigned the training of ${number}, so its training gate waits for nobody. Assign the training before the approval.`,
  document_changed_meanwhile: ({ number }: { number: string }) =>
    `${number} was changed in the meantime. Reload it and try again.`,
  document_owner_inactive: ({ username }: { username: string }) =>
    `${username} is not active and cannot own a document. Choose another owner.`,
  document_change_reason_required: ({ version, status }: VersionState) =>
    `Enter a reason for the change, because version ${version} is ${status}.`,
  document_metadata_fixed: ({ version, status }: VersionState) =>
    `Version ${version} is ${status}, and its metadata is part of the record. Upload a new version to change it.`,
  document_day_past: ({ today }: { today: string }) =>
    `Choose a day from today on. In the time zone of your company, today is ${today}.`,

  document_approval_permission_required: 'You need the permission documents.approve to decide about an approval.',
  document_approver_not_trained: ({ number, programs }: { number: string; programs: readonly string[] }) =>
    `You need a valid training in ${programs.join(', ')} to decide about ${number}. Complete the training first.`,
  document_author_excluded: 'The author may not approve.',
  document_editor_excluded: 'People who changed the metadata may not approve.',
  document_submitter_excluded: 'The person who submitted the version may not approve.',
  document_chooser_excluded: 'The person who chose the approvals may not approve.',
  document_training_not_valid: ({ programs }: { programs: readonly string[] }) =>
    `This person has no valid training in ${programs.join(', ')}.`,

  document_without_approval: ({ version, status }: VersionState) =>
    `Version ${version} is ${status}, so it has no approval to configure. Upload a new version first.`,
  /** `transitions`: those that the person may take, after which the approval can be configured. */
  document_approval_begun: ({ version, transitions }: { version: string; transitions: readonly string[] }) =>
    `Version ${version} has approvals already, so its workflow and its approvers can no longer be changed.${transitions.length > 0 ? ` To configure them, take it back to draft first: ${transitions.join(', ')}.` : ''}`,
  document_approval_configured_by_approver: ({ version }: { version: string }) =>
    `You approved version ${version}, so another person with the permission documents.configure_approval must name its other approvers.`,
  document_approval_other_step_orphaned: ({ step }: { step: string }) =>
    `Too few people are left for the ${stepName(step)} step, and others have approved the version. Configure that step alone.`,
  document_approval_mode_fixed: ({ mode }: { mode: string }) =>
    `The step has approvals, so its mode stays ${mode}. Leave the mode out.`,
  /** `places`: the rules by their places in the list, counted from 1. */
  document_approval_rule_given: ({ places }: { places: readonly number[] }) =>
    `These rules have approvals and must stay as they are, in their places: ${places.join(', ')}. Change the others.`,
  document_approval_still_orphaned: ({ step }: { step: string }) =>
    `The ${stepName(step)} step would still have too few different approvers who may decide about this version. Name other people.`,
  document_approval_step_unknown: ({ steps }: { steps: readonly string[] }) =>
    `Choose an approval step of the workflow: ${steps.join(', ')}.`,
  document_workflow_inactive: ({ name }: { name: string }) =>
    `The workflow template ${name} is not active. Choose another template.`,
  document_workflow_not_admitted: ({
    name,
    document_type,
    admitted,
  }: {
    name: string
    document_type: string
    admitted: readonly string[]
  }) =>
    `Documents of the type ${document_type} may not use the workflow template ${name}. Choose one of these: ${admitted.join(', ')}.`,
  document_configuration_reason_required:
    'Enter a reason for the choice of another workflow or of other approvers than usual.',
  document_approval_missing: ({ number, version }: { number: string; version: string }) =>
    `Version ${version} of ${number} has no approval, and its document type is controlled. Choose a workflow with an approval.`,
  document_workflow_in_use: ({ version, status }: VersionState) =>
    `Version ${version} is ${status}. Withdraw it first, then choose another workflow.`,

  document_delegate_inactive: ({ username }: { username: string }) =>
    `${username} is not active. Delegate the approval to another person.`,
  document_delegation_permission_required:
    'You need the permission documents.configure_approval to delegate the approval of another person.',
  document_delegation_to_oneself: ({ person }: { person: string }) =>
    `You cannot take over the approval of ${person} yourself. Delegate it to somebody else, or ask ${person} to delegate it to you.`,
  transition_for_oneself: ({ number }: { number: string }) =>
    `A deputy decides about ${number} while it awaits an approval, and takes no other transition for a person. Leave on_behalf_of out.`,
  document_review_for_owner_only: ({ number, person }: { number: string; person: string }) =>
    `${number} is not owned by ${person}, so its review is not theirs to decide. Leave on_behalf_of out.`,
  /** `others`: the people who can decide instead. */
  document_review_by_owner: ({ number, part, others }: { number: string; part: string; others: readonly string[] }) =>
    `You are the ${part} of ${number}, so another person must decide that it stays effective: ${
      others.length > 0
        ? listInWords(others, 'or')
        : 'an Admin has to give somebody else the permission documents.periodic_review'
    }.`,
  document_delegation_end_permission_required:
    'You need the permission documents.configure_approval to end the delegation of another person.',
  document_nothing_to_delegate: 'You may not approve in this company, so you have no approval to delegate.',

  document_effective_date_fixed: ({ version, status }: VersionState) =>
    `Version ${version} is ${status}, so its effective date can no longer be changed.`,
  document_effective_date_permission_required: ({ version, status }: VersionState) =>
    `Version ${version} is ${status}, so you need the permission documents.make_effective to change its effective date.`,
  document_not_due: ({ number }: { number: string }) => `No version of ${number} is due to become effective.`,
  document_reminder_not_yours: ({ number, permission }: { number: string; permission: string }) =>
    `You are neither the author nor the owner of ${number}, so you need the permission ${permission} to remind its approvers.`,
  document_awaits_no_decision: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${status} and awaits no decision, so there is nobody to remind.`,
  document_nobody_to_remind: ({ number }: { number: string }) =>
    `Nobody but you can decide about ${number} now, so there is nobody to remind.`,
  document_approvers_reminded: ({ number }: { number: string }) =>
    `Every approver of ${number} was reminded today. Try again tomorrow.`,
  document_reminder_not_due: ({ number }: { number: string }) => `No reminder is due for ${number}.`,

  document_not_effective: ({ number }: { number: string }) =>
    `No version of ${number} is effective, so there is nothing to review.`,
  document_next_review_not_kept: 'Only a version that stays effective has a next review. Leave the date out.',
  document_next_review_out_of_range: ({ last }: { last: string }) => `Choose a day after today and up to ${last}.`,

  document_obsolescence_permission_required: 'You need the permission documents.obsolete to make a document obsolete.',
  document_obsolescence_not_offered: ({ number }: { number: string }) =>
    `The workflow of ${number} has no transition that makes it obsolete. Upload a newer version to replace it.`,
  document_obsolescence_reason_required: ({ version }: { version: string }) =>
    `Enter the reason why version ${version} becomes obsolete.`,

  document_comments_closed: ({ version, status }: VersionState) =>
    `Version ${version} is ${status} and takes no more comments.`,
  document_comment_already_resolved: ({ username }: { username: string }) =>
    `${username} has already resolved this comment.`,
  document_comment_not_yours:
    'Only the writer of the comment, the author or owner of the document, or someone with the permission documents.review can resolve or reopen it.',
  document_comment_not_resolved: 'This comment is not resolved, so there is nothing to reopen.',
  document_comment_is_reply: 'This comment is a reply. Use the comment that begins its thread.',
  document_comment_of_another: 'Only the writer can change a comment. Reply to it instead.',
  document_comment_answered:
    'Somebody has replied to this comment, so it can no longer be changed. Add a reply instead.',
  document_comment_too_old: ({ minutes }: { minutes: number }) =>
    `A comment can be changed for ${minutes} minutes. Add a reply instead.`,
  document_comment_other_version: ({ version }: { version: string }) =>
    `The thread is about version ${version}. Leave the version out.`,
  document_mention_cannot_read: ({ usernames, version }: { usernames: readonly string[]; version: string }) =>
    `${listInWords(usernames)} may not read version ${version}. Mention people who can.`,

  /** `training`: the number of the program to ask for; null where the document has none. */
  document_training_needed: ({ number, training }: { number: string; training: string | null }) =>
    `Only people trained on ${number} may open its file. ${training === null ? 'Ask for a training on it' : `Ask for the training ${training}`}.`,
  document_gate_permission_required: 'You need the permission documents.configure_approval to set the training gate.',
  document_gate_fixed: ({ version, status }: VersionState) =>
    `Version ${version} is ${status}, and the training gate can only be set on a draft.`,
  document_gate_without_program: ({ document_type }: { document_type: string }) =>
    `Choose another gate: the document type ${document_type} names no training for before_sign.`,

  document_preview_converter_missing: ({ number }: { number: string }) =>
    `The file of ${number} can be shown only where LibreOffice is installed, and here it is not. Download it to open it.`,
  /** `reason`: why its file has no pages. */
  document_preview_not_possible: ({ number, reason }: { number: string; reason: string }) =>
    `The file of ${number} cannot be shown as pages: ${reason}. Download it to open it.`,

  document_versions_not_readable: ({ number, versions }: { number: string; versions: readonly string[] }) =>
    `A dossier contains every version of ${number}, and you may not read ${versions.join(', ')}.`,
})

/** Texts that are printed or mailed. */
export const printed = defineMessages({
  document_copy_title: ({ number, version }: { number: string; version: string }) => `${number} version ${version}`,
  document_copy_file: ({ name, size }: { name: string; size: number }) =>
    `${name} (${size.toLocaleString('en')} bytes)`,
  document_copy_standing: ({
    state,
    standing,
    since,
  }: {
    state: string
    standing: 'effective' | 'over' | 'approved' | 'not_approved'
    since: string | null
  }) =>
    `${String(state).replaceAll('_', ' ').toUpperCase()}${standing === 'effective' ? ` since ${since}` : standing === 'approved' ? ' - NOT YET EFFECTIVE' : ''}`,
  document_copy_signatures: ({ version }: { version: string }) => `Signatures of version ${version}`,
  document_historical_approvals: ({ source }: { source: string }) =>
    `Approved before migration, as recorded in ${source}`,
  document_historical_note: ({
    number,
    source,
    person,
    moment,
  }: {
    number: string
    source: string
    person: string
    moment: string
  }) =>
    `History and no electronic signatures: these approvals were recorded in ${source} and imported by the migration ${number}, which ${person} accepted with a signature at ${moment}.`,
  document_copy_note: ({ moment }: { moment: string }) =>
    `This copy was made at ${moment} from the stored file, whose SHA-256 is given above. The signatures apply to the file itself, not to this copy.`,
  document_copy_printed: ({ person, moment }: { person: string; moment: string }) =>
    `Printed by ${person} at ${moment} - uncontrolled when printed`,
  document_copy_effective: ({ date }: { date: string | null }) => `Effective date: ${date ?? 'not set'}`,

  document_workflow_summary: ({
    number,
    version,
    state,
    due_date,
    is_overdue,
    waits_for,
  }: {
    number: string
    version: string
    state: string
    due_date: string | null
    is_overdue: boolean
    waits_for: readonly string[]
  }) => {
    const due = due_date === null ? '' : is_overdue ? `, overdue since ${due_date}` : `, due on ${due_date}`
    const waits = waits_for.length > 0 ? waits_for.join(', and ') : 'it waits for nothing'
    return `${number}, version ${version}, is in the state ${state}${due}: ${waits}`
  },
  document_gate_before_access: 'Only people who are trained on it, or in training, may open its file',
  document_gate_met: 'Everyone who can decide now has the required training',
  document_gate_untrained: ({ people }: { people: number }) =>
    `${people} of those who can decide now ${people === 1 ? 'lacks' : 'lack'} the required training`,
  document_gate_being_assigned: 'Its training is being assigned',
  document_gate_assigned_later: 'Its training is assigned once it is approved',
  document_gate_idle: 'Its training is assigned to nobody, so it waits for none',
  document_gate_progress: ({
    completed,
    assigned,
    threshold,
  }: {
    completed: number
    assigned: number
    threshold: number
  }) =>
    `${completed} of ${assigned === 1 ? '1 person has' : `${assigned} people have`} completed its training; ${threshold} % are needed`,
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  /** `comment` is null where the transition has none. */
  reason_round_ended: ({ round, transition, comment }: { round: number; transition: string; comment: string | null }) =>
    `Round ${round} was ended by ${transition}${comment ? `: ${comment}` : ''}`,
  reason_delegation_configured: 'The approval was configured',
  reason_delegation_round_voided: 'The round was voided',
  reason_migrated: ({ source, batch }: { source: string; batch: string }) =>
    `Imported from ${source} by the migration ${batch}`,
})
