// Notifications of CAPAs, their actions and their effectiveness reviews.
import type { EventName } from '#kernel/catalogue.ts'
import { by, comment, due, fact, type Notice, type NotificationInput, overdue, type Rule } from './notice.ts'
import { ofRecord } from './record-rules.ts'
import type { NotificationType, Priority } from './types.ts'

/** An effectiveness review has no number, so the notice names its CAPA. */
const ofReview =
  (
    type: NotificationType,
    priority: Priority,
    phrase: (input: NotificationInput) => string,
    details: (input: NotificationInput) => string = comment,
  ) =>
  (input: NotificationInput): Notice => {
    const number = input.recorded.number ?? 'a CAPA'
    return {
      type,
      priority,
      title: `${number} ${phrase(input)}`,
      message: `Effectiveness review of ${number}.${details(input)}`,
    }
  }

const awaitsApproval = ofRecord(
  'capa_approval_requested',
  'high',
  () => 'is a draft, and awaits your approval',
  () => '',
)
const awaitsReview = ofRecord('capa_review_requested', 'high', () => 'awaits your effectiveness review')
const assigned = ofRecord('capa_assigned', 'normal', input => `was assigned to you${by(input)}`)
const actionSentence = (input: NotificationInput) => {
  const action = fact(input, 'action')
  return action ? ` Action: "${action}".` : ''
}
const actionPhrase = (input: NotificationInput) => (fact(input, 'action') ? 'has an action that' : '')

type CapaEvent = Extract<EventName, `capa.${string}` | `effectiveness_review.${string}`>
type Own = Exclude<CapaEvent, `capa.${'commented' | 'linked' | 'unlinked' | `extension_${string}`}`>

export const capaRules: Record<Own, Rule> = {
  'capa.created': {
    assignees: input => (input.record?.state === 'draft' ? awaitsApproval : assigned)(input),
    notify: assigned,
  },
  'capa.updated': { assignees: assigned },
  'capa.state_changed': {
    assignees: input => (input.record?.state === 'open' ? assigned : awaitsReview)(input),
    notify: ofRecord(
      'capa_moved',
      'normal',
      (input, { state }) => `was moved${by(input)} to: ${state.replaceAll('_', ' ')}`,
    ),
  },
  'capa.plan_submitted': {
    assignees: ofRecord(
      'capa_approval_requested',
      'high',
      () => 'has a plan that awaits your approval',
      () => '',
    ),
  },
  'capa.plan_approved': { notify: ofRecord('capa_moved', 'normal', input => `has an approved plan${by(input)}`) },
  'capa.due_soon': {
    isReminder: true,
    notify: ofRecord(
      'capa_due',
      'high',
      input => `${actionPhrase(input)} is due soon`.trim(),
      input => `${actionSentence(input)}${due(input)}`,
    ),
  },
  'capa.overdue': {
    isReminder: true,
    notify: ofRecord(
      'capa_overdue',
      'urgent',
      input => `${actionPhrase(input)} is overdue`.trim(),
      input => `${actionSentence(input)}${overdue(input)}`,
    ),
  },
  'effectiveness_review.created': {
    assignees: ofReview(
      'capa_review_planned',
      'normal',
      input => `was assigned to you for an effectiveness review${by(input)}`,
      due,
    ),
  },
  'effectiveness_review.updated': {
    assignees: ofReview(
      'capa_review_planned',
      'normal',
      input => `was assigned to you for an effectiveness review${by(input)}`,
      due,
    ),
  },
  'effectiveness_review.completed': {
    assignees: ofReview('capa_reviewed', 'high', input => `was found effective${by(input)} and can be closed`),
    notify: ofReview('capa_reviewed', 'normal', input =>
      fact(input, 'result') === 'effective' ? `was found effective${by(input)}` : `was found not effective${by(input)}`,
    ),
  },
  'effectiveness_review.due_soon': {
    isReminder: true,
    notify: ofReview('capa_review_due', 'high', () => 'is due soon for its effectiveness review', due),
  },
  'effectiveness_review.overdue': {
    isReminder: true,
    notify: ofReview('capa_review_overdue', 'urgent', () => 'is overdue for its effectiveness review', overdue),
  },
}
