import { defineMessages, listInWords } from '#kernel/message.ts'
import { stepName } from './definition.ts'

/** The part of a person in a version, which may keep them from deciding about it. */
export type Part = 'author' | 'editor' | 'submitter' | 'chooser'

/** What somebody did to a version; authors have a sentence of their own. */
const partInWords = (part: Exclude<Part, 'author'>) =>
  part === 'editor' ? 'changed its metadata' : part === 'submitter' ? 'submitted it' : 'chose its approvals'

/** The pending approval of a state, if there is one, and the transitions that the person may take from there, if that is known. */
export type NextSteps = {
  state: string
  /** The step whose approval by the person can be taken back. */
  approved: string | null
  step: string | null
  approvers: string | null
  transitions: readonly string[] | null
}

function withNextSteps(sentence: string, { state, approved, step, approvers, transitions }: NextSteps): string {
  const sentences = [sentence]
  if (step !== null) sentences.push(`The ${stepName(step)} step awaits ${approvers}.`)
  if (approved !== null) sentences.push(`You may take back your approval of the ${stepName(approved)} step.`)
  if (transitions !== null && (transitions.length > 0 || approved === null))
    sentences.push(
      transitions.length > 0
        ? `From ${state} you may: ${transitions.join(', ')}.`
        : `There is no transition from ${state} that you may take.`,
    )
  return sentences.join(' ')
}

/** `is_orphaned`: too few of the approvers are left. */
type Deciders = { approvers: string; is_orphaned: boolean }
const decidedBy = ({ approvers, is_orphaned }: Deciders, each = '') =>
  `It is decided by ${approvers}${each}.${is_orphaned ? ' Too few of them are left: ask somebody with the permission documents.configure_approval to name other approvers.' : ''}`

