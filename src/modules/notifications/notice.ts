import type { Recorded } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import type { NotificationType, Priority } from './types.ts'

/** A document as it is at the end of the command. */
export interface DocumentSubject {
  number: string
  title: string
  /** The version that the event is about. */
  version: string
  /** Its state, as the workflow calls it. */
  state: string
  state_kind: string
}

/** A deviation or a CAPA as it is at the end of the command. */
export interface RecordSubject {
  number: string
  title: string
  state: string
}

/** A training assignment as it is at the end of the command. */
export interface TrainingSubject {
  number: string
  title: string
  trainee: string
  due_date: string
}

/** The facts that a rule makes a notice from. */
export interface NotificationInput {
  recorded: Recorded
  /** All events of the record that the same command recorded. */
  together: ReadonlySet<EventName>
  /** Null for a schedule. */
  by: string | null
  document?: DocumentSubject | undefined
  record?: RecordSubject | undefined
  training?: TrainingSubject | undefined
  /** The name of the user whom the event is about. */
  person?: string | undefined
}

export interface Notice {
  type: NotificationType
  priority: Priority
  title: string
  message: string
  /** The address that the reader had before this change: the e-mail goes there too. */
  former_address?: string | undefined
}

export interface Rule {
  /** For people who are informed; undefined if there is nothing to say. */
  notify?: (input: NotificationInput) => Notice | undefined
  /** For people who have to act. */
  assignees?: (input: NotificationInput) => Notice | undefined
  /** A schedule repeats it; nobody is notified twice of the same facts. */
  isReminder?: true
  /** The actor is notified too, because someone else may have used the account or started the work. */
  isForActor?: true
}

export const fact = ({ recorded }: NotificationInput, name: string): string | undefined => {
  const value = (recorded.after as Record<string, unknown> | undefined)?.[name]
  return typeof value === 'string' ? value : undefined
}
export const numberIn = ({ recorded }: NotificationInput, name: string): number | undefined => {
  const value = (recorded.after as Record<string, unknown> | undefined)?.[name]
  return typeof value === 'number' ? value : undefined
}
export const comment = ({ recorded }: NotificationInput) => (recorded.reason ? ` "${recorded.reason}"` : '')
const dayOf = (input: NotificationInput) =>
  fact(input, 'due_date') ?? fact(input, 'approval_due_date') ?? fact(input, 'review_due_date')
export const due = (input: NotificationInput) => {
  const day = dayOf(input)
  return day ? ` It is due on ${day}.` : ''
}
export const overdue = (input: NotificationInput) => {
  const day = dayOf(input)
  return day ? ` It was due on ${day}.` : ''
}

export const quoted = (name: string) => (input: NotificationInput) => {
  const text = fact(input, name)
  return text ? ` "${text}"` : ''
}
export const by = ({ by }: NotificationInput) => (by === null ? '' : ` by ${by}`)
