import { type Machine, type Transition, transitionsFrom } from '#kernel/machine.ts'
import { printed as conditions } from './messages.ts'

export const trainingTypes = ['read_and_understand', 'quiz', 'on_the_job', 'classroom'] as const
export type TrainingType = (typeof trainingTypes)[number]
export const programStatuses = ['active', 'archived'] as const
export type ProgramStatus = (typeof programStatuses)[number]
export const assignmentStates = ['assigned', 'in_progress', 'completed', 'failed', 'waived', 'cancelled'] as const
export type AssignmentState = (typeof assignmentStates)[number]
export const assignmentSources = [
  'manual',
  'bulk',
  'group',
  'curriculum',
  'document_release',
  'requalification',
  'migration',
] as const
export type AssignmentSource = (typeof assignmentSources)[number]

/** The result of an attempt decides these, and with them which transition follows. */
const guardsOfResult = ['quiz_is_passed', 'attempts_are_used_up'] as const
type GuardOfResult = (typeof guardsOfResult)[number]
type TrainingGuard =
  | GuardOfResult
  | 'prerequisites_are_done'
  | 'read_version_is_in_force'
  | 'document_was_opened'
  | 'waiver_is_another'
export type TrainingTransition = Transition<AssignmentState, TrainingGuard>

/** The transitions of an assignment, by their names. The commands take their permissions, conditions and signatures from here. */
export const trainingTransitions = {
  start: {
    name: 'start',
    from: ['assigned'],
    to: 'in_progress',
    permission: 'training.complete',
    guards: ['prerequisites_are_done'],
  },
  complete: {
    name: 'complete',
    from: ['assigned', 'in_progress'],
    to: 'completed',
    permission: 'training.complete',
    guards: ['prerequisites_are_done', 'read_version_is_in_force', 'document_was_opened', 'quiz_is_passed'],
    signature: { type: 'training' },
  },
  fail: {
    name: 'fail',
    from: ['assigned', 'in_progress'],
    to: 'failed',
    permission: 'training.complete',
    guards: ['prerequisites_are_done', 'read_version_is_in_force', 'document_was_opened', 'attempts_are_used_up'],
  },
  waive: {
    name: 'waive',
    from: ['assigned', 'in_progress'],
    to: 'waived',
    permission: 'training.waive',
    guards: ['waiver_is_another'],
    needs_reason: true,
  },
  cancel: {
    name: 'cancel',
    from: ['assigned', 'in_progress'],
    to: 'cancelled',
    permission: 'training.assign',
    guards: [],
    needs_reason: true,
  },
} as const satisfies Record<string, TrainingTransition>

/** TRN-03: the states of an assignment. Overdue and expired are computed from its dates, never stored. */
export const trainingMachine: Machine<AssignmentState, TrainingGuard> = {
  states: {
    assigned: 'To be completed by its due date',
    in_progress: 'Started and not yet completed',
    completed:
      'Completed and signed by the trainee; it never changes. If the program requires verification, a trainer verifies it with another signature',
    failed: 'All attempts of its quiz are used up; it has to be assigned again',
    waived: 'Not required of this person, for a recorded reason',
    cancelled: 'Withdrawn, for a recorded reason',
  },
  initial: ['assigned'],
  transitions: Object.values(trainingTransitions),
  guards: {
    prerequisites_are_done: conditions.training_condition_prerequisites_are_done(),
    read_version_is_in_force: conditions.training_condition_read_version_is_in_force(),
    document_was_opened: conditions.training_condition_document_was_opened(),
    quiz_is_passed: conditions.training_condition_quiz_is_passed(),
    attempts_are_used_up: conditions.training_condition_attempts_are_used_up(),
    waiver_is_another: conditions.training_condition_waiver_is_another(),
  },
}

/** The result of completing a training; `score` is null without questions. */
interface Result {
  score: number | null
  /** With this one. */
  attempts: number
}

/** The transition that a result leads to; none if another attempt is left. */
export function transitionAfter(
  state: AssignmentState,
  { score, attempts }: Result,
  quiz: { passing_score: number; max_attempts: number } | undefined,
): TrainingTransition | undefined {
  const passed = quiz === undefined || (score !== null && score >= quiz.passing_score)
  const holds: Record<GuardOfResult, boolean> = {
    quiz_is_passed: passed,
    attempts_are_used_up: !passed && attempts >= quiz.max_attempts,
  }
  return transitionsFrom(trainingMachine, state).find(({ guards }) =>
    guardsOfResult.some(guard => guards.includes(guard) && holds[guard]),
  )
}

export const isOver = (state: AssignmentState) => transitionsFrom(trainingMachine, state).length === 0
export const openStates = assignmentStates.filter(state => !isOver(state))

/** The longest time until the due date. */
export const maxDueDays = 3_650

export const programDefaults = { due_days: 14, passing_score: 80, max_attempts: 3, shuffle: true } as const

/** At least one, so that a lower limit does not end an open assignment. */
export const attemptsLeft = ({ max_attempts }: { max_attempts: number }, attempts: number) =>
  Math.max(1, max_attempts - attempts)