export const messages = defineMessages({
  workflow_template_name_taken: ({ name }: { name: string }) =>
    `There is already a workflow template named ${name}. Choose another name.`,
  workflow_template_built_in: ({ name }: { name: string }) =>
    `${name} is built in and cannot be changed. Create a template of your own from its definition.`,
  workflow_template_inactive: ({ name }: { name: string }) =>
    `The workflow template ${name} is not active. Choose another template.`,
  workflow_way_without_approval: ({ template, type }: { template: string; type: string }) =>
    `${template} has a way to effective without an approval, and documents of the type ${type} are controlled. Add an approval to the workflow.`,
  workflow_minimum_people: ({
    template,
    type,
    needed,
    given,
  }: {
    template: string
    type: string
    needed: number
    given: number
  }) =>
    `Documents of the type ${type} need approvals by ${needed} different people, and ${template} has a way to effective with ${given}. Add approvals to the workflow.`,
  workflow_minimum_author: ({ template, type, needed }: { template: string; type: string; needed: number }) =>
    `Documents of the type ${type} need approvals by ${needed} different people other than the author, and the author may approve by ${template}. Exclude the author.`,
  workflow_minimum_signature: ({ template, type }: { template: string; type: string }) =>
    `Documents of the type ${type} need a signed approval, and ${template} has a way to effective without one. Add a signature to the workflow.`,
  document_type_name_taken: ({ name }: { name: string }) =>
    `There is already a document type named ${name}. Choose another name.`,
  document_type_prefix_taken: ({ prefix, name }: { prefix: string; name: string }) =>
    `The numbers of ${name} begin with ${prefix} already. Choose another prefix.`,
  document_type_training_required: 'Choose the training that approvers must have completed (before_sign).',
  document_type_training_in_use: ({ number, name }: { number: string; name: string }) =>
    `${number} has the training gate before_sign, so ${name} must name at least one training program.`,
  document_type_program_archived: ({ number }: { number: string }) =>
    `${number} is archived. Choose an active training program.`,
  document_type_effect_workflow: ({ under_way, workflow }: { under_way: number; workflow: string }) =>
    `${under_way === 0 ? 'No version is under way.' : `${under_way === 1 ? 'One version that is under way keeps' : `${under_way} versions that are under way keep`} the workflow that ${under_way === 1 ? 'it' : 'they'} began with.`} New documents and new versions follow ${workflow}.`,
  document_type_effect_gate: ({ concerned, own }: { concerned: number; own: number }) =>
    `The training gate applies at once to ${concerned === 1 ? 'one document' : `${concerned} documents`}.${own === 0 ? '' : ` ${own === 1 ? 'One document keeps' : `${own} documents keep`} a gate of ${own === 1 ? 'its' : 'their'} own.`}`,
  document_type_effect_programs: ({ under_way }: { under_way: number }) =>
    `The required training applies at once, also to the decisions that ${under_way === 1 ? 'one version' : `${under_way} versions`} under way still ${under_way === 1 ? 'needs' : 'need'}.`,
  document_type_effect_review: ({ effective }: { effective: number }) =>
    `${effective === 1 ? 'One effective document keeps its next review date' : `${effective} effective documents keep their next review date`}. The new period counts from the next release or review.`,
  document_type_effect_numbers: ({ total, next_number }: { total: number; next_number: string }) =>
    `${total === 1 ? 'One document keeps its number' : `${total} documents keep their numbers`}. The next one is ${next_number}.`,
  document_type_effect_retention: ({ years, total }: { years: number | null; total: number }) =>
    years === null
      ? `${total === 1 ? 'All versions of one document are' : `All versions of ${total} documents are`} kept for ever, and proposed disposals of them can no longer be carried out.`
      : `${total === 1 ? 'One document' : `${total} documents`}: each version can be disposed of ${years === 1 ? 'one year' : `${years} years`} after it was superseded or its document became obsolete. This holds for versions that ended before, too.`,
  retention_shortened_without_reason:
    'Enter a reason: a shorter retention period makes records due for disposal earlier.',
  document_type_effect_inactive: ({ total }: { total: number }) =>
    `${total === 1 ? 'One document stays as it is' : `${total} documents stay as they are`}, and nobody can upload a new document or a new version of this type.`,
  document_type_effect_name: ({ total }: { total: number }) =>
    `${total === 1 ? 'One document shows' : `${total} documents show`} the new name of the type. Numbers stay as they are.`,

  approver_already_approved: ({ step }: { step: string }) =>
    `You have already approved the ${stepName(step)} step. To decide otherwise, take your approval back.`,
  approver_is_author: ({ step, approvers, is_orphaned }: { step: string } & Deciders) =>
    `You are the author, so you cannot decide on the ${stepName(step)} step. ${decidedBy({ approvers, is_orphaned })}`,
  approver_took_part: ({
    step,
    part,
    approvers,
    is_orphaned,
  }: { step: string; part: Exclude<Part, 'author'> } & Deciders) =>
    `You cannot decide on the ${stepName(step)} step of this version, because you ${partInWords(part)}. ${decidedBy({ approvers, is_orphaned })}`,
  approver_approved_excluded_step: ({ step, excluded }: { step: string; excluded: readonly string[] }) =>
    `You approved the ${excluded.map(stepName).join(' or ')} step, so another person must decide on the ${stepName(step)} step.`,
  approver_delegated: ({ step, person }: { step: string; person: string }) =>
    `You delegated your part in the ${stepName(step)} step to ${person}. Take it back to decide yourself.`,
  approver_represented: ({ step, person }: { step: string; person: string }) =>
    `Your part in the ${stepName(step)} step was decided by ${person} as your deputy. ${person} can take the approval back.`,
  approver_not_named: ({
    step,
    permission,
    approvers,
    is_orphaned,
  }: { step: string; permission: string | null } & Deciders) =>
    `No rule of the ${stepName(step)} step names you. ${decidedBy({ approvers, is_orphaned }, permission === null ? '' : `, each with the permission ${permission}`)}`,
  approver_permission_required: ({ step, permission }: { step: string; permission: string }) =>
    `You need the permission ${permission} to decide on the ${stepName(step)} step.`,
  approver_turn_not_started: ({ step, awaited }: { step: string; awaited: readonly string[] }) =>
    `Your part in the ${stepName(step)} step has not started yet. It awaits ${listInWords(awaited, 'or')}.`,
  approver_rules_met: ({ step, awaited }: { step: string; awaited: readonly string[] }) =>
    `The rules that name you already have their approvals. The ${stepName(step)} step awaits ${listInWords(awaited, 'or')}.`,
  approver_needed_later: ({ step }: { step: string }) =>
    `Only you can give a later approval of the ${stepName(step)} step, so another person must approve first.`,

  workflow_nothing_to_approve: (next: NextSteps) =>
    withNextSteps(`Nothing awaits approval in the state ${next.state}.`, next),
  workflow_submission_refused: ({ reason, transition }: { reason: string; reason_code: string; transition: string }) =>
    `${reason} To submit without approving, use the transition ${transition}.`,
  workflow_comment_required: 'Enter a comment.',
  approval_not_given: (next: NextSteps) =>
    withNextSteps(
      'You have not approved this version since it was submitted, so you have no approval to take back.',
      next,
    ),
  approval_round_ended: (next: NextSteps) =>
    withNextSteps('This version awaits no approval any more, so an approval can no longer be taken back.', next),
  workflow_permission_required: ({ transition, permission }: { transition: string; permission: string }) =>
    `You need the permission ${permission} for the transition ${transition}.`,
  workflow_cancel_after_submission: (next: NextSteps) =>
    withNextSteps('Only a draft that was never submitted can be cancelled.', next),
  workflow_transition_unknown: (params: NextSteps & { transition: string }) =>
    withNextSteps(`There is no transition ${params.transition} from the state ${params.state}.`, params),
  workflow_transition_automatic: (params: NextSteps & { transition: string; moment: string }) =>
    withNextSteps(`The transition ${params.transition} happens automatically ${params.moment}.`, params),

  delegation_to_holder: ({ person }: { person: string }) => `The part is already with ${person}.`,
  delegation_person_approved: ({ step, person }: { step: string; person: string }) =>
    `The ${stepName(step)} step was already approved by ${person}.`,
  delegation_person_is_author: ({ step, person }: { step: string; person: string }) =>
    `The ${stepName(step)} step cannot be decided by ${person}, who is the author.`,
  delegation_person_took_part: ({
    step,
    person,
    part,
  }: {
    step: string
    person: string
    part: Exclude<Part, 'author'>
  }) => `The ${stepName(step)} step of this version cannot be decided by ${person}, who ${partInWords(part)}.`,
  delegation_person_excluded: ({
    step,
    person,
    excluded,
  }: {
    step: string
    person: string
    excluded: readonly string[]
  }) =>
    `The ${stepName(step)} step cannot be decided by ${person}, who approved the ${excluded.map(stepName).join(' or ')} step.`,
  delegation_person_delegated: ({ step, person }: { step: string; person: string }) =>
    `The part in the ${stepName(step)} step was already delegated by ${person}.`,
  delegation_person_not_named: ({ step, person }: { step: string; person: string }) =>
    `No rule of the ${stepName(step)} step names ${person}.`,
  /** `permissions`: those that the person lacks; none if it is the company that keeps them from approving. */
  delegation_person_cannot_decide: ({
    step,
    person,
    permissions,
  }: {
    step: string
    person: string
    permissions: readonly string[]
  }) =>
    `The ${stepName(step)} step cannot be delegated to ${person}, who ${
      permissions.length > 0 ? `lacks ${listInWords(permissions)}` : 'is not active or may not approve in this company'
    }. Choose another person.`,
  delegation_person_lacks_permission: ({
    step,
    person,
    permission,
  }: {
    step: string
    person: string
    permission: string
  }) => `The ${stepName(step)} step cannot be decided by ${person}, who lacks the permission ${permission}.`,
  delegation_person_represented: ({ step, person }: { step: string; person: string }) =>
    `The ${stepName(step)} step was already approved for ${person} by their deputy.`,
  delegation_leaves_too_few: ({ step }: { step: string }) =>
    `The ${stepName(step)} step would have too few different approvers. Choose another person.`,
  delegation_not_found: ({ person }: { person: string }) => `No part in a pending approval was delegated by ${person}.`,
  delegation_used: ({ step, person }: { step: string; person: string }) =>
    `The ${stepName(step)} step was already approved by ${person} with this part, so it cannot be taken back.`,

  workflow_name_twice: ({ kind, name }: { kind: string; name: string }) =>
    `There are two ${kind} named ${name}. Rename one of them.`,
  workflow_state_unknown: ({ state }: { state: string }) => `There is no state ${state}.`,
  workflow_state_final: ({ state }: { state: string }) =>
    `The state ${state} is final, so no transition can lead out of it.`,
  workflow_transition_to_itself: ({ transition, state }: { transition: string; state: string }) =>
    `The transition ${transition} leads from the state ${state} to itself. Choose another state.`,
  workflow_wait_outside_review: 'Only a state of kind review can wait for the effective date or for training.',
  workflow_supersede_not_effective: 'Only an effective state can be superseded.',
  workflow_superseded_still_effective: 'A superseded version is no longer effective. Choose another state.',
  workflow_permission_unknown: ({ permission }: { permission: string }) => `There is no permission ${permission}.`,
  workflow_reject_not_by_hand:
    'Rejection is the decision of a person, so reject can be neither automatic nor an approval.',
  workflow_approval_trigger: 'A transition with an approval is taken on_approval.',
  workflow_approval_missing: 'A transition that is taken on_approval needs an approval.',
  workflow_automatic_with_permission: 'Nobody takes an automatic transition by hand, so it needs no permission.',
  workflow_automatic_with_comment: 'Nobody takes an automatic transition by hand, so it has no comment.',
  workflow_state_with_two_approvals: ({ state, steps }: { state: string; steps: readonly string[] }) =>
    `The state ${state} awaits ${steps.length} approvals at once: ${steps.join(', ')}. Keep one of them.`,
  workflow_approval_without_reject: ({ state }: { state: string }) =>
    `The state ${state} awaits an approval, but has no transition reject. Add one.`,
  workflow_approval_overtaken: ({ state }: { state: string }) =>
    `The state ${state} awaits an approval, so it cannot be left on a date or after training.`,
  workflow_trigger_twice: ({ state, trigger }: { state: string; trigger: string }) =>
    `The state ${state} has two transitions ${trigger}. Keep one of them.`,
  workflow_effective_without_supersede: ({ state }: { state: string }) =>
    `The effective state ${state} has no transition on_supersede. Add one.`,
  workflow_state_unreachable: ({ state }: { state: string }) => `The state ${state} cannot be reached.`,
  workflow_no_way_to_final: ({ state }: { state: string }) =>
    `From the state ${state} there is no way to a final state.`,
  workflow_no_way_to_effective: ({ state }: { state: string }) =>
    `From the state ${state} there is no way to an effective state.`,
  workflow_automatic_loop: ({ transition }: { transition: string }) =>
    `The transition ${transition} is part of a loop in which no person takes a step.`,
  workflow_initial_state_count: ({ count }: { count: number }) =>
    `A workflow has exactly one initial state, not ${count}.`,

  workflow_person_named_twice: ({ person }: { person: string }) => `Name ${person} only once.`,
  workflow_who_mismatch: ({ kind, by }: { kind: string; by: string }) => `Name a ${kind} by its ${by}.`,
  workflow_count_and_percent: 'Give the rule a count or a percentage, not both.',
  workflow_person_cannot_approve: ({ person }: { person: string }) =>
    `This step cannot be approved by ${person}. Choose another person.`,
  workflow_group_unknown: ({ group }: { group: string }) => `There is no ${group}.`,
  workflow_role_without_approvers: ({ role }: { role: string }) =>
    `The role ${role} has no active members who may approve, so this step cannot be approved.`,
  workflow_group_without_approvers: ({ group }: { group: string }) =>
    `There are no active members of ${group} who may approve, so this step cannot be approved.`,
  workflow_permission_without_approvers: ({ permission }: { permission: string }) =>
    `No active person with the permission ${permission} may approve, so this step cannot be approved.`,
  workflow_rule_short_of_people: ({ available, needed }: { available: number; needed: number }) =>
    `Only ${available} of the ${needed} people needed can approve by this rule.`,
  workflow_rules_short_of_people: ({ approvers }: { approvers: string }) =>
    `There are not enough different people for ${approvers}: each person's approval counts once.`,
  workflow_steps_short_of_people: ({ steps }: { steps: readonly string[] }) =>
    `There are not enough different people to approve ${listInWords(steps)}.`,
  workflow_step_short_of_people: ({ step, approvers }: { step: string; approvers: string }) =>
    `There are not enough people for the ${stepName(step)} step: it needs ${approvers}.`,
  workflow_step_short_without_author: ({
    step,
    authors,
    more,
    approvers,
  }: {
    step: string
    authors: readonly string[]
    more: number
    approvers: string
  }) =>
    `The ${stepName(step)} step cannot be approved for documents by ${listInWords([...authors, ...(more > 0 ? [`${more} others`] : [])], 'or')}: without the author, too few people remain for ${approvers}.`,
  workflow_permission_unheld: ({ permission }: { permission: string }) => `Nobody has the permission ${permission}.`,
  workflow_reminder_too_early: 'The reminder would come before the approval has begun. Choose fewer days.',
  workflow_escalation_without_readers: ({ people }: { people: string }) =>
    `Nobody would be notified, because ${people} may not read drafts. Choose other people.`,
  workflow_approval_unknown: ({ step }: { step: string }) => `There is no approval ${step}.`,
  workflow_approval_excludes_itself:
    'A step does not need to exclude its own approvers, because nobody approves it twice.',
})

