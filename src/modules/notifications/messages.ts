import { labelOf } from '#kernel/labels.ts'
import { defineMessages } from '#kernel/message.ts'

/** Null stands for what is not known: nobody did it but a schedule, there is no comment, or no due date. */
export type CommonParams = { by: string | null; comment: string | null; due_date: string | null }
export type DocumentParams = CommonParams & {
  number: string
  title: string
  version: string
  /** As the workflow calls it. */
  state: string
  effective_date: string | null
  /** From a comment on the document, or from the reply to it. */
  quote: string | null
}
export type RecordParams = CommonParams & {
  number: string
  title: string
  state: string
  requested_due_date: string | null
  /** The action of a CAPA. */
  action: string | null
  quote: string | null
}
export type CopyParams = CommonParams & {
  number: string
  version: string
  location: string
  holder: string
  /** What became of it by the word of its holder. */
  outcome: string | null
  status: string
}
export type ReviewParams = CommonParams & { number: string }
type DeputyParams = { person: string; deputy: string; starts_on: string; ends_on: string; comment: string | null }
export type ConfigurationParams = CommonParams & { number: string; title: string }
/** `copies_out`: the controlled copies of the version that are not returned or destroyed. */
export type RemovalParams = ConfigurationParams & { copies_out: number }
/** `differences`: records that are not what their row says. */
export type MigrationParams = ConfigurationParams & { records: number; differences: number }
export type DisposalParams = Omit<ConfigurationParams, 'title'> & { records: number; kept: number }
export type TrainingParams = Omit<CommonParams, 'due_date'> & {
  number: string
  title: string
  trainee: string
  due_date: string
  /** The version of the document to be read. */
  version: string | null
  valid_until: string | null
}
export type JobParams = {
  id: number
  kind: string | null
  done: number | null
  total: number | null
  skipped: number | null
  error: string | null
}

const by = ({ by }: Pick<CommonParams, 'by'>) => (by === null ? '' : ` by ${by}`)
const comment = ({ comment }: Pick<CommonParams, 'comment'>) => (comment === null ? '' : ` "${comment}"`)
const quote = ({ quote }: { quote: string | null }) => (quote === null ? '' : ` "${quote}"`)
const due = ({ due_date }: Pick<CommonParams, 'due_date'>) => (due_date === null ? '' : ` It is due on ${due_date}.`)
const wasDue = ({ due_date }: Pick<CommonParams, 'due_date'>) =>
  due_date === null ? '' : ` It was due on ${due_date}.`

type Part<P> = (params: P) => string

/** `phrase` follows the number in the title, `details` the sentence that names the record. */
const about =
  <P extends { number: string }>(subject: Part<P>, usualDetails: Part<P>) =>
  (phrase: string | Part<P>, details: Part<P> = usualDetails) =>
  (params: P) => ({
    title: `${params.number} ${typeof phrase === 'string' ? phrase : phrase(params)}`,
    text: `${subject(params)}.${details(params)}`,
  })
const document = about<DocumentParams>(
  ({ number, title, version }) => `${number}, "${title}", version ${version}`,
  comment,
)
const record = about<RecordParams>(({ number, title, state }) => `${number}, "${title}", ${labelOf(state)}`, comment)
const configuration = about<ConfigurationParams>(({ title }) => `Change of ${title}`, comment)
const copiesOut = ({ copies_out }: RemovalParams) => {
  if (copies_out === 0) return ''
  const [are, them] = copies_out === 1 ? ['copy of this version is', 'it'] : ['copies of this version are', 'them']
  return ` ${copies_out} controlled ${are} still out, and the removal does not reach paper. Have ${them} returned.`
}
const commentAndCopies = (params: RemovalParams) => `${comment(params)}${copiesOut(params)}`
const removal = about<RemovalParams>(({ title }) => `File of ${title}`, commentAndCopies)
const migration = about<MigrationParams>(({ number, title }) => `${number}, "${title}",`, comment)
const disposal = about<DisposalParams>(({ number }) => `Disposal ${number}`, comment)
const recordsOf = ({ records }: DisposalParams) => ` It lists ${records === 1 ? 'one record' : `${records} records`}.`
const hold = about<DisposalParams>(({ number }) => `Legal hold ${number}`, comment)
const review = about<ReviewParams>(({ number }) => `Effectiveness review of ${number}`, comment)
const training = about<TrainingParams>(
  ({ number, title, trainee }) => `${number}, "${title}", training of ${trainee}`,
  comment,
)
const dueTraining: Part<TrainingParams> = params =>
  `${due(params)}${params.version === null ? '' : ` Read version ${params.version} of its document.`}`

