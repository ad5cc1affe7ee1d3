// Notifications of documents.
import type { EventName } from '#kernel/catalogue.ts'
import {
  by,
  comment,
  type DocumentSubject,
  due,
  fact,
  type Notice,
  type NotificationInput,
  overdue,
  quoted,
  type Rule,
} from './notice.ts'
import type { NotificationType, Priority } from './types.ts'

/** `phrase` follows the number in the title, `details` the sentence that names document and version. */
const ofDocument =
  (
    type: NotificationType,
    priority: Priority,
    phrase: (input: NotificationInput, document: DocumentSubject) => string | undefined,
    details: (input: NotificationInput, document: DocumentSubject) => string = comment,
  ) =>
  (input: NotificationInput): Notice | undefined => {
    const { document } = input
    const title = document && phrase(input, document)
    if (!document || !title) return undefined
    const message = `${document.number}, "${document.title}", version ${document.version}.${details(input, document)}`
    return { type, priority, title: `${document.number} ${title}`, message }
  }

const moved: Rule = {
  assignees: ofDocument(
    'document_approval_requested',
    'high',
    // The approval of a draft can be configured before anybody has to decide.
    (_, { state_kind }) => (state_kind === 'review' ? 'awaits your decision' : undefined),
    (input, { state }) => ` Its state is: ${state}.${due(input)}${comment(input)}`,
  ),
  notify(input) {
    const { document, together } = input
    if (!document) return undefined
    if (document.state_kind === 'effective')
      return ofDocument(
        'document_effective',
        'normal',
        () => 'is effective',
        () => '',
      )(input)
    // A rejection names the new state itself, and a version that another replaces ends without anybody having to know.
    const isReplaced = document.state_kind === 'final' && fact(input, 'trigger') === 'automatic'
    if (together.has('document.rejected') || isReplaced) return undefined
    return ofDocument('document_moved', 'low', (each, { state }) => `was moved${by(each)} to: ${state}`)(input)
  },
}

export const documentRules: Record<Extract<EventName, `document.${string}`>, Rule | 'silent'> = {
  'document.created': 'silent',
  'document.updated': 'silent',
  'document.version_created': 'silent',
  'document.approval_configured': {
    assignees: moved.assignees!,
  },
  'document.approved': {
    notify: ofDocument('document_approved', 'normal', input => `was approved${by(input)}`),
    assignees: moved.assignees!,
  },
  'document.rejected': {
    notify: ofDocument(
      'document_rejected',
      'high',
      input => `was rejected${by(input)}`,
      (input, { state }) => ` Its state is: ${state}.${comment(input)}`,
    ),
  },
  'document.state_changed': moved,
  'document.downloaded': 'silent',
  'document.dossier_exported': 'silent',
  'document.effective_date_set': {
    notify: ofDocument('document_effective_date_set', 'low', input => {
      const day = fact(input, 'effective_date')
      return day ? `becomes effective on ${day}` : 'becomes effective as soon as it is approved'
    }),
  },
  'document.delegated': {
    notify: ofDocument('document_delegated', 'high', input => `was delegated to another person${by(input)}`),
    assignees: ofDocument(
      'document_delegated',
      'high',
      input => `was delegated to you${by(input)}`,
      input => `${due(input)}${comment(input)}`,
    ),
  },
  'document.delegation_ended': {
    notify: ofDocument('document_delegation_ended', 'normal', input => `is no longer delegated${by(input)}`),
    assignees: ofDocument('document_delegation_ended', 'high', input => `awaits your own decision again${by(input)}`),
  },
  'document.approval_due': {
    isReminder: true,
    notify: ofDocument('document_approval_due', 'high', () => 'still awaits your decision', due),
    assignees: ofDocument('document_approval_due', 'high', () => 'still awaits your decision', due),
  },
  'document.approval_escalated': {
    isReminder: true,
    notify: ofDocument('document_approval_overdue', 'urgent', () => 'awaits a decision that is overdue', overdue),
    assignees: ofDocument(
      'document_approval_overdue',
      'urgent',
      () => 'awaits your decision, which is overdue',
      overdue,
    ),
  },
  'document.reviewed': {
    notify: ofDocument('document_reviewed', 'normal', input => `was reviewed${by(input)}`),
  },
  'document.review_due': {
    isReminder: true,
    notify: ofDocument('document_review_due', 'normal', () => 'is due soon for its periodic review', due),
  },
  'document.review_overdue': {
    isReminder: true,
    notify: ofDocument('document_review_overdue', 'high', () => 'is overdue for its periodic review', overdue),
  },
  'document.commented': {
    notify: ofDocument('document_commented', 'normal', input => `has a comment${by(input)}`, quoted('comment')),
  },
  'document.comment_resolved': {
    notify: ofDocument(
      'document_comment_resolved',
      'low',
      input => `has a comment that was resolved${by(input)}`,
      quoted('reply'),
    ),
  },
}
