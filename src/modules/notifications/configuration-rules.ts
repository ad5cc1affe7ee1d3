import type { EventName } from '#kernel/catalogue.ts'
import { by, comment, fact, type NotificationInput, type Rule } from './notice.ts'

const numberOf = ({ recorded }: NotificationInput) => recorded.number ?? 'A configuration change'
const titleOf = (input: NotificationInput) => fact(input, 'title') ?? 'the configuration'

const decided = (outcome: string): Rule => ({
  notify: input => ({
    type: 'configuration_change_decided',
    priority: 'normal',
    title: `${numberOf(input)} ${outcome}`,
    message: `Your change of ${titleOf(input)} ${outcome}${by(input)}.${comment(input)}`,
  }),
})

export const configurationRules = {
  'configuration_change.proposed': {
    assignees: input => ({
      type: 'configuration_approval_requested',
      priority: 'high',
      title: `${numberOf(input)} awaits approval`,
      message: `A change of ${titleOf(input)} was proposed${by(input)}. Read what changes, and approve or reject it.${comment(input)}`,
    }),
  },
  'configuration_change.approved': decided('was approved'),
  'configuration_change.rejected': decided('was rejected'),
  'configuration_change.outdated': {
    notify: input => ({
      type: 'configuration_change_decided',
      priority: 'normal',
      title: `${numberOf(input)} is outdated`,
      message: `The record ${titleOf(input)} was changed otherwise after you proposed your change. Propose it again if it is still needed.`,
    }),
  },
  'configuration_change.withdrawn': 'silent',
} satisfies Partial<Record<EventName, Rule | 'silent'>>
