// Notifications of CAPAs, their actions and their effectiveness reviews.
import type { EventName } from '#kernel/catalogue.ts'
import type { TitledMessage } from '#kernel/message.ts'
import { messages, type ReviewParams } from '../messages.ts'
import { commonParams, fact, type Notice, type NotificationInput, type Rule } from '../notice.ts'
import type { NotificationType, Priority } from '../types.ts'
import { ofRecord } from './record-rules.ts'

/** An effectiveness review has no number, so the notice names its CAPA. */
const ofReview =
  (type: NotificationType, priority: Priority, message: (params: ReviewParams) => TitledMessage) =>
  (input: NotificationInput): Notice => ({
    type,
    priority,
    message: message({ ...commonParams(input), number: input.recorded.number ?? 'a CAPA' }),
  })

const awaitsApproval = ofRecord('capa_approval_requested', 'high', messages.capa_approval_requested)
const awaitsReview = ofRecord('capa_review_requested', 'high', messages.capa_review_requested)
const assigned = ofRecord('capa_assigned', 'normal', messages.capa_assigned)
const reviewPlanned: Rule = { assignees: ofReview('capa_review_planned', 'normal', messages.capa_review_planned) }

type CapaEvent = Extract<EventName, `capa.${string}` | `effectiveness_review.${string}`>
type Own = Exclude<
  CapaEvent,
  `capa.${'commented' | 'linked' | 'unlinked' | 'list_exported' | 'record_exported' | 'dossier_exported' | `extension_${string}`}`
>

export const capaRules: Record<Own, Rule | 'silent'> = {
  'capa.migrated': 'silent',
  'capa.files_disposed': 'silent',
  'capa.action_migrated': 'silent',
  'capa.created': {
    assignees: input => (input.record?.state === 'draft' ? awaitsApproval : assigned)(input),
    notify: assigned,
  },
  'capa.updated': { assignees: assigned },
  'capa.state_changed': {
    assignees: input => (input.record?.state === 'open' ? assigned : awaitsReview)(input),
    notify: ofRecord('capa_moved', 'normal', messages.capa_moved),
  },
  'capa.plan_submitted': {
    assignees: ofRecord('capa_approval_requested', 'high', messages.capa_plan_approval_requested),
  },
  'capa.plan_approved': { notify: ofRecord('capa_moved', 'normal', messages.capa_plan_approved) },
  'capa.due_soon': {
    isReminder: true,
    notify: ofRecord('capa_due', 'high', params =>
      params.action === null ? messages.capa_due(params) : messages.capa_action_due(params),
    ),
  },
  'capa.overdue': {
    isReminder: true,
    notify: ofRecord('capa_overdue', 'urgent', params =>
      params.action === null ? messages.capa_overdue(params) : messages.capa_action_overdue(params),
    ),
  },
  'effectiveness_review.created': reviewPlanned,
  'effectiveness_review.updated': reviewPlanned,
  'effectiveness_review.completed': {
    assignees: ofReview('capa_reviewed', 'high', messages.capa_reviewed_closable),
    notify: input => {
      const isEffective = fact(input, 'result') === 'effective'
      const message = isEffective ? messages.capa_reviewed_effective : messages.capa_reviewed_not_effective
      return ofReview('capa_reviewed', 'normal', message)(input)
    },
  },
  'effectiveness_review.due_soon': {
    isReminder: true,
    notify: ofReview('capa_review_due', 'high', messages.capa_review_due),
  },
  'effectiveness_review.overdue': {
    isReminder: true,
    notify: ofReview('capa_review_overdue', 'urgent', messages.capa_review_overdue),
  },
}
