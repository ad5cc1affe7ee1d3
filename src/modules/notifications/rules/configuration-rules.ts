// Notifications of configuration changes, of removals of files and of disposals, which another person has to approve.
import type { EventName } from '#kernel/catalogue.ts'
import type { TitledMessage } from '#kernel/message.ts'
import { type ConfigurationParams, type DisposalParams, messages, type RemovalParams } from '../messages.ts'
import { commonParams, fact, type NotificationInput, numberIn, type Rule } from '../notice.ts'

const paramsOf = (input: NotificationInput): ConfigurationParams => ({
  ...commonParams(input),
  number: input.recorded.number ?? 'A configuration change',
  title: fact(input, 'title') ?? 'the configuration',
})

const decided = (message: (params: ConfigurationParams) => TitledMessage): Rule => ({
  notify: input => ({ type: 'configuration_change_decided', priority: 'normal', message: message(paramsOf(input)) }),
})

export const configurationRules = {
  'configuration_change.proposed': {
    assignees: input => ({
      type: 'configuration_approval_requested',
      priority: 'high',
      message: messages.configuration_approval_requested(paramsOf(input)),
    }),
  },
  'configuration_change.approved': decided(messages.configuration_change_approved),
  'configuration_change.rejected': decided(messages.configuration_change_rejected),
  'configuration_change.outdated': decided(messages.configuration_change_overtaken),
  'configuration_change.withdrawn': 'silent',
} satisfies Partial<Record<EventName, Rule | 'silent'>>

const fileParamsOf = (input: NotificationInput): RemovalParams => ({
  ...commonParams(input),
  number: input.recorded.number ?? 'A file removal',
  title: fact(input, 'title') ?? 'a record',
  copies_out: numberIn(input, 'copies_out') ?? 0,
})

const removalDecided = (message: (params: RemovalParams) => TitledMessage): Rule => ({
  notify: input => ({ type: 'file_removal_decided', priority: 'normal', message: message(fileParamsOf(input)) }),
})

const disposalParamsOf = (input: NotificationInput): DisposalParams => ({
  ...commonParams(input),
  number: input.recorded.number ?? 'A record',
  records: numberIn(input, 'records_total') ?? numberIn(input, 'records_disposed') ?? 0,
  kept: numberIn(input, 'records_kept') ?? 0,
})

const disposalDecided = (message: (params: DisposalParams) => TitledMessage): Rule => ({
  notify: input => ({ type: 'disposal_decided', priority: 'normal', message: message(disposalParamsOf(input)) }),
})

export const retentionRules = {
  'disposal.proposed': {
    assignees: input => ({
      type: 'disposal_proposed',
      priority: 'high',
      message: messages.disposal_awaits_decision(disposalParamsOf(input)),
    }),
  },
  'disposal.approved': disposalDecided(messages.disposal_approved),
  'disposal.rejected': disposalDecided(messages.disposal_rejected),
  'disposal.completed': {
    notify: input => ({
      type: 'disposal_completed',
      priority: 'normal',
      message: messages.disposal_completed(disposalParamsOf(input)),
    }),
  },
  'legal_hold.lifted': {
    notify: input => ({
      type: 'legal_hold_lifted',
      priority: 'high',
      message: messages.legal_hold_lifted(disposalParamsOf(input)),
    }),
  },
  'disposal.withdrawn': 'silent',
  'disposal.record_disposed': 'silent',
  'disposal.record_kept': 'silent',
  'legal_hold.placed': 'silent',
} satisfies Partial<Record<EventName, Rule | 'silent'>>

export const fileRules = {
  'file_removal.requested': {
    assignees: input => ({
      type: 'file_removal_requested',
      priority: 'high',
      message: messages.file_removal_awaits_decision(fileParamsOf(input)),
    }),
  },
  'file_removal.approved': removalDecided(messages.file_removal_approved),
  'file_removal.rejected': removalDecided(messages.file_removal_rejected),
  'file_removal.withdrawn': 'silent',
  'file_removal.completed': 'silent',
  'file_removal.repeated': 'silent',
  'attachment.file_removed': 'silent',
} satisfies Partial<Record<EventName, Rule | 'silent'>>
