import type { Recorded } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import type { NotificationType, Priority } from './types.ts'

/** A document at the end of the command, as those know it whom the event concerns. */
export interface DocumentSubject {
  number: string
  title: string
  /** The version that the event is about. */
  version: string
  /** Its state, as the workflow calls it. */
  state: string
  state_kind: string
}

/** A deviation or a CAPA at the end of the command. */
export interface RecordSubject {
  number: string
  title: string
  state: string
}

/** A person's training at the end of the command. */
export interface TrainingSubject {
  number: string
  title: string
  trainee: string
  due_date: string
}

/** What a rule decides on. */
export interface Told {
  recorded: Recorded
  /** Everything that the same command recorded of the record. */
  together: ReadonlySet<EventName>
  /** Who did it; null for what happened by itself. */
  by: string | null
  document?: DocumentSubject | undefined
  record?: RecordSubject | undefined
  training?: TrainingSubject | undefined
  /** The name of the person whom it is about. */
  person?: string | undefined
}

export interface Notice {
  type: NotificationType
  priority: Priority
  title: string
  message: string
}

export interface Rule {
  /** For those whom it concerns; undefined where there is nothing to tell. */
  concerned?: (told: Told) => Notice | undefined
  /** For those of whom it asks a decision. */
  asked?: (told: Told) => Notice | undefined
  /** Said again by the clock: who is told already, for the same facts, is not told twice. */
  isReminder?: true
  /** Told to who did it as well, because it need not have been that person. */
  isForActor?: true
}

export const fact = ({ recorded }: Told, name: string): string | undefined => {
  const value = (recorded.after as Record<string, unknown> | undefined)?.[name]
  return typeof value === 'string' ? value : undefined
}
export const numberIn = ({ recorded }: Told, name: string): number | undefined => {
  const value = (recorded.after as Record<string, unknown> | undefined)?.[name]
  return typeof value === 'number' ? value : undefined
}
export const comment = ({ recorded }: Told) => (recorded.reason ? ` "${recorded.reason}"` : '')
const dayOf = (told: Told) => fact(told, 'due_date') ?? fact(told, 'approval_due_date') ?? fact(told, 'review_due_date')
export const due = (told: Told) => {
  const day = dayOf(told)
  return day ? ` It is due on ${day}.` : ''
}
export const overdue = (told: Told) => {
  const day = dayOf(told)
  return day ? ` It was due on ${day}.` : ''
}

export const quoted = (name: string) => (told: Told) => {
  const text = fact(told, name)
  return text ? ` "${text}"` : ''
}
export const by = ({ by }: Told) => (by === null ? '' : ` by ${by}`)
