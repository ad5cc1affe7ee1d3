import type { Recorded } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import type { TitledMessage } from '#kernel/message.ts'
import type { CommonParams } from './messages.ts'
import type { NotificationType, Priority } from './types.ts'

/** A document as it is at the end of the command. */
interface DocumentSubject {
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
  /** The names of a person and their deputy. */
  standIn?: { person: string; deputy: string } | undefined
  /** The name of the holder of a controlled copy at the end of the command. */
  holder?: string | undefined
}

export interface Notice {
  type: NotificationType
  priority: Priority
  message: TitledMessage
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

/** The facts that most notifications name. */
export const commonParams = (input: NotificationInput): CommonParams => ({
  by: input.by,
  comment: input.recorded.reason || null,
  due_date: fact(input, 'due_date') ?? fact(input, 'approval_due_date') ?? fact(input, 'review_due_date') ?? null,
})
