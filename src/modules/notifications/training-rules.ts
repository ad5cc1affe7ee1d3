// What people are told of training, of the groups that they are in, and of work that goes on after its answer.
import type { EventName } from '#kernel/catalogue.ts'
import { by, comment, fact, type Notice, numberIn, type Rule, type Told, type TrainingSubject } from './told.ts'
import type { NotificationType, Priority } from './types.ts'

/** `what` follows the number in the title; `more` follows the sentence that names the training and whose it is. */
const ofTraining =
  (
    type: NotificationType,
    priority: Priority,
    what: (told: Told, training: TrainingSubject) => string,
    more: (told: Told, training: TrainingSubject) => string = comment,
  ) =>
  (told: Told): Notice | undefined => {
    const { training } = told
    if (!training) return undefined
    const message = `${training.number}, "${training.title}", training of ${training.trainee}.${more(told, training)}`
    return { type, priority, title: `${training.number} ${what(told, training)}`, message }
  }

const due = (_: Told, { due_date }: TrainingSubject) => ` It is due on ${due_date}.`
const wasDue = (_: Told, { due_date }: TrainingSubject) => ` It was due on ${due_date}.`
const version = (told: Told) => {
  const of = fact(told, 'document_version')
  return of ? ` Its document is to be read in version ${of}.` : ''
}

const ofJob =
  (type: NotificationType, priority: Priority, what: string) =>
  (told: Told): Notice | undefined => {
    if (told.recorded.id === null) return undefined
    const [done, total, skipped] = [numberIn(told, 'done'), numberIn(told, 'total'), numberIn(told, 'skipped')]
    const kind = fact(told, 'kind')
    const error = fact(told, 'error') ?? told.recorded.reason
    return {
      type,
      priority,
      title: `The work that you asked for ${what}`,
      message: [
        `Job ${told.recorded.id}${kind ? ` (${kind})` : ''}.`,
        ...(done !== undefined && total !== undefined ? [`${done} of ${total} done.`] : []),
        ...(skipped ? [`${skipped} left out.`] : []),
        ...(error ? [`"${error}"`] : []),
      ].join(' '),
    }
  }

type Own = Extract<EventName, `training_assignment.${string}` | 'group.member_added' | `background_job.${string}`>

export const trainingRules: Record<Own, Rule | 'silent'> = {
  'training_assignment.assigned': {
    concerned: ofTraining(
      'training_assigned',
      'normal',
      told => `is assigned to you${by(told)}`,
      (told, training) => `${due(told, training)}${version(told)}`,
    ),
  },
  'training_assignment.started': 'silent',
  'training_assignment.moved': {
    concerned: ofTraining(
      'training_moved',
      'normal',
      () => 'goes on with a new version of its document',
      (told, training) => `${due(told, training)}${version(told)}`,
    ),
  },
  'training_assignment.attempted': 'silent',
  'training_assignment.completed': {
    asked: ofTraining('training_verification_requested', 'high', () => 'awaits your verification'),
    concerned: ofTraining('training_completed', 'low', (_, { trainee }) => `was completed by ${trainee}`),
  },
  'training_assignment.failed': {
    concerned: ofTraining(
      'training_failed',
      'high',
      (_, { trainee }) => `was failed by ${trainee}`,
      () => ' The attempts are used up: assign it anew.',
    ),
  },
  'training_assignment.verified': {
    concerned: ofTraining('training_verified', 'normal', told => `was verified${by(told)}`),
  },
  'training_assignment.waived': {
    concerned: ofTraining('training_waived', 'normal', told => `was waived${by(told)}`),
  },
  'training_assignment.cancelled': {
    concerned: ofTraining('training_cancelled', 'low', told => `was cancelled${by(told)}`),
  },
  // Each time that the clock says so: how often is decided where the day of the next notice is.
  'training_assignment.due_soon': {
    concerned: ofTraining('training_due_soon', 'normal', () => 'is due soon', due),
  },
  'training_assignment.overdue': {
    concerned: ofTraining('training_overdue', 'high', () => 'is overdue', wasDue),
  },
  'training_assignment.expiring': {
    concerned: ofTraining(
      'training_expiring',
      'normal',
      () => 'is to be done again: its validity ends soon',
      told => {
        const day = fact(told, 'valid_until')
        return day ? ` It is valid until ${day}.` : ''
      },
    ),
  },
  'group.member_added': {
    concerned(told) {
      const group = told.recorded.number
      return group
        ? {
            type: 'group_joined',
            priority: 'low',
            title: `You are a member of the group ${group}`,
            message: `You were added to the group ${group}${by(told)}.`,
          }
        : undefined
    },
  },
  'background_job.created': 'silent',
  'background_job.completed': { isForActor: true, concerned: ofJob('job_completed', 'low', 'is done') },
  'background_job.failed': { isForActor: true, concerned: ofJob('job_failed', 'high', 'could not be finished') },
}