/** `names`: the people of a rule, or its role, permission or group. */
export type NamedPeople = { kind: 'user' | 'role' | 'permission' | 'group'; names: readonly string[] }
type Counted = NamedPeople & { count: number }

/** A role, a permission or a group as it stands in a sentence. */
const nameIn = ({ kind, names }: NamedPeople) =>
  kind === 'group' ? names.join(', ') : `the ${kind} ${names.join(', ')}`
const peopleIn = (people: NamedPeople) => {
  if (people.kind === 'user') return listInWords(people.names)
  return people.kind === 'group' ? `the members of ${nameIn(people)}` : `the people with ${nameIn(people)}`
}
const countedIn = (people: Counted) => {
  const { kind, names, count } = people
  if (kind === 'user') return count === names.length ? listInWords(names) : `${count} of ${listInWords(names)}`
  const named = nameIn(people)
  if (kind === 'group') return count === 1 ? `1 member of ${named}` : `${count} members of ${named}`
  return `${count === 1 ? '1 person' : `${count} people`} with ${named}`
}
/** `1 more person with the role QA`. */
const missingIn = (people: NamedPeople & { missing: number; given: number }) => {
  const { kind, names, missing, given } = people
  const more = given > 0 ? ' more' : ''
  if (kind === 'user')
    return missing === names.length ? listInWords(names) : `${missing}${more} of ${listInWords(names)}`
  return `${missing}${more} ${missing === 1 ? 'person' : 'people'} ${kind === 'group' ? 'of' : 'with'} ${nameIn(people)}`
}
const days = (count: number) => (count === 1 ? '1 day' : `${count} days`)

