// Notifications of configuration changes that another person has to put into force.
import type { EventName } from '#kernel/catalogue.ts'
import type { TitledMessage } from '#kernel/message.ts'
import { type ConfigurationParams, messages } from './messages.ts'
import { commonParams, fact, type NotificationInput, type Rule } from './notice.ts'

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
