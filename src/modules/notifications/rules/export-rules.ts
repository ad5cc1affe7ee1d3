// Notifications of exports of everything of a tenant, which every Admin is told of.
import type { EventName } from '#kernel/catalogue.ts'
import { messages } from '../messages.ts'
import type { Rule } from '../notice.ts'

export const exportRules = {
  'tenant_export.requested': {
    isForActor: true,
    notify: input => ({
      type: 'tenant_export',
      priority: 'urgent',
      message: messages.tenant_export_requested({ by: input.by, reason: input.recorded.reason ?? null }),
    }),
  },
  'tenant_export.completed': {
    notify: () => ({ type: 'tenant_export', priority: 'normal', message: messages.tenant_export_completed() }),
  },
  'tenant_export.failed': {
    notify: () => ({ type: 'tenant_export', priority: 'high', message: messages.tenant_export_failed() }),
  },
  'tenant_export.downloaded': {
    notify: input => ({
      type: 'tenant_export',
      priority: 'urgent',
      message: messages.tenant_export_downloaded({ by: input.by }),
    }),
  },
  'tenant_export.deleted': {
    notify: input => ({
      type: 'tenant_export',
      priority: 'normal',
      message: messages.tenant_export_deleted({ by: input.by }),
    }),
  },
  'tenant_export.expired': 'silent',
} satisfies Partial<Record<EventName, Rule | 'silent'>>
