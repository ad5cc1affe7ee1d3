// Notifications of training, of group membership and of background jobs.
import type { EventName } from '#kernel/catalogue.ts'
import type { TitledMessage } from '#kernel/message.ts'
import { type JobParams, messages, type TrainingParams } from '../messages.ts'
import { commonParams, fact, type Notice, type NotificationInput, numberIn, type Rule } from '../notice.ts'
import type { NotificationType, Priority } from '../types.ts'

const ofTraining =
  (type: NotificationType, priority: Priority, message: (params: TrainingParams) => TitledMessage) =>
  (input: NotificationInput): Notice | undefined => {
    if (!input.training) return undefined
    const params = {
      ...commonParams(input),
      ...input.training,
      version: fact(input, 'document_version') ?? null,
      valid_until: fact(input, 'valid_until') ?? null,
    }
    return { type, priority, message: message(params) }
  }

const ofJob =
  (type: NotificationType, priority: Priority, message: (params: JobParams) => TitledMessage) =>
  (input: NotificationInput): Notice | undefined => {
    const { id, reason } = input.recorded
    if (id === null) return undefined
    const params = {
      id,
      kind: fact(input, 'kind') ?? null,
      done: numberIn(input, 'done') ?? null,
      total: numberIn(input, 'total') ?? null,
      skipped: numberIn(input, 'skipped') ?? null,
      error: fact(input, 'error') ?? reason ?? null,
    }
    return { type, priority, message: message(params) }
  }

type Own = Extract<EventName, `training_assignment.${string}` | 'group.member_added' | `background_job.${string}`>

export const trainingRules: Record<Own, Rule | 'silent'> = {
  'training_assignment.list_exported': 'silent',
  'training_assignment.record_exported': 'silent',
  'training_assignment.dossier_exported': 'silent',
  'training_assignment.assigned': {
    notify: ofTraining('training_assigned', 'normal', messages.training_assigned),
  },
  'training_assignment.started': 'silent',
  'training_assignment.migrated': 'silent',
  'training_assignment.moved': { notify: ofTraining('training_moved', 'normal', messages.training_moved) },
  'training_assignment.attempted': 'silent',
  'training_assignment.completed': {
    assignees: ofTraining('training_verification_requested', 'high', messages.training_verification_requested),
    notify: ofTraining('training_completed', 'low', messages.training_completed),
  },
  'training_assignment.failed': { notify: ofTraining('training_failed', 'high', messages.training_failed) },
  'training_assignment.verified': { notify: ofTraining('training_verified', 'normal', messages.training_verified) },
  'training_assignment.waived': { notify: ofTraining('training_waived', 'normal', messages.training_waived) },
  'training_assignment.cancelled': { notify: ofTraining('training_cancelled', 'low', messages.training_cancelled) },
  // No isReminder: `notice_on` of the assignment decides how often these come.
  'training_assignment.due_soon': { notify: ofTraining('training_due_soon', 'normal', messages.training_due_soon) },
  'training_assignment.overdue': { notify: ofTraining('training_overdue', 'high', messages.training_overdue) },
  'training_assignment.reminded': { notify: ofTraining('training_reminded', 'high', messages.training_reminded) },
  'training_assignment.expiring': { notify: ofTraining('training_expiring', 'normal', messages.training_expiring) },
  'group.member_added': {
    notify: ({ by, recorded: { number: group } }) =>
      group ? { type: 'group_joined', priority: 'low', message: messages.group_joined({ group, by }) } : undefined,
  },
  'background_job.created': 'silent',
  'background_job.completed': { isForActor: true, notify: ofJob('job_completed', 'low', messages.job_completed) },
  'background_job.retried': 'silent',
  'background_job.failed': { isForActor: true, notify: ofJob('job_failed', 'high', messages.job_failed) },
}
