// What people are told of documents.
import type { EventName } from '#kernel/catalogue.ts'
import {
  by,
  comment,
  type DocumentSubject,
  due,
  fact,
  type Notice,
  overdue,
  quoted,
  type Rule,
  type Told,
} from './told.ts'
import type { NotificationType, Priority } from './types.ts'

/** `what` follows the number in the title; `more` follows the sentence that names document and version. */
const ofDocument =
  (
    type: NotificationType,
    priority: Priority,
    what: (told: Told, document: DocumentSubject) => string | undefined,
    more: (told: Told, document: DocumentSubject) => string = comment,
  ) =>
  (told: Told): Notice | undefined => {
    const { document } = told
    const title = document && what(told, document)
    if (!document || !title) return undefined
    const message = `${document.number}, "${document.title}", version ${document.version}.${more(told, document)}`
    return { type, priority, title: `${document.number} ${title}`, message }
  }

const moved: Rule = {
  asked: ofDocument(
    'document_approval_requested',
    'high',
    // Of a draft an approval is configured before anybody is to decide.
    (_, { state_kind }) => (state_kind === 'review' ? 'awaits your decision' : undefined),
    (told, { state }) => ` Its state is: ${state}.${due(told)}${comment(told)}`,
  ),
  concerned(told) {
    const { document, together } = told
    if (!document) return undefined
    if (document.state_kind === 'effective')
      return ofDocument(
        'document_effective',
        'normal',
        () => 'is effective',
        () => '',
      )(told)
    // That it was rejected says where it is, and by whom; and a version ends by itself when another takes its place.
    const isReplaced = document.state_kind === 'final' && fact(told, 'trigger') === 'automatic'
    if (together.has('document.rejected') || isReplaced) return undefined
    return ofDocument('document_moved', 'low', (each, { state }) => `was moved${by(each)} to: ${state}`)(told)
  },
}

export const documentRules: Record<Extract<EventName, `document.${string}`>, Rule | 'silent'> = {
  'document.created': 'silent',
  'document.updated': 'silent',
  'document.version_created': 'silent',
  'document.approval_configured': {
    asked: moved.asked!,
  },
  'document.approved': {
    concerned: ofDocument('document_approved', 'normal', told => `was approved${by(told)}`),
    asked: moved.asked!,
  },
  'document.rejected': {
    concerned: ofDocument(
      'document_rejected',
      'high',
      told => `was rejected${by(told)}`,
      (told, { state }) => ` Its state is: ${state}.${comment(told)}`,
    ),
  },
  'document.state_changed': moved,
  'document.downloaded': 'silent',
  'document.dossier_exported': 'silent',
  'document.effective_date_set': {
    concerned: ofDocument('document_effective_date_set', 'low', told => {
      const day = fact(told, 'effective_date')
      return day ? `is to be effective on ${day}` : 'is to be effective as soon as it is approved'
    }),
  },
  'document.delegated': {
    concerned: ofDocument('document_delegated', 'high', told => `is handed to another for a decision${by(told)}`),
    asked: ofDocument(
      'document_delegated',
      'high',
      told => `is handed to you for a decision${by(told)}`,
      told => `${due(told)}${comment(told)}`,
    ),
  },
  'document.delegation_ended': {
    concerned: ofDocument(
      'document_delegation_ended',
      'normal',
      told => `is no longer handed on for a decision${by(told)}`,
    ),
    asked: ofDocument('document_delegation_ended', 'high', told => `awaits your own decision again${by(told)}`),
  },
  'document.approval_due': {
    isReminder: true,
    concerned: ofDocument('document_approval_due', 'high', () => 'still awaits your decision', due),
    asked: ofDocument('document_approval_due', 'high', () => 'still awaits your decision', due),
  },
  'document.approval_escalated': {
    isReminder: true,
    concerned: ofDocument('document_approval_overdue', 'urgent', () => 'awaits a decision that is overdue', overdue),
    asked: ofDocument('document_approval_overdue', 'urgent', () => 'awaits your decision, which is overdue', overdue),
  },
  'document.reviewed': {
    concerned: ofDocument('document_reviewed', 'normal', told => `was reviewed${by(told)}`),
  },
  'document.review_due': {
    isReminder: true,
    concerned: ofDocument('document_review_due', 'normal', () => 'is to be reviewed soon', due),
  },
  'document.review_overdue': {
    isReminder: true,
    concerned: ofDocument('document_review_overdue', 'high', () => 'is overdue for its periodic review', overdue),
  },
  'document.commented': {
    concerned: ofDocument('document_commented', 'normal', told => `has a comment${by(told)}`, quoted('comment')),
  },
  'document.comment_resolved': {
    concerned: ofDocument(
      'document_comment_resolved',
      'low',
      told => `has a comment that was resolved${by(told)}`,
      quoted('reply'),
    ),
  },
}