const dueAndComment = (params: CommonParams) => `${due(params)}${comment(params)}`
const actionOf = ({ action }: RecordParams) => (action === null ? '' : ` Action: "${action}".`)
const moved: Part<RecordParams> = params => `was moved to ${labelOf(params.state)}${by(params)}`
const extensionRequested = record('awaits your decision about a later due date', params => {
  const { due_date, requested_due_date } = params
  const request =
    due_date && requested_due_date
      ? ` It is due on ${due_date}; ${params.by} asks for ${requested_due_date}.`
      : due(params)
  return `${request}${comment(params)}`
})
const extended = record(params => `was given the due date ${params.due_date}${by(params)}`)
const notExtended = record(params => `keeps its due date: another was refused${by(params)}`)
const commented = record(params => `has a comment${by(params)}`, quote)
const linked = record(params => `was linked to another record${by(params)}`)
const unlinked = record(params => `was unlinked from another record${by(params)}`)

/** The people who started a job know it by these names. */
const jobNames: Readonly<Record<string, string>> = {
  'accounts.hand_over': 'the hand-over of open work',
  'training.assign': 'the assignment of a training',
  'training.cancel_open': 'the cancellation of open assignments',
  'training.release': 'the training after a release',
  'statistics.count_by_new_zone': 'the statistics by the new time zone',
}

const job = (outcome: string) => {
  return ({ id, kind, done, total, skipped, error }: JobParams) => ({
    title: `Your background job ${outcome}`,
    text: [
      `Job ${id}${kind === null ? '' : `, ${jobNames[kind] ?? kind}`}.`,
      ...(done !== null && total !== null ? [`${done} of ${total} done.`] : []),
      ...(skipped ? [`${skipped} skipped.`] : []),
      ...(error === null ? [] : [`"${error}"`]),
    ].join(' '),
  })
}

/** To the owner of the account. */
const accountChanged = (change: string) => (params: { by: string | null }) => ({
  title: `${change} of your account was changed`,
  text: `${change} of your account was changed${by(params)}. If you did not expect this, tell an Admin at once.`,
})

