import type { EventName } from '#kernel/catalogue.ts'
import { messages } from '../messages.ts'
import { fact, type NotificationInput, type Rule } from '../notice.ts'
import { accountRules } from './account-rules.ts'
import { capaRules } from './capa-rules.ts'
import { configurationRules, fileRules } from './configuration-rules.ts'
import { copyRules } from './copy-rules.ts'
import { documentRules } from './document-rules.ts'
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
import { trainingRules } from './training-rules.ts'

const deputyFacts = (input: NotificationInput) => ({
  ...(input.standIn ?? { person: 'another person', deputy: 'A deputy' }),
  ...{ starts_on: fact(input, 'starts_on') ?? '-', ends_on: fact(input, 'ends_on') ?? '-' },
  ...{ by: input.by, comment: input.recorded.reason ?? null },
})

/**
 * The notification of each event. The compiler demands a line for a new event, and `silent` is a decision. Titles and messages may
 * quote the record, because only people who may read it are notified.
 */
export const rules: Record<EventName, Rule | 'silent'> = {
  'audit.exported': 'silent',
  'audit.redacted': 'silent',
  'audit.epoch_started': 'silent',
  'audit.key_rotated': 'silent',
  'audit_review.created': 'silent',
  'access_review.created': 'silent',
  'access_review.exported': 'silent',
  'access.denied': 'silent',
  'auth.logged_in': 'silent',
  'auth.logged_out': 'silent',
  'auth.session_renewed': 'silent',
  'auth.login_failed': 'silent',
  'auth.locked': {
    // 21 CFR 11.300(d): at once, and also to the owner of the account.
    isForActor: true,
    notify: ({ person, recorded: { reason = null } }) =>
      person === undefined
        ? undefined
        : { type: 'account_locked', priority: 'urgent', message: messages.account_locked({ person, reason }) },
  },
  'auth.proof_failed': 'silent',
  'tenant.created': 'silent',
  'tenant.updated': 'silent',
  'settings.updated': 'silent',
  'user.list_exported': 'silent',
  'user.created': 'silent',
  ...accountRules,
  'user.deactivated': 'silent',
  'user.reactivated': 'silent',
  // The e-mail with the link is the notification.
  'user.password_link_requested': 'silent',
  'user.password_link_sent': 'silent',
  'user.invited_again': 'silent',
  'user.invitation_withdrawn': 'silent',
  'user.invitations_refused': 'silent',
  'user.totp_enrolled': 'silent',
  'user.totp_resealed': 'silent',
  'passkey.renamed': 'silent',
  'user.identity_verified': 'silent',
  'user.signature_statement_accepted': 'silent',
  'role.created': 'silent',
  'role.updated': 'silent',
  'role.deleted': 'silent',
  'document_type.created': 'silent',
  'document_type.updated': 'silent',
  'workflow_template.created': 'silent',
  'workflow_template.updated': 'silent',
  'deputy.created': {
    notify: input => ({ type: 'deputy_named', priority: 'high', message: messages.deputy_named(deputyFacts(input)) }),
  },
  'deputy.ended': {
    notify: input => ({ type: 'deputy_ended', priority: 'high', message: messages.deputy_ended(deputyFacts(input)) }),
  },
  ...configurationRules,
  ...fileRules,
  ...documentRules,
  ...copyRules,
  'signature.created': 'silent',
  'signature.denied': 'silent',
  'signature.voided': {
    notify: input => ({
      type: 'signature_voided',
      priority: fact(input, 'cause') === 'declared' ? 'high' : 'normal',
      message: messages.signature_voided({
        number: input.recorded.number ?? null,
        by: input.by,
        comment: input.recorded.reason ?? null,
      }),
    }),
  },
  'signing_challenge.begun': 'silent',
  'signing_challenge.proved': 'silent',
  'signing_challenge.spent': 'silent',
  'signing_challenge.refused': 'silent',
  'signing_key.confirmed': 'silent',
  'signing_key.rotated': 'silent',
  'storage.swept': 'silent',
  'form_template.created': 'silent',
  'form_template.updated': 'silent',
  'deviation.list_exported': 'silent',
  'deviation.record_exported': 'silent',
  'deviation.dossier_exported': 'silent',
  'capa.list_exported': 'silent',
  'capa.record_exported': 'silent',
  'capa.dossier_exported': 'silent',
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
  ...trainingRules,
  'attachment.created': 'silent',
  'attachment.downloaded': 'silent',
  'upload.refused': 'silent',
  'ai_call.started': 'silent',
  'ai_call.answered': 'silent',
  'ai_call.declined': 'silent',
  'ai_call.failed': 'silent',
  'assistant_settings.updated': 'silent',
  'notification.read': 'silent',
  'group.list_exported': 'silent',
  'group.created': 'silent',
  'group.updated': 'silent',
  'group.deleted': 'silent',
  'group.member_removed': 'silent',
  'training_program.created': 'silent',
  'training_program.updated': 'silent',
  'training_program.assigned': 'silent',
  'training_program.group_assigned': 'silent',
  'training_program.group_unassigned': 'silent',
  'curriculum.created': 'silent',
  'curriculum.updated': 'silent',
  'training_record.exported': 'silent',
  'content_template.created': 'silent',
  'content_template.updated': 'silent',
  'content_template.deleted': 'silent',
  'content_template.used': 'silent',
  'user.notification_preferences_changed': 'silent',
  // escalation.ts writes the notifications of an escalation itself.
  'notification.escalated': 'silent',
  'notification.settled': 'silent',
  'notification.digested': 'silent',
  'mail.failed': 'silent',
  'mail.retried': 'silent',
}
