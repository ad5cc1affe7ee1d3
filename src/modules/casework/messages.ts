import type { Permission } from '#kernel/catalogue.ts'
import { labelOf } from '#kernel/labels.ts'
import { defineMessages, listInWords } from '#kernel/message.ts'

const nouns: Readonly<Record<string, string>> = { document: 'document', deviation: 'deviation', capa: 'CAPA' }
const nounFor = (kind: string) => nouns[kind] ?? kind

/** The end of a refusal: the people who can decide instead. */
export const orNobody = (others: readonly string[], permission: Permission) =>
  others.length > 0 ? listInWords(others, 'or') : `an Admin has to give somebody else the permission ${permission}`

/** The part of a person in a record. */
export type Part = 'author' | 'assignee' | 'investigator' | 'reassigner' | 'action_assignee' | 'action_doer'

/** Refusals that deviations and CAPAs share. */
export const messages = defineMessages({
  record_not_own_report: ({ number, permission }: { number: string; permission: string }) =>
    `${number} is not an open report of your own, so you need the permission ${permission}.`,
  record_transition_permission_required: ({
    number,
    from,
    to,
    permission,
  }: {
    number: string
    from: string
    to: string
    permission: string
  }) => `You need the permission ${permission} to move ${number} from ${labelOf(from)} to ${labelOf(to)}.`,
  record_final: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${labelOf(status)} and can no longer be changed.`,
  deviation_closed: ({ number }: { number: string }) => `${number} is closed. Reopen it to make changes.`,
  record_reason_required: 'Enter a reason for the change.',
  record_changed_while_signing: ({ number }: { number: string }) =>
    `${number} was changed while you were signing. Reload it, then sign again.`,
  record_assignee_inactive: ({ username }: { username: string }) => `${username} is not active. Choose another person.`,
  record_assignee_lacks_permission: ({ username, permission }: { username: string; permission: string }) =>
    `${username} does not have the permission ${permission}. Choose another person.`,
  record_not_assigned_to_person: ({ number, person }: { number: string; person: string }) =>
    `Nothing in ${number} waits for ${person} as its assignee. Leave on_behalf_of out to act for yourself.`,
  record_decided_for_oneself: ({ number }: { number: string }) =>
    `Everybody with the permission decides about ${number} for themselves. Leave on_behalf_of out.`,
  record_reminder_not_due: 'No reminder is due.',

  record_due_date_past: 'Choose a day from today on.',
  record_due_date_not_later: ({ due_date }: { due_date: string }) =>
    `Choose a day after the current due date, ${due_date}.`,
  record_due_date_needs_extension: ({ path }: { path: string }) =>
    `Request an extension to change the due date (POST ${path}).`,
  extension_not_yours: ({ number, permission }: { number: string; permission: string }) =>
    `${number} is neither reported by you nor assigned to you, so you need the permission ${permission} to extend its due date.`,
  extension_already_requested: ({ username, to_date }: { username: string; to_date: string }) =>
    `${username} has already requested an extension to ${to_date}. That request must be decided first.`,
  extension_already_decided: ({ status, username }: { status: string; username: string }) =>
    `This request was already ${status} by ${username}.`,
  extension_own_request: 'You cannot decide your own extension request.',
  extension_own_work: ({ number, permission }: { number: string; permission: string }) =>
    `${number} is assigned to you, so another person with the permission ${permission} must approve a later due date.`,
  extension_comment_required: 'Enter why you reject the request.',
  extension_day_not_later: ({ to_date, today, due_date }: { to_date: string; today: string; due_date: string }) =>
    `The requested day ${to_date} is in the past or not after the current due date (today is ${today}, due ${due_date}). Reject the request.`,

  link_to_itself: 'A record cannot be linked to itself. Choose another one.',
  link_exists: ({ number, other_number }: { number: string; other_number: string }) =>
    `${number} and ${other_number} are already linked.`,
  link_relation_not_allowed: ({ from, to, relations }: { from: string; to: string; relations: readonly string[] }) =>
    `Choose one of ${relations.join(', ')} for a link from a ${nounFor(from)} to a ${nounFor(to)}.`,
  link_recurrence_of_newer: ({ newer_number, older_number }: { newer_number: string; older_number: string }) =>
    `${newer_number} is the newer deviation. Link it from there, as a recurrence of ${older_number}.`,
})

/** Parts of sentences. */
export const printed = defineMessages({
  /** `until`: the day on which an assignee handed the record on; null while it still is theirs, and for the other parts. */
  record_involvement: ({ number, part, until }: { number: string; part: Part; until: string | null }) => {
    if (part === 'author') return `You created ${number}`
    if (part === 'investigator') return `You investigated ${number}`
    if (part === 'action_assignee') return `An action of ${number} was assigned to you`
    if (part === 'action_doer') return `You completed an action of ${number}`
    if (part === 'reassigner') return `You reassigned ${number}`
    return until === null ? `You are the assignee of ${number}` : `You were the assignee of ${number} until ${until}`
  },
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  /** `closed_on` is null for an open record, and `closed_by` where the source does not say who closed it. */
  reason_case_migrated: ({
    source,
    batch,
    closed_on,
    closed_by,
  }: {
    source: string
    batch: string
    closed_on: string | null
    closed_by: string | null
  }) =>
    closed_on === null
      ? `Imported from ${source} by the migration ${batch}`
      : `Closed before migration, on ${closed_on}${closed_by === null ? '' : ` by ${closed_by}`}, as recorded in ${source}. Imported by the migration ${batch}`,
})