export const messages = defineMessages({
  notification_type_repeated: ({ type }: { type: string }) => `${type} is listed twice. Remove one of the entries.`,
  notification_type_required: ({ type }: { type: string }) =>
    `${type} asks for a decision or gives a warning, and cannot be switched off.`,
  notification_email_without_app:
    'There is no e-mail without the notification. Choose none, or leave the notification switched on.',
  notification_nothing_to_escalate: 'No unread request about this record is due for escalation.',
  notification_nothing_to_digest: ({ day }: { day: string }) => `No notification waits for the digest of ${day}.`,

  // The notifications: codes are their types, with an ending where a type says several things.
  document_approval_requested: document(
    'awaits your decision',
    params => ` Its state is: ${params.state}.${dueAndComment(params)}`,
  ),
  document_reminded: document(
    ({ by }) => `still awaits your decision${by === null ? '' : `, ${by} reminds you`}`,
    dueAndComment,
  ),
  document_approval_due: document('still awaits your decision', due),
  document_approval_overdue: document('awaits a decision that is overdue', wasDue),
  document_approval_overdue_own: document('awaits your decision, which is overdue', wasDue),
  document_approval_orphaned: document(
    'awaits an approval that too few people are left to give',
    params => `${due(params)} Name other approvers.`,
  ),
  document_approved: document(params => `was approved${by(params)}`),
  document_rejected: document(
    params => `was rejected${by(params)}`,
    params => ` Its state is: ${params.state}.${comment(params)}`,
  ),
  document_approval_withdrawn: document(params => `lost an approval, which was taken back${by(params)}`, comment),
  document_moved: document(params => `was moved to ${params.state}${by(params)}`),
  document_effective: document('is effective', () => ''),
  document_effective_date_set: document(({ effective_date }) => `becomes effective on ${effective_date}`),
  document_effective_date_removed: document('becomes effective as soon as it is approved'),
  document_delegated: document(params => `was delegated to another person${by(params)}`),
  document_delegated_own: document(params => `was delegated to you${by(params)}`, dueAndComment),
  document_delegation_ended: document(params => `is no longer delegated${by(params)}`),
  document_delegation_ended_own: document(params => `awaits your own decision again${by(params)}`),
  document_review_due: document('is due soon for its periodic review', due),
  document_review_overdue: document('is overdue for its periodic review', wasDue),
  document_reviewed: document(params => `was reviewed${by(params)}`),
  document_commented: document(params => `has a comment${by(params)}`, quote),
  document_comment_mentioned: document(params => `mentions you in a comment${by(params)}`, quote),
  document_comment_reopened: document(params => `has a comment that was reopened${by(params)}`, comment),
  document_comment_resolved: document(params => `has a comment that was resolved${by(params)}`, quote),

  configuration_approval_requested: configuration(
    'awaits approval',
    params => ` It was proposed${by(params)}. Read what changes, and approve or reject it.${comment(params)}`,
  ),
  configuration_change_approved: configuration(params => `was approved${by(params)}`),
  configuration_change_rejected: configuration(params => `was rejected${by(params)}`),
  configuration_change_overtaken: configuration(
    'is outdated',
    () => ' The record was changed otherwise after you proposed this. Propose it again if it is still needed.',
  ),

  file_removal_awaits_decision: removal(
    'awaits your decision',
    params =>
      ` The removal was requested${by(params)}. Read the reason, and approve or reject it.${commentAndCopies(params)}`,
  ),
  file_removal_approved: removal(params => `was approved${by(params)}`),
  file_removal_rejected: removal(params => `was rejected${by(params)}`, comment),
  disposal_awaits_decision: disposal(
    'awaits your decision',
    params =>
      `${recordsOf(params)} The disposal was proposed${by(params)}. Read the list, and approve or reject it.${comment(params)}`,
  ),
  disposal_approved: disposal(params => `was approved${by(params)}`),
  disposal_rejected: disposal(params => `was rejected${by(params)}`),
  disposal_completed: disposal(
    'was carried out',
    ({ records, kept }) =>
      ` ${records} disposed of, ${kept} kept because they may not be disposed of any more. The disposal says why.`,
  ),
  legal_hold_lifted: hold(params => `was lifted${by(params)}`),
  document_file_removed: document('lost a file, which two people removed', comment),

  deviation_reported: record('is critical, and awaits its assessment', due),
  deviation_unassigned: record('awaits its assignment', due),
  deviation_assigned: record('is assigned to you', dueAndComment),
  deviation_approval_requested: record('awaits its closure'),
  deviation_moved: record(moved),
  deviation_due_soon: record('is due soon', due),
  deviation_overdue: record('is overdue', wasDue),
  deviation_commented: commented,
  deviation_linked: linked,
  deviation_unlinked: unlinked,
  deviation_extension_requested: extensionRequested,
  deviation_extended: extended,
  deviation_not_extended: notExtended,

  capa_approval_requested: record('is a draft, and awaits your approval', () => ''),
  capa_plan_approval_requested: record('has a plan that awaits your approval', () => ''),
  capa_plan_approved: record(params => `has an approved plan${by(params)}`),
  capa_assigned: record(params => `was assigned to you${by(params)}`),
  capa_moved: record(moved),
  capa_due: record('is due soon', due),
  capa_action_due: record('has an action that is due soon', params => `${actionOf(params)}${due(params)}`),
  capa_overdue: record('is overdue', wasDue),
  capa_action_overdue: record('has an action that is overdue', params => `${actionOf(params)}${wasDue(params)}`),
  capa_commented: commented,
  capa_linked: linked,
  capa_unlinked: unlinked,
  capa_extension_requested: extensionRequested,
  capa_extended: extended,
  capa_not_extended: notExtended,
  capa_review_requested: record('awaits your effectiveness review'),
  capa_review_planned: review(params => `was assigned to you for an effectiveness review${by(params)}`, due),
  capa_review_due: review('is due soon for its effectiveness review', due),
  capa_review_overdue: review('is overdue for its effectiveness review', wasDue),
  capa_reviewed_effective: review(params => `was found effective${by(params)}`),
  capa_reviewed_closable: review(params => `was found effective${by(params)} and can be closed`),
  capa_reviewed_not_effective: review(params => `was found not effective${by(params)}`),

  training_assigned: training(params => `is assigned to you${by(params)}`, dueTraining),
  training_moved: training('continues with a new version of its document', dueTraining),
  training_due_soon: training('is due soon', due),
  training_reminded: training(
    ({ by }) => `is still to be done${by === null ? '' : `, ${by} reminds you`}`,
    dueAndComment,
  ),
  training_overdue: training('is overdue', wasDue),
  training_completed: training(({ trainee }) => `was completed by ${trainee}`),
  training_verification_requested: training('awaits your verification'),
  training_failed: training(
    ({ trainee }) => `was failed by ${trainee}`,
    () => ' All attempts are used up. Assign it again.',
  ),
  training_verified: training(params => `was verified${by(params)}`),
  training_waived: training(params => `was waived${by(params)}`),
  training_cancelled: training(params => `was cancelled${by(params)}`),
  training_expiring: training('needs to be renewed, because its validity ends soon', ({ valid_until }) =>
    valid_until === null ? '' : ` It is valid until ${valid_until}.`,
  ),

  group_joined: (params: { group: string; by: string | null }) => ({
    title: `You are a member of the group ${params.group}`,
    text: `You were added to the group ${params.group}${by(params)}.`,
  }),
  work_handed_over: ({ person }: { person: string }) => ({
    title: `You took over work from ${person}`,
    text: `${person} was deactivated, and open work was handed over to you. See your assigned items, and the documents that you own now.`,
  }),
  migration_accepted: migration(params => `was accepted${by(params)} and is being loaded`),
  migration_loaded: migration('was loaded', ({ records, differences }) =>
    differences === 0
      ? ` All ${records} records agree with their rows. Release the import.`
      : ` ${differences} of ${records} records differ from their rows. Read the report.`,
  ),
  migration_released: migration(params => `was released${by(params)}`),
  job_completed: job('is done'),
  job_failed: job('failed'),
  signature_voided: (params: { number: string | null; by: string | null; comment: string | null }) => ({
    title: `Your signature on ${params.number ?? 'a record'} is void`,
    text: `It became void${by(params)}.${comment(params)}`,
  }),
  account_email_changed: accountChanged('The e-mail address'),
  account_role_changed: accountChanged('The role'),
  account_permission_changed: accountChanged('A permission'),
  account_password_changed: accountChanged('The password'),
  account_second_factor_changed: accountChanged('The second factor'),
  account_passkey_changed: accountChanged('A passkey'),
  passkey_misused: ({ person, passkey }: { person: string; passkey: string }) => ({
    title: `A passkey of ${person} was revoked`,
    text: `The passkey ${passkey} of ${person} counted its uses back, as a copy of a key does, so it was revoked and lets nobody in. Ask ${person} whether they tried to log in or to sign, and have a new passkey registered.`,
  }),
  account_break_glass_changed: (params: { by: string | null }) => ({
    title: 'Your account was made a break-glass account, or is no longer one',
    text: `It was decided${by(params)} whether your account gets in while single sign-on does not work. If you did not expect this, tell an Admin at once.`,
  }),
  account_linked: (params: { by: string | null }) => ({
    title: 'Your account was linked to a provider',
    text: `Your account was linked${by(params)} to who you are at a provider of your company: whoever logs in there as you gets into this account. If you did not expect this, tell an Admin at once.`,
  }),
  account_unlinked: (params: { by: string | null }) => ({
    title: 'Your account is no longer linked to a provider',
    text: `The link of your account to a provider of your company was removed${by(params)}. If you did not expect this, tell an Admin at once.`,
  }),
  break_glass_used: ({ person }: { person: string }) => ({
    title: `${person} logged in by a break-glass account`,
    text: `The break-glass account of ${person} was used. Ask ${person} whether it was they, and why.`,
  }),
  break_glass_untried: ({ person }: { person: string }) => ({
    title: `Try the break-glass account of ${person}`,
    text: `Nobody has logged in by the break-glass account of ${person} for a quarter. Try it, so that it is known to work on the day when it is needed.`,
  }),
  identity_provider_added: (params: { provider: string | null; by: string | null }) => ({
    title: `The provider ${params.provider ?? 'of your company'} was added`,
    text: `A provider for single sign-on was added${by(params)}. Whoever controls it can log in as the people who are linked to it. If you did not expect this, switch it off at once.`,
  }),
  identity_provider_changed: (params: { provider: string | null; by: string | null }) => ({
    title: `The provider ${params.provider ?? 'of your company'} was changed`,
    text: `A provider for single sign-on was changed${by(params)}. Whoever controls it can log in as the people who are linked to it. If you did not expect this, switch it off at once.`,
  }),
  identity_provider_email_taken: ({ provider, person }: { provider: string | null; person: string | null }) => ({
    title: `${provider ?? 'A provider'} named a person with the e-mail address of ${person ?? 'another account'}`,
    text: `Somebody logged in at ${provider ?? 'the provider'} with the e-mail address of ${person ?? 'another account'}, which is not linked to them, and was refused. If it is ${person ?? 'the same person'}, link the account.`,
  }),
  identity_provider_signing_refused: ({ provider, person }: { provider: string | null; person: string | null }) => ({
    title: `A signature of ${person ?? 'a person'} by ${provider ?? 'a provider'} was refused`,
    text: `Somebody tried to sign as ${person ?? 'a person'}, and the log-in at ${provider ?? 'the provider'} was another person’s or not a new one. Ask ${person ?? 'the person'} whether it was they.`,
  }),
  tenant_export_requested: (params: { by: string | null; reason: string | null }) => ({
    title: 'An export of all data was requested',
    text: `An export of everything of your company was requested${by(params)}${params.reason ? `: ${params.reason}` : ''}. Whoever downloads it has all records and files. If you did not expect this, delete the export at once.`,
  }),
  tenant_export_completed: {
    title: 'Your export is ready',
    text: 'The export of everything of your company is complete. It can be downloaded for seven days.',
  },
  tenant_export_failed: {
    title: 'Your export could not be made',
    text: 'The export of everything of your company failed in all attempts. The operator finds the reason in the log of the service.',
  },
  tenant_export_downloaded: (params: { by: string | null }) => ({
    title: 'The export of all data was downloaded',
    text: `The archive with everything of your company was downloaded${by(params)}. If you did not expect this, find out at once who has it.`,
  }),
  tenant_export_deleted: (params: { by: string | null }) => ({
    title: 'An export of all data was deleted',
    text: `The export that you requested was deleted${by(params)}. Its archive can no longer be downloaded.`,
  }),
  session_ended: (params: { by: string | null }) => ({
    title: 'Your sessions were ended',
    text: `All sessions of your account were ended${by(params)}. Log in again.`,
  }),
  session_ended_for_another: {
    title: 'A session of yours was ended',
    text: 'Your account was logged in with more browsers than your company allows at once, so the one that was unused longest was logged out. If you did not log in, tell an Admin at once.',
  },
  service_account_changed: ({ person, by: who }: { person: string; by: string | null }) => ({
    title: 'A service account of yours was changed',
    text: `You own the service account ${person}. It was created, changed or deactivated${by({ by: who })}.`,
  }),
  api_key_created: ({ account, name, by: who }: { account: string; name: string; by: string | null }) => ({
    title: 'A service account has a new key',
    text: `The key "${name}" was issued for the service account ${account}${by({ by: who })}.`,
  }),
  api_key_expiring: ({ account, name, days }: { account: string; name: string; days: number }) => ({
    title: `A key of ${account} ends soon`,
    text: `The key "${name}" of the service account ${account} ends within ${days === 1 ? 'a day' : `${days} days`}. Rotate it, or the machine is refused.`,
  }),
  account_unlocked: {
    title: 'Your account was unlocked',
    text: 'An operator ended the locks of your account after failed log-ins. If you did not ask for it, tell an Admin at once.',
  },
  account_locked: ({ person, reason }: { person: string; reason: string | null }) => ({
    title: `The account of ${person} is locked`,
    text: `Someone failed to log in or to sign as ${person}: ${reason ?? 'too many failed attempts'}. Ask ${person} whether they tried it themselves.`,
  }),
  identity_verification_requested: ({ person }: { person: string | null }) => ({
    title: `Verify the identity of ${person ?? 'a user'}`,
    text: `The password of ${person ?? 'a user'} was reset. Check who they are, and record it: until then they cannot sign.`,
  }),
  controlled_copy_issued: (params: CopyParams) => ({
    title: `${params.number} was issued to you`,
    text: `You hold this controlled copy of version ${params.version}, ${params.location}${by(params)}. Keep it there, and return it when it is recalled.`,
  }),
  controlled_copy_recalled: (params: CopyParams) => ({
    title: `Return ${params.number}`,
    text: `This controlled copy of version ${params.version}, ${params.location}, was recalled${by(params)}. Return it, and confirm the return.${due(params)}${comment(params)}`,
  }),
  controlled_copy_cancelled: (params: CopyParams) => ({
    title: `${params.number} was cancelled`,
    text: `This controlled copy of version ${params.version} was cancelled${by(params)} before it was printed.${comment(params)}`,
  }),
  controlled_copy_transferred: (params: CopyParams) => ({
    title: `You hold ${params.number}`,
    text: `This controlled copy of version ${params.version}, ${params.location}, was given to you${by(params)}.${due(params)}${comment(params)}`,
  }),
  controlled_copy_confirmed: (params: CopyParams) => ({
    title: `${params.number} is to be reconciled`,
    text: `${params.holder} held this controlled copy, ${params.location}, which by their word is ${labelOf(params.outcome ?? '-')}. Check it and reconcile it.${comment(params)}`,
  }),
  controlled_copy_reconciled: (params: CopyParams) => ({
    title: `${params.number} was reconciled`,
    text: `The controlled copy that you held is ${labelOf(params.status)}${by(params)}.${comment(params)}`,
  }),
  controlled_copy_overdue: (params: CopyParams) => ({
    title: `${params.number} was not returned`,
    text: `${params.holder} holds this controlled copy of version ${params.version}, ${params.location}.${wasDue(params)} Have it returned, and reconcile it.`,
  }),
  controlled_copy_overdue_own: (params: CopyParams) => ({
    title: `Return ${params.number}`,
    text: `You hold this controlled copy of version ${params.version}, ${params.location}, which was recalled.${wasDue(params)} Return it, and confirm the return.`,
  }),
  deputy_named: ({ person, deputy, starts_on, ends_on, comment }: DeputyParams) => ({
    title: `${deputy} stands in for ${person} from ${starts_on} to ${ends_on}`,
    text: `${deputy} can do the work of ${person} on these days, and signs for ${person}.${comment === null ? '' : ` "${comment}"`}`,
  }),
  deputy_ended: ({
    person,
    deputy,
    by,
    comment,
  }: {
    person: string
    deputy: string
    by: string | null
    comment: string | null
  }) => ({
    title: `${deputy} no longer stands in for ${person}`,
    text: `It was ended${by === null ? '' : ` by ${by}`}.${comment === null ? '' : ` "${comment}"`}`,
  }),
  /** `request` is the code of the notification of the person, whose parameters stand beside these. */
  for_another: ({
    person,
    request_title,
    request_text,
  }: {
    person: string
    request: string | null
    request_title: string
    request_text: string
  }) => ({
    title: `For ${person}: ${request_title}`,
    text: `${request_text} You are the deputy of ${person}.`,
  }),
  /** `request` is the code of the notification that was not read, whose parameters stand beside these. */
  escalation: ({
    readers,
    notified_on,
    request_title,
    request_text,
  }: {
    readers: readonly string[]
    notified_on: string
    request: string | null
    request_title: string
    request_text: string
  }) => {
    const waitsFor = readers.length > 2 ? `${readers[0]} and ${readers.length - 1} others` : readers.join(' and ')
    const [were, have] = readers.length > 1 ? ['were', 'have'] : ['was', 'has']
    return {
      title: `Waiting for ${waitsFor}: "${request_title}"`,
      text: `${readers.join(', ')} ${were} notified on ${notified_on}, and ${have} not read it. ${request_text}`,
    }
  },
})
