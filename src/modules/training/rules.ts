import { type Machine, transitionsFrom } from '#kernel/machine.ts'

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
] as const
export type AssignmentSource = (typeof assignmentSources)[number]

type TrainingGuard =
  | 'is_own'
  | 'prerequisites_are_done'
  | 'read_version_is_in_force'
  | 'quiz_is_passed'
  | 'attempts_are_used_up'
  | 'waiver_is_another'

/** TRN-03: what an assigned training goes through. That it is overdue, or has expired, is worked out from its days, never stored. */
export const trainingMachine: Machine<AssignmentState, TrainingGuard> = {
  states: {
    assigned: 'Somebody is to do it by its due date',
    in_progress: 'It was begun',
    completed:
      'Done, and signed by the trainee; it never changes. Where the program asks for it, a trainer verifies it with another signature. Its end',
    failed: 'All attempts of its quiz are used up: it is assigned anew. Its end',
    waived: 'Not asked of this person, for a reason. Its end',
    cancelled: 'Taken back for a reason. Its end',
  },
  initial: ['assigned'],
  moves: [
    {
      name: 'start',
      from: ['assigned'],
      to: 'in_progress',
      permission: 'training.complete',
      guards: ['is_own', 'prerequisites_are_done'],
    },
    {
      name: 'complete',
      from: ['assigned', 'in_progress'],
      to: 'completed',
      permission: 'training.complete',
      guards: ['is_own', 'prerequisites_are_done', 'read_version_is_in_force', 'quiz_is_passed'],
      signature: { type: 'training' },
    },
    {
      name: 'fail',
      from: ['assigned', 'in_progress'],
      to: 'failed',
      permission: 'training.complete',
      guards: ['is_own', 'attempts_are_used_up'],
    },
    {
      name: 'waive',
      from: ['assigned', 'in_progress'],
      to: 'waived',
      permission: 'training.waive',
      guards: ['waiver_is_another'],
      needs_reason: true,
    },
    {
      name: 'cancel',
      from: ['assigned', 'in_progress'],
      to: 'cancelled',
      permission: 'training.assign',
      guards: [],
      needs_reason: true,
    },
  ],
  guards: {
    is_own: 'nobody does the training of another person',
    prerequisites_are_done: 'what stands before it in a curriculum of the person must be completed',
    read_version_is_in_force: 'the version that was read must be the one in force',
    quiz_is_passed: 'where there are questions, enough of them must be answered right',
    attempts_are_used_up: 'the last of the attempts must not have passed',
    waiver_is_another: 'nobody waives their own training',
  },
}

export const isOver = (state: AssignmentState) => transitionsFrom(trainingMachine, state).length === 0
export const openStates = assignmentStates.filter(state => !isOver(state))

/** What a program has where nobody says otherwise. */
/** How far ahead a training can be due. */
export const most_due_days = 3_650

export const programDefaults = { due_days: 14, passing_score: 80, max_attempts: 3, shuffle: true } as const

/** Of an open assignment: fewer attempts that the program allows since take none away that could still be made. */
export const attemptsLeft = ({ max_attempts }: { max_attempts: number }, attempts: number) =>
  Math.max(1, max_attempts - attempts)
