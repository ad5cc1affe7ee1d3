// Notifications of documents.
import type { EventName } from '#kernel/catalogue.ts'
import type { TitledMessage } from '#kernel/message.ts'
import { type DocumentParams, messages } from '../messages.ts'
import { commonParams, fact, type Notice, type NotificationInput, type Rule } from '../notice.ts'
import type { NotificationType, Priority } from '../types.ts'

const ofDocument =
  (type: NotificationType, priority: Priority, message: (params: DocumentParams) => TitledMessage) =>
  (input: NotificationInput): Notice | undefined => {
    if (!input.document) return undefined
    const { state_kind: _, ...document } = input.document
    const params = {
      ...document,
      ...commonParams(input),
      effective_date: fact(input, 'effective_date') ?? null,
      quote: fact(input, 'comment') ?? fact(input, 'reply') ?? null,
    }
    return { type, priority, message: message(params) }
  }

const moved: Rule = {
  // The approval of a draft can be configured before anybody has to decide.
  assignees: input =>
    input.document?.state_kind === 'review'
      ? ofDocument('document_approval_requested', 'high', messages.document_approval_requested)(input)
      : undefined,
  notify(input) {
    const { document, together } = input
    if (document?.state_kind === 'effective')
      return ofDocument('document_effective', 'normal', messages.document_effective)(input)
    // A rejection names the new state itself, and a version that another replaces ends without anybody having to know.
    const isReplaced = document?.state_kind === 'final' && fact(input, 'trigger') === 'automatic'
    if (together.has('document.rejected') || isReplaced) return undefined
    return ofDocument('document_moved', 'low', messages.document_moved)(input)
  },
}
const stillAwaited = ofDocument('document_approval_due', 'high', messages.document_approval_due)

export const documentRules: Record<Extract<EventName, `document.${string}`>, Rule | 'silent'> = {
  'document.created': 'silent',
  'document.migrated': 'silent',
  'document.version_migrated': 'silent',
  'document.approval_migrated': 'silent',
  'document.updated': 'silent',
  'document.disposed': 'silent',
  'document.version_created': 'silent',
  'document.approval_configured': {
    assignees: moved.assignees!,
  },
  'document.approved': {
    notify: ofDocument('document_approved', 'normal', messages.document_approved),
    assignees: moved.assignees!,
  },
  'document.rejected': { notify: ofDocument('document_rejected', 'high', messages.document_rejected) },
  'document.approval_withdrawn': {
    notify: ofDocument('document_approval_withdrawn', 'high', messages.document_approval_withdrawn),
  },
  'document.state_changed': moved,
  'document.downloaded': 'silent',
  'document.list_exported': 'silent',
  'document.viewed': 'silent',
  'document.dossier_exported': 'silent',
  'document.effective_date_set': {
    notify: ofDocument('document_effective_date_set', 'low', params =>
      params.effective_date === null
        ? messages.document_effective_date_removed(params)
        : messages.document_effective_date_set(params),
    ),
  },
  'document.delegated': {
    notify: ofDocument('document_delegated', 'high', messages.document_delegated),
    assignees: ofDocument('document_delegated', 'high', messages.document_delegated_own),
  },
  'document.delegation_ended': {
    notify: ofDocument('document_delegation_ended', 'normal', messages.document_delegation_ended),
    assignees: ofDocument('document_delegation_ended', 'high', messages.document_delegation_ended_own),
  },
  // No isReminder: the command decides how often a person is reminded.
  'document.approval_reminded': { notify: ofDocument('document_reminded', 'high', messages.document_reminded) },
  'document.approval_due': { isReminder: true, notify: stillAwaited, assignees: stillAwaited },
  'document.approval_escalated': {
    isReminder: true,
    notify: ofDocument('document_approval_overdue', 'urgent', messages.document_approval_overdue),
    assignees: ofDocument('document_approval_overdue', 'urgent', messages.document_approval_overdue_own),
  },
  'document.approval_orphaned': {
    assignees: ofDocument('document_approval_orphaned', 'high', messages.document_approval_orphaned),
  },
  'document.approval_resumed': 'silent',
  'document.reviewed': { notify: ofDocument('document_reviewed', 'normal', messages.document_reviewed) },
  'document.review_due': {
    isReminder: true,
    notify: ofDocument('document_review_due', 'normal', messages.document_review_due),
  },
  'document.review_overdue': {
    isReminder: true,
    notify: ofDocument('document_review_overdue', 'high', messages.document_review_overdue),
  },
  'document.file_removed': { notify: ofDocument('document_file_removed', 'high', messages.document_file_removed) },
  'document.commented': { notify: ofDocument('document_commented', 'normal', messages.document_commented) },
  'document.comment_mentioned': {
    notify: ofDocument('document_comment_mentioned', 'high', messages.document_comment_mentioned),
  },
  'document.comment_changed': 'silent',
  'document.comment_resolved': {
    notify: ofDocument('document_comment_resolved', 'low', messages.document_comment_resolved),
  },
  'document.comment_reopened': {
    notify: ofDocument('document_comment_reopened', 'normal', messages.document_comment_reopened),
  },
}
