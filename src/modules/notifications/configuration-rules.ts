import type { EventName } from '#kernel/catalogue.ts'
import { by, comment, fact, type Rule } from './notice.ts'

const decided = (outcome: string): Rule => ({
  notify: input => ({
    type: 'configuration_change_decided',
    priority: 'normal',
    title: `${input.recorded.number} ${outcome}`,
    message: `Your change of ${fact(input, 'title')} ${outcome}${by(input)}.${comment(input)}`,
  }),
})

export const configurationRules = {
  'configuration_change.proposed': {
    assignees: input => ({
      type: 'configuration_approval_requested',
      priority: 'high',
      title: `${input.recorded.number} awaits approval`,
      message: `A change of ${fact(input, 'title')} was proposed${by(input)}. Read what changes, and approve or reject it.${comment(input)}`,
    }),
  },
  'configuration_change.approved': decided('was approved'),
  'configuration_change.rejected': decided('was rejected'),
  'configuration_change.outdated': {
    notify: input => ({
      type: 'configuration_change_decided',
      priority: 'normal',
      title: `${input.recorded.number} is outdated`,
      message: `${fact(input, 'title')} was changed otherwise after you proposed your change. Propose it again if it is still needed.`,
    }),
  },
  'configuration_change.withdrawn': 'silent',
} satisfies Partial<Record<EventName, Rule | 'silent'>>
