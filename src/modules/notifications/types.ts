import type { DeputyScope } from '#action'

export const priorities = ['low', 'normal', 'high', 'urgent'] as const
export type Priority = (typeof priorities)[number]

/** E-mails are sent at once, once a day, or not at all. */
export const emailWays = ['immediate', 'digest', 'none'] as const
export type EmailWay = (typeof emailWays)[number]

interface TypeOfNotification {
  /** The highest priority of the type. It decides the default way by e-mail. */
  priority: Priority
  /** Nobody can switch it off, because it asks for a decision or warns the Admins. */
  is_required?: true
  /** E-mailed at once whatever the reader has chosen, because somebody else may have chosen it. */
  is_always_mailed?: true
  /** The deputies of a reader for this scope get it too. */
  deputies?: DeputyScope
}

/** NOTE-01: every type of notification. */
const types = {
  document_approval_requested: { priority: 'high', is_required: true, deputies: 'approvals' },
  document_approval_due: { priority: 'high', is_required: true, deputies: 'approvals' },
  document_reminded: { priority: 'high', deputies: 'approvals' },
  document_approval_overdue: { priority: 'urgent', is_required: true, deputies: 'approvals' },
  document_approval_orphaned: { priority: 'high', is_required: true },
  document_approved: { priority: 'normal' },
  document_rejected: { priority: 'high' },
  document_approval_withdrawn: { priority: 'high' },
  document_moved: { priority: 'low' },
  document_effective: { priority: 'normal' },
  document_effective_date_set: { priority: 'low' },
  document_delegated: { priority: 'high', is_required: true },
  document_delegation_ended: { priority: 'high', is_required: true },
  document_review_due: { priority: 'normal', deputies: 'tasks' },
  document_review_overdue: { priority: 'high', deputies: 'tasks' },
  document_reviewed: { priority: 'normal' },
  document_commented: { priority: 'normal' },
  document_comment_mentioned: { priority: 'high' },
  document_comment_resolved: { priority: 'low' },
  document_comment_reopened: { priority: 'normal' },
  controlled_copy_issued: { priority: 'normal', deputies: 'tasks' },
  controlled_copy_recalled: { priority: 'high', is_required: true, deputies: 'tasks' },
  controlled_copy_transferred: { priority: 'high', is_required: true, deputies: 'tasks' },
  controlled_copy_confirmed: { priority: 'normal' },
  controlled_copy_overdue: { priority: 'high', is_required: true, deputies: 'tasks' },
  controlled_copy_closed: { priority: 'low' },
  deviation_reported: { priority: 'urgent', is_required: true },
  deviation_unassigned: { priority: 'high', is_required: true },
  deviation_assigned: { priority: 'high', is_required: true, deputies: 'tasks' },
  deviation_approval_requested: { priority: 'high', is_required: true },
  deviation_moved: { priority: 'normal', deputies: 'tasks' },
  deviation_due_soon: { priority: 'high', deputies: 'tasks' },
  deviation_overdue: { priority: 'urgent', deputies: 'tasks' },
  deviation_commented: { priority: 'normal', deputies: 'tasks' },
  deviation_linked: { priority: 'low' },
  deviation_unlinked: { priority: 'normal' },
  deviation_extension_requested: { priority: 'high', is_required: true },
  deviation_extension_decided: { priority: 'normal', deputies: 'tasks' },
  capa_commented: { priority: 'normal', deputies: 'tasks' },
  capa_linked: { priority: 'low' },
  capa_unlinked: { priority: 'normal' },
  capa_extension_requested: { priority: 'high', is_required: true },
  capa_extension_decided: { priority: 'normal', deputies: 'tasks' },
  capa_approval_requested: { priority: 'high', is_required: true },
  capa_assigned: { priority: 'normal', is_required: true, deputies: 'tasks' },
  capa_moved: { priority: 'normal', deputies: 'tasks' },
  capa_due: { priority: 'high', deputies: 'tasks' },
  capa_overdue: { priority: 'urgent', deputies: 'tasks' },
  capa_review_planned: { priority: 'normal', is_required: true, deputies: 'tasks' },
  capa_review_requested: { priority: 'high', is_required: true, deputies: 'tasks' },
  capa_review_due: { priority: 'high', deputies: 'tasks' },
  capa_review_overdue: { priority: 'urgent', deputies: 'tasks' },
  capa_reviewed: { priority: 'high', is_required: true },
  training_assigned: { priority: 'normal' },
  training_due_soon: { priority: 'normal' },
  training_reminded: { priority: 'high' },
  training_overdue: { priority: 'high' },
  training_moved: { priority: 'normal' },
  training_completed: { priority: 'low' },
  training_failed: { priority: 'high' },
  training_verification_requested: { priority: 'high', is_required: true },
  training_verified: { priority: 'normal' },
  training_waived: { priority: 'normal' },
  training_cancelled: { priority: 'low' },
  training_expiring: { priority: 'normal' },
  work_handed_over: { priority: 'high' },
  group_joined: { priority: 'low' },
  job_completed: { priority: 'low' },
  job_failed: { priority: 'high' },
  signature_voided: { priority: 'high' },
  deputy_named: { priority: 'high', is_required: true },
  deputy_ended: { priority: 'high', is_required: true },
  configuration_approval_requested: { priority: 'high', is_required: true },
  configuration_change_decided: { priority: 'normal' },
  file_removal_requested: { priority: 'high', is_required: true },
  file_removal_decided: { priority: 'normal' },
  migration_loaded: { priority: 'normal' },
  migration_decided: { priority: 'normal' },
  disposal_proposed: { priority: 'high', is_required: true },
  disposal_decided: { priority: 'normal' },
  disposal_completed: { priority: 'normal' },
  legal_hold_lifted: { priority: 'high' },
  document_file_removed: { priority: 'high' },
  session_ended: { priority: 'normal' },
  service_account_changed: { priority: 'normal' },
  api_key_created: { priority: 'normal' },
  api_key_expiring: { priority: 'high', is_required: true },
  account_changed: { priority: 'high', is_required: true, is_always_mailed: true },
  passkey_misused: { priority: 'urgent', is_required: true },
  identity_verification_requested: { priority: 'high', is_required: true },
  break_glass_used: { priority: 'urgent', is_required: true },
  break_glass_untried: { priority: 'high', is_required: true },
  identity_provider_changed: { priority: 'urgent', is_required: true },
  tenant_export: { priority: 'urgent', is_required: true },
  account_locked: { priority: 'urgent', is_required: true },
  escalation: { priority: 'urgent', is_required: true },
} satisfies Record<string, TypeOfNotification>

export type NotificationType = keyof typeof types
export const notificationTypes = Object.keys(types) as NotificationType[]
const typeOf = (type: NotificationType): TypeOfNotification => types[type]

const usualWays: Record<Priority, EmailWay> = { urgent: 'immediate', high: 'immediate', normal: 'digest', low: 'none' }

export interface Delivered {
  in_app: boolean
  email: EmailWay
}
/** The default of a reader who has not chosen. */
export const usualDelivery = (type: NotificationType): Delivered => ({
  in_app: true,
  email: usualWays[typeOf(type).priority],
})
export const deputyScopeOf = (type: NotificationType) => typeOf(type).deputies
export const isRequired = (type: NotificationType) => typeOf(type).is_required ?? false
export const isAlwaysMailed = (type: NotificationType) => typeOf(type).is_always_mailed ?? false
export const priorityOf = (type: NotificationType) => typeOf(type).priority
