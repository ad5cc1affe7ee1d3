// Notifications of training, of group membership and of background jobs.
import type { EventName } from '#kernel/catalogue.ts'
import {
  by,
  comment,
  fact,
  type Notice,
  type NotificationInput,
  numberIn,
  type Rule,
  type TrainingSubject,
} from './notice.ts'
import type { NotificationType, Priority } from './types.ts'

/** `phrase` follows the number in the title, `details` the sentence that names the training and the trainee. */
const ofTraining =
  (
    type: NotificationType,
    priority: Priority,
    phrase: (input: NotificationInput, training: TrainingSubject) => string,
    details: (input: NotificationInput, training: TrainingSubject) => string = comment,
  ) =>
  (input: NotificationInput): Notice | undefined => {
    const { training } = input
    if (!training) return undefined
    const message = `${training.number}, "${training.title}", training of ${training.trainee}.${details(input, training)}`
    return { type, priority, title: `${training.number} ${phrase(input, training)}`, message }
  }

const due = (_: NotificationInput, { due_date }: TrainingSubject) => ` It is due on ${due_date}.`
const wasDue = (_: NotificationInput, { due_date }: TrainingSubject) => ` It was due on ${due_date}.`
const version = (input: NotificationInput) => {
  const of = fact(input, 'document_version')
  return of ? ` Read version ${of} of its document.` : ''
}

const ofJob =
  (type: NotificationType, priority: Priority, outcome: string) =>
  (input: NotificationInput): Notice | undefined => {
    if (input.recorded.id === null) return undefined
    const [done, total, skipped] = [numberIn(input, 'done'), numberIn(input, 'total'), numberIn(input, 'skipped')]
    const kind = fact(input, 'kind')
    const error = fact(input, 'error') ?? input.recorded.reason
    return {
      type,
      priority,
      title: `Your background job ${outcome}`,
      message: [
        `Job ${input.recorded.id}${kind ? ` (${kind})` : ''}.`,
        ...(done !== undefined && total !== undefined ? [`${done} of ${total} done.`] : []),
        ...(skipped ? [`${skipped} skipped.`] : []),
        ...(error ? [`"${error}"`] : []),
      ].join(' '),
    }
  }

type Own = Extract<EventName, `training_assignment.${string}` | 'group.member_added' | `background_job.${string}`>

export const trainingRules: Record<Own, Rule | 'silent'> = {
  'training_assignment.assigned': {
    notify: ofTraining(
      'training_assigned',
      'normal',
      input => `is assigned to you${by(input)}`,
      (input, training) => `${due(input, training)}${version(input)}`,
    ),
  },
  'training_assignment.started': 'silent',
  'training_assignment.moved': {
    notify: ofTraining(
      'training_moved',
      'normal',
      () => 'continues with a new version of its document',
      (input, training) => `${due(input, training)}${version(input)}`,
    ),
  },
  'training_assignment.attempted': 'silent',
  'training_assignment.completed': {
    assignees: ofTraining('training_verification_requested', 'high', () => 'awaits your verification'),
    notify: ofTraining('training_completed', 'low', (_, { trainee }) => `was completed by ${trainee}`),
  },
  'training_assignment.failed': {
    notify: ofTraining(
      'training_failed',
      'high',
      (_, { trainee }) => `was failed by ${trainee}`,
      () => ' All attempts are used up. Assign it again.',
    ),
  },
  'training_assignment.verified': {
    notify: ofTraining('training_verified', 'normal', input => `was verified${by(input)}`),
  },
  'training_assignment.waived': {
    notify: ofTraining('training_waived', 'normal', input => `was waived${by(input)}`),
  },
  'training_assignment.cancelled': {
    notify: ofTraining('training_cancelled', 'low', input => `was cancelled${by(input)}`),
  },
  // No isReminder: `notice_on` of the assignment decides how often these come.
  'training_assignment.due_soon': {
    notify: ofTraining('training_due_soon', 'normal', () => 'is due soon', due),
  },
  'training_assignment.overdue': {
    notify: ofTraining('training_overdue', 'high', () => 'is overdue', wasDue),
  },
  'training_assignment.expiring': {
    notify: ofTraining(
      'training_expiring',
      'normal',
      () => 'needs to be renewed, because its validity ends soon',
      input => {
        const day = fact(input, 'valid_until')
        return day ? ` It is valid until ${day}.` : ''
      },
    ),
  },
  'group.member_added': {
    notify(input) {
      const group = input.recorded.number
      return group
        ? {
            type: 'group_joined',
            priority: 'low',
            title: `You are a member of the group ${group}`,
            message: `You were added to the group ${group}${by(input)}.`,
          }
        : undefined
    },
  },
  'background_job.created': 'silent',
  'background_job.completed': { isForActor: true, notify: ofJob('job_completed', 'low', 'is done') },
  'background_job.failed': { isForActor: true, notify: ofJob('job_failed', 'high', 'failed') },
}
