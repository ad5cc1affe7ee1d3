// Notifications of deviations and CAPAs.
import type { TitledMessage } from '#kernel/message.ts'
import { messages, type RecordParams } from '../messages.ts'
import { commonParams, fact, type Notice, type NotificationInput, type Rule } from '../notice.ts'
import type { NotificationType, Priority } from '../types.ts'

type Kind = 'deviation' | 'capa'

export const ofRecord =
  (type: NotificationType, priority: Priority, message: (params: RecordParams) => TitledMessage) =>
  (input: NotificationInput): Notice | undefined => {
    if (!input.record) return undefined
    const params = {
      ...input.record,
      ...commonParams(input),
      requested_due_date: fact(input, 'requested_due_date') ?? null,
      action: fact(input, 'action') ?? null,
      quote: fact(input, 'comment') ?? null,
    }
    return { type, priority, message: message(params) }
  }

export const commented = (kind: Kind): Rule => ({
  notify: ofRecord(`${kind}_commented`, 'normal', messages[`${kind}_commented`]),
})

export const linked = (kind: Kind): Rule => ({
  notify: ofRecord(`${kind}_linked`, 'low', messages[`${kind}_linked`]),
})

export const unlinked = (kind: Kind): Rule => ({
  notify: ofRecord(`${kind}_unlinked`, 'normal', messages[`${kind}_unlinked`]),
})

export const extensionRequested = (kind: Kind): Rule => ({
  assignees: ofRecord(`${kind}_extension_requested`, 'high', messages[`${kind}_extension_requested`]),
})

export const extensionDecided = (kind: Kind): Rule => ({
  notify: ofRecord(`${kind}_extension_decided`, 'normal', params =>
    params.due_date === null ? messages[`${kind}_not_extended`](params) : messages[`${kind}_extended`](params),
  ),
})

const unassigned = ofRecord('deviation_unassigned', 'high', messages.deviation_unassigned)
const isUnassigned = ({ recorded }: NotificationInput) =>
  (recorded.after as { assigned_to?: unknown } | undefined)?.assigned_to === null
const toAssigned = ofRecord('deviation_assigned', 'high', messages.deviation_assigned)

/** Goes to the assignee, or to those who may assign it while there is none. */
const assigned = (input: NotificationInput) => (isUnassigned(input) ? unassigned : toAssigned)(input)

/** A critical deviation goes to everyone who may assess it, any other to its assignee. */
export const deviationReported: Rule = {
  assignees: input =>
    fact(input, 'severity') === 'critical'
      ? ofRecord('deviation_reported', 'urgent', messages.deviation_reported)(input)
      : assigned(input),
}

export const deviationUpdated: Rule = { assignees: assigned }

export const deviationMoved: Rule = {
  assignees: ofRecord('deviation_approval_requested', 'high', messages.deviation_approval_requested),
  notify: ofRecord('deviation_moved', 'normal', messages.deviation_moved),
}

export const deviationDueSoon: Rule = {
  isReminder: true,
  notify: ofRecord('deviation_due_soon', 'high', messages.deviation_due_soon),
}

export const deviationOverdue: Rule = {
  isReminder: true,
  notify: ofRecord('deviation_overdue', 'urgent', messages.deviation_overdue),
}
