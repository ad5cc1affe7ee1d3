import type { EventName } from '#kernel/catalogue.ts'
import { capaRules } from './capa-rules.ts'
import {
  commented,
  deviationDueSoon,
  deviationMoved,
  deviationOverdue,
  deviationReported,
  deviationUpdated,
  extensionDecided,
  extensionRequested,
  linked,
  unlinked,
} from './record-rules.ts'
import {
  by,
  comment,
  type DocumentSubject,
  due,
  fact,
  type Notice,
  type NotificationType,
  overdue,
  type Priority,
  quoted,
  type Rule,
  type Told,
} from './told.ts'

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

/**
 * Who is told what of each event, complete by the compiler: a new event has its line, and `silent` is a decision. Titles and
 * messages are sentences that their reader may read: an event concerns nobody who may not read its record.
 */
export const rules: Record<EventName, Rule | 'silent'> = {
  'access.denied': 'silent',
  'auth.logged_in': 'silent',
  'auth.login_failed': 'silent',
  'auth.locked': {
    // 21 CFR 11.300(d): at once, and to the person whose account it is as well.
    isForActor: true,
    concerned: ({ person, recorded }) =>
      person === undefined
        ? undefined
        : {
            type: 'account_locked',
            priority: 'urgent',
            title: `The account of ${person} is locked`,
            message: `Somebody failed to log in as ${person}, or to prove that identity: ${recorded.reason ?? 'too many failed attempts'}. Ask ${person} whether it was an attempt of their own.`,
          },
  },
  'auth.proof_failed': 'silent',
  'tenant.created': 'silent',
  'tenant.updated': 'silent',
  'settings.updated': 'silent',
  'user.created': 'silent',
  'user.updated': 'silent',
  'user.deactivated': 'silent',
  'user.reactivated': 'silent',
  'user.role_changed': 'silent',
  'user.permissions_changed': 'silent',
  'user.password_changed': 'silent',
  'user.password_reset': 'silent',
  'user.totp_enrolled': 'silent',
  'user.totp_confirmed': 'silent',
  'user.totp_removed': 'silent',
  'user.identity_verified': 'silent',
  'user.signature_statement_accepted': 'silent',
  'role.created': 'silent',
  'role.updated': 'silent',
  'role.deleted': 'silent',
  'document_type.created': 'silent',
  'document_type.updated': 'silent',
  'workflow_template.created': 'silent',
  'workflow_template.updated': 'silent',
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
  'signature.created': 'silent',
  'signature.denied': 'silent',
  'signature.voided': {
    concerned: told => ({
      type: 'signature_voided',
      priority: fact(told, 'cause') === 'declared' ? 'high' : 'normal',
      title: `Your signature on ${told.recorded.number ?? 'a record'} is void`,
      message: `It became void${by(told)}.${comment(told)}`,
    }),
  },
  'signing_key.rotated': 'silent',
  'storage.swept': 'silent',
  'form_template.created': 'silent',
  'form_template.updated': 'silent',
  'deviation.created': deviationReported,
  'deviation.updated': deviationUpdated,
  'deviation.state_changed': deviationMoved,
  'deviation.commented': commented('deviation'),
  'deviation.linked': linked('deviation'),
  'deviation.unlinked': unlinked('deviation'),
  'deviation.extension_requested': extensionRequested('deviation'),
  'deviation.extension_decided': extensionDecided('deviation'),
  'deviation.due_soon': deviationDueSoon,
  'deviation.overdue': deviationOverdue,
  'capa.commented': commented('capa'),
  'capa.linked': linked('capa'),
  'capa.unlinked': unlinked('capa'),
  'capa.extension_requested': extensionRequested('capa'),
  'capa.extension_decided': extensionDecided('capa'),
  ...capaRules,
  'attachment.created': 'silent',
  'attachment.downloaded': 'silent',
  'upload.refused': 'silent',
  'notification.read': 'silent',
  'group.created': 'silent',
  'group.updated': 'silent',
  'group.deleted': 'silent',
  'group.member_added': 'silent',
  'group.member_removed': 'silent',
  'training_program.created': 'silent',
  'training_program.updated': 'silent',
  'training_program.group_assigned': 'silent',
  'training_program.group_unassigned': 'silent',
  'curriculum.created': 'silent',
  'curriculum.updated': 'silent',
  'training_assignment.assigned': 'silent',
  'training_assignment.started': 'silent',
  'training_assignment.moved': 'silent',
  'training_assignment.attempted': 'silent',
  'training_assignment.completed': 'silent',
  'training_assignment.failed': 'silent',
  'training_assignment.verified': 'silent',
  'training_assignment.waived': 'silent',
  'training_assignment.cancelled': 'silent',
  'training_assignment.due_soon': 'silent',
  'training_assignment.overdue': 'silent',
  'training_assignment.expiring': 'silent',
  'training_record.exported': 'silent',
  'content_template.created': 'silent',
  'content_template.updated': 'silent',
  'content_template.deleted': 'silent',
  'content_template.used': 'silent',
  'background_job.created': 'silent',
  'background_job.completed': 'silent',
  'background_job.failed': 'silent',
  'user.notification_preferences_changed': 'silent',
  'notification.escalated': 'silent',
  'mail.failed': 'silent',
  'mail.retried': 'silent',
}
