// Notifications of deviations and CAPAs.
import {
  by,
  comment,
  due,
  fact,
  type Notice,
  type NotificationInput,
  overdue,
  quoted,
  type RecordSubject,
  type Rule,
} from './notice.ts'
import type { NotificationType, Priority } from './types.ts'

type Kind = 'deviation' | 'capa'

/** `phrase` follows the number in the title, `details` the sentence that names the record. */
export const ofRecord =
  (
    type: NotificationType,
    priority: Priority,
    phrase: (input: NotificationInput, record: RecordSubject) => string | undefined,
    details: (input: NotificationInput, record: RecordSubject) => string = comment,
  ) =>
  (input: NotificationInput): Notice | undefined => {
    const { record } = input
    const title = record && phrase(input, record)
    if (!record || !title) return undefined
    const message = `${record.number}, "${record.title}", ${record.state.replaceAll('_', ' ')}.${details(input, record)}`
    return { type, priority, title: `${record.number} ${title}`, message }
  }

export const commented = (kind: Kind): Rule => ({
  notify: ofRecord(`${kind}_commented`, 'normal', input => `has a comment${by(input)}`, quoted('comment')),
})

export const linked = (kind: Kind): Rule => ({
  notify: ofRecord(`${kind}_linked`, 'low', input => `was linked to another record${by(input)}`),
})

export const unlinked = (kind: Kind): Rule => ({
  notify: ofRecord(`${kind}_unlinked`, 'normal', input => `was unlinked from another record${by(input)}`),
})

export const extensionRequested = (kind: Kind): Rule => ({
  assignees: ofRecord(
    `${kind}_extension_requested`,
    'high',
    () => 'awaits your decision about a later due date',
    input => {
      const [day, requested] = [fact(input, 'due_date'), fact(input, 'requested_due_date')]
      const wish = day && requested ? ` It is due on ${day}; ${input.by} asks for ${requested}.` : due(input)
      return `${wish}${comment(input)}`
    },
  ),
})

export const extensionDecided = (kind: Kind): Rule => ({
  notify: ofRecord(`${kind}_extension_decided`, 'normal', input => {
    const day = fact(input, 'due_date')
    return day ? `is due on ${day} from now on${by(input)}` : `keeps its due date: another was refused${by(input)}`
  }),
})

/** A critical deviation goes to everyone who may assess it, any other to its assignee. */
export const deviationReported: Rule = {
  assignees: input =>
    fact(input, 'severity') === 'critical'
      ? ofRecord('deviation_reported', 'urgent', () => 'is critical, and awaits its assessment', due)(input)
      : ofRecord('deviation_assigned', 'high', () => 'is assigned to you', due)(input),
}

export const deviationUpdated: Rule = {
  assignees: ofRecord(
    'deviation_assigned',
    'high',
    () => 'is assigned to you',
    input => `${due(input)}${comment(input)}`,
  ),
}

export const deviationMoved: Rule = {
  assignees: ofRecord('deviation_approval_requested', 'high', () => 'awaits its closure'),
  notify: ofRecord(
    'deviation_moved',
    'normal',
    (input, { state }) => `was moved${by(input)} to: ${state.replaceAll('_', ' ')}`,
  ),
}

export const deviationDueSoon: Rule = {
  isReminder: true,
  notify: ofRecord('deviation_due_soon', 'high', () => 'is due soon', due),
}

export const deviationOverdue: Rule = {
  isReminder: true,
  notify: ofRecord('deviation_overdue', 'urgent', () => 'is overdue', overdue),
}