const moments = {
  on_approval: 'when its approval is complete',
  on_effective_date: 'on the effective date',
  on_training_complete: 'when the training is complete',
  on_supersede: 'when a newer version becomes effective',
} as const
export type Moment = keyof typeof moments

/** Null or empty stands for what the transition does not have. */
export type TransitionParams = {
  transition: string
  approvers: string | null
  is_author_excluded: boolean
  excluded_steps: readonly string[]
  signed_as: string | null
  due_days: number | null
  remind_days_before: number
  escalated_to: string | null
  moment: string | null
  permission: string | null
  is_comment_required: boolean
}

/** Parts of sentences, and sentences without their end. */
export const printed = defineMessages({
  workflow_people: peopleIn,
  workflow_rule_people: countedIn,
  /** `count`: null before the share is settled. */
  workflow_rule_percent: (params: NamedPeople & { percent: number; count: number | null }) =>
    `${params.percent}% of ${peopleIn(params)}${params.count === null ? '' : `, which is ${params.count}`}`,
  workflow_rules: ({ rules, is_in_order }: { rules: readonly string[]; is_in_order: boolean }) =>
    rules.join(is_in_order ? ', then ' : ' and '),
  /** `people`: the first of those who may decide now; `others`: how many more. */
  workflow_approval_awaited: (
    params: NamedPeople & {
      transition: string
      missing: number
      given: number
      people: readonly string[]
      others: number
      is_author_excluded: boolean
      excluded_steps: readonly string[]
    },
  ) => {
    const { transition, people, others, is_author_excluded, excluded_steps } = params
    const some = others > 0 ? [...people, others === 1 ? '1 other' : `${others} others`] : people
    return [
      `${transition} awaits ${missingIn(params)}: ${some.length === 0 ? 'nobody may approve it now' : listInWords(some, 'or')}`,
      ...(is_author_excluded ? ['the author is excluded'] : []),
      ...(excluded_steps.length > 0 ? [`approvers of ${listInWords(excluded_steps, 'or')} are excluded`] : []),
    ].join('; ')
  },
  /** `giver`: the person whose part it was, if it was another's. */
  workflow_decision: ({
    person,
    decision,
    step,
    giver,
  }: {
    person: string
    decision: 'approve' | 'reject'
    step: string
    giver: string | null
  }) =>
    `${person} ${decision === 'approve' ? 'approved' : 'rejected'} the ${stepName(step)} step${giver === null ? '' : `, with the part of ${giver}`}`,
  workflow_moment: ({ moment }: { moment: Moment }): string => moments[moment] ?? `${moment}`,
  workflow_automatic: ({ transition, moment, day }: { transition: string; moment: string; day: string | null }) =>
    `${transition} happens automatically ${moment}${day === null ? '' : `, ${day}`}`,
  workflow_transition: (params: TransitionParams) => {
    const { transition, approvers, excluded_steps, signed_as, due_days, remind_days_before, escalated_to } = params
    const { moment, permission } = params
    const reminder = remind_days_before === 0 ? 'on that day' : `${days(remind_days_before)} before`
    const parts = [
      ...(approvers === null
        ? []
        : [`approval by ${approvers}`, `the author ${params.is_author_excluded ? 'excluded' : 'included'}`]),
      ...(excluded_steps.length > 0 ? [`not those who approved ${excluded_steps.join(', ')}`] : []),
      ...(signed_as === null ? [] : [`signed as ${signed_as}`]),
      ...(due_days === null ? [] : [`due after ${days(due_days)}, with a reminder ${reminder}`]),
      ...(escalated_to === null ? [] : [`escalated to ${escalated_to} when overdue`]),
      ...(moment === null ? [] : [`automatically ${moment}`]),
      ...(permission === null ? [] : [`permission ${permission}`]),
      ...(params.is_comment_required ? ['with a comment'] : []),
    ]
    return parts.join('; ') || (transition === 'reject' ? 'those who could approve' : 'anyone')
  },
  /** `by_whom`: of each of the transitions. */
  workflow_transitions_awaited: ({
    transitions,
    by_whom,
  }: {
    transitions: readonly string[]
    by_whom: readonly string[]
  }) =>
    transitions.length === 0
      ? 'no transition leads on'
      : `someone takes ${listInWords(
          transitions.map((name, at) => `${name} (${by_whom[at]})`),
          'or',
        )}`,
})
