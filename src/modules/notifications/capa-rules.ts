// What people are told of CAPAs, their actions and their effectiveness reviews.
import type { EventName } from '#kernel/catalogue.ts'
import { ofRecord } from './record-rules.ts'
import { by, comment, due, fact, type Notice, overdue, type Rule, type Told } from './told.ts'
import type { NotificationType, Priority } from './types.ts'

/** The review is of the CAPA that the number is of. */
const ofReview =
  (type: NotificationType, priority: Priority, what: (told: Told) => string, more: (told: Told) => string = comment) =>
  (told: Told): Notice => {
    const number = told.recorded.number ?? 'a CAPA'
    return {
      type,
      priority,
      title: `${number} ${what(told)}`,
      message: `Effectiveness review of ${number}.${more(told)}`,
    }
  }

const awaitsApproval = ofRecord(
  'capa_approval_requested',
  'high',
  () => 'is a draft, and awaits your approval',
  () => '',
)
const awaitsReview = ofRecord('capa_review_requested', 'high', () => 'awaits your effectiveness review')
const assigned = ofRecord('capa_assigned', 'normal', told => `is your work${by(told)}`)
/** Of an action the notice names it. */
const what = (told: Told) => {
  const action = fact(told, 'action')
  return action ? ` Action: "${action}".` : ''
}
const work = (told: Told) => (fact(told, 'action') ? 'has an action that' : '')

type CapaEvent = Extract<EventName, `capa.${string}` | `effectiveness_review.${string}`>
type Own = Exclude<CapaEvent, `capa.${'commented' | 'linked' | 'unlinked' | `extension_${string}`}`>

export const capaRules: Record<Own, Rule> = {
  'capa.created': {
    asked: told => (told.record?.state === 'draft' ? awaitsApproval : assigned)(told),
    concerned: assigned,
  },
  'capa.updated': { asked: assigned },
  'capa.state_changed': {
    asked: told => (told.record?.state === 'open' ? assigned : awaitsReview)(told),
    concerned: ofRecord(
      'capa_moved',
      'normal',
      (told, { state }) => `was moved${by(told)} to: ${state.replaceAll('_', ' ')}`,
    ),
  },
  'capa.due_soon': {
    isReminder: true,
    concerned: ofRecord(
      'capa_due',
      'high',
      told => `${work(told)} is due soon`.trim(),
      told => `${what(told)}${due(told)}`,
    ),
  },
  'capa.overdue': {
    isReminder: true,
    concerned: ofRecord(
      'capa_overdue',
      'urgent',
      told => `${work(told)} is overdue`.trim(),
      told => `${what(told)}${overdue(told)}`,
    ),
  },
  'effectiveness_review.created': {
    asked: ofReview('capa_review_planned', 'normal', told => `is to be reviewed by you${by(told)}`, due),
  },
  'effectiveness_review.updated': {
    asked: ofReview('capa_review_planned', 'normal', told => `is to be reviewed by you${by(told)}`, due),
  },
  'effectiveness_review.completed': {
    asked: ofReview('capa_reviewed', 'high', told => `was found effective${by(told)}: it can be closed`),
    concerned: ofReview('capa_reviewed', 'normal', told =>
      fact(told, 'result') === 'effective' ? `was found effective${by(told)}` : `was found not effective${by(told)}`,
    ),
  },
  'effectiveness_review.due_soon': {
    isReminder: true,
    concerned: ofReview('capa_review_due', 'high', () => 'is to be reviewed soon', due),
  },
  'effectiveness_review.overdue': {
    isReminder: true,
    concerned: ofReview('capa_review_overdue', 'urgent', () => 'is overdue for its effectiveness review', overdue),
  },
}
