// Notifications of controlled copies.
import type { EventName } from '#kernel/catalogue.ts'
import type { TitledMessage } from '#kernel/message.ts'
import { type CopyParams, messages } from '../messages.ts'
import { commonParams, fact, type Notice, type NotificationInput, type Rule } from '../notice.ts'
import type { NotificationType, Priority } from '../types.ts'

const ofCopy =
  (type: NotificationType, priority: Priority, message: (params: CopyParams) => TitledMessage) =>
  (input: NotificationInput): Notice => ({
    type,
    priority,
    message: message({
      ...commonParams(input),
      number: input.recorded.number ?? '-',
      version: fact(input, 'version') ?? '-',
      location: fact(input, 'location') ?? '-',
      holder: input.holder ?? '-',
      outcome: fact(input, 'confirmed_outcome') ?? null,
      status: fact(input, 'status') ?? '-',
    }),
  })

const overdue = (message: (params: CopyParams) => TitledMessage) => ofCopy('controlled_copy_overdue', 'high', message)

export const copyRules: Record<Extract<EventName, `controlled_copy.${string}`>, Rule | 'silent'> = {
  'controlled_copy.issued': { notify: ofCopy('controlled_copy_issued', 'normal', messages.controlled_copy_issued) },
  'controlled_copy.printed': 'silent',
  'controlled_copy.recalled': {
    assignees: ofCopy('controlled_copy_recalled', 'high', messages.controlled_copy_recalled),
  },
  'controlled_copy.cancelled': {
    notify: ofCopy('controlled_copy_closed', 'low', messages.controlled_copy_cancelled),
  },
  'controlled_copy.transferred': {
    assignees: ofCopy('controlled_copy_transferred', 'high', messages.controlled_copy_transferred),
  },
  'controlled_copy.confirmed': {
    notify: ofCopy('controlled_copy_confirmed', 'normal', messages.controlled_copy_confirmed),
  },
  'controlled_copy.reconciled': {
    notify: ofCopy('controlled_copy_closed', 'low', messages.controlled_copy_reconciled),
  },
  'controlled_copy.overdue': {
    isReminder: true,
    assignees: overdue(messages.controlled_copy_overdue_own),
    notify: overdue(messages.controlled_copy_overdue),
  },
  'controlled_copy.list_exported': 'silent',
}
