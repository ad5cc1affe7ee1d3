// What people are told of deviations and CAPAs.
import {
  by,
  comment,
  due,
  fact,
  type Notice,
  overdue,
  quoted,
  type RecordSubject,
  type Rule,
  type Told,
} from './told.ts'
import type { NotificationType, Priority } from './types.ts'

type Kind = 'deviation' | 'capa'

/** `what` follows the number in the title; `more` follows the sentence that names the record. */
export const ofRecord =
  (
    type: NotificationType,
    priority: Priority,
    what: (told: Told, record: RecordSubject) => string | undefined,
    more: (told: Told, record: RecordSubject) => string = comment,
  ) =>
  (told: Told): Notice | undefined => {
    const { record } = told
    const title = record && what(told, record)
    if (!record || !title) return undefined
    const message = `${record.number}, "${record.title}", ${record.state.replaceAll('_', ' ')}.${more(told, record)}`
    return { type, priority, title: `${record.number} ${title}`, message }
  }

export const commented = (kind: Kind): Rule => ({
  concerned: ofRecord(`${kind}_commented`, 'normal', told => `has a comment${by(told)}`, quoted('comment')),
})

export const linked = (kind: Kind): Rule => ({
  concerned: ofRecord(`${kind}_linked`, 'low', told => `was linked to another record${by(told)}`),
})

export const unlinked = (kind: Kind): Rule => ({
  concerned: ofRecord(`${kind}_unlinked`, 'normal', told => `lost a link${by(told)}`),
})

export const extensionRequested = (kind: Kind): Rule => ({
  asked: ofRecord(
    `${kind}_extension_requested`,
    'high',
    () => 'awaits your decision about a later due date',
    told => {
      const [day, requested] = [fact(told, 'due_date'), fact(told, 'requested_due_date')]
      const wish = day && requested ? ` It is due on ${day}; ${told.by} asks for ${requested}.` : due(told)
      return `${wish}${comment(told)}`
    },
  ),
})

export const extensionDecided = (kind: Kind): Rule => ({
  concerned: ofRecord(`${kind}_extension_decided`, 'normal', told => {
    const day = fact(told, 'due_date')
    return day ? `is due on ${day} from now on${by(told)}` : `keeps its due date: another was refused${by(told)}`
  }),
})

/** What is critical is told to those who assess it, at once; anything else to the person whom it is assigned to. */
export const deviationReported: Rule = {
  asked: told =>
    fact(told, 'severity') === 'critical'
      ? ofRecord('deviation_reported', 'urgent', () => 'is critical, and awaits its assessment', due)(told)
      : ofRecord('deviation_assigned', 'high', () => 'is assigned to you', due)(told),
}

export const deviationUpdated: Rule = {
  asked: ofRecord(
    'deviation_assigned',
    'high',
    () => 'is assigned to you',
    told => `${due(told)}${comment(told)}`,
  ),
}

export const deviationMoved: Rule = {
  asked: ofRecord('deviation_approval_requested', 'high', () => 'awaits its closure'),
  concerned: ofRecord(
    'deviation_moved',
    'normal',
    (told, { state }) => `was moved${by(told)} to: ${state.replaceAll('_', ' ')}`,
  ),
}

export const deviationDueSoon: Rule = {
  isReminder: true,
  concerned: ofRecord('deviation_due_soon', 'high', () => 'is due soon', due),
}

export const deviationOverdue: Rule = {
  isReminder: true,
  concerned: ofRecord('deviation_overdue', 'urgent', () => 'is overdue', overdue),
}
