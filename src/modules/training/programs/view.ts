import type { ActionContext } from '#action'
import { notFound } from '#kernel/errors.ts'
import { todayOf } from '#modules/accounts'
import { digest } from '#platform/crypto/canonical.ts'
import { findAssignment, findNewestRow } from '../assignments/queries.ts'
import { listPrerequisites } from '../curricula/people-queries.ts'
import { attemptsLeft, isOver, type ProgramStatus, type TrainingType } from '../rules.ts'
import { findQuiz, findVisibleProgram, type ProgramFields, type Quiz, type ShownProgram } from './queries.ts'
import { questionsForTrainee } from './quiz-rules.ts'
import type { Program } from './schema.ts'

type Reading = Pick<ActionContext<unknown>, 'tx' | 'services' | 'actor'>

export const quizOf = async ({ tx }: Pick<Reading, 'tx'>, program: { id: number; quiz_version: number | null }) =>
  program.quiz_version === null ? undefined : findQuiz(tx, program.id, program.quiz_version)

export async function requireKnown({ tx, actor }: Pick<Reading, 'tx' | 'actor'>, id: number): Promise<ShownProgram> {
  const program = await findVisibleProgram(tx, id, actor)
  if (!program) throw notFound('Training program')
  return program
}

/** Authors see the correct options; everybody else sees the questions without them, in an order of their own. */
function questionsFor({ actor }: Reading, quiz: Quiz, mine: { assignment_id: number; attempts: number } | undefined) {
  if (actor.permissions.has('training.manage')) return quiz.questions
  const seed = quiz.shuffle && mine ? `${mine.assignment_id}:${mine.attempts}` : undefined
  return questionsForTrainee(quiz.questions, seed)
}

export async function readProgram(context: Reading, id: number): Promise<Program> {
  const { tx, actor } = context
  const program = await requireKnown(context, id)
  const quiz = await quizOf(context, program)
  const newest = await findNewestRow(tx, id, actor.userId!)
  const mine = newest && (await findAssignment(tx, newest.id, await todayOf(context)))
  const isOpen = mine !== undefined && !isOver(mine.status)
  return {
    ...program,
    prerequisites: isOpen
      ? await listPrerequisites(tx, { user_id: mine.user.id, program_id: id, today: await todayOf(context) })
      : [],
    questions: quiz ? questionsFor(context, quiz, mine) : [],
    passing_score: quiz?.passing_score ?? null,
    max_attempts: quiz?.max_attempts ?? null,
    shuffle: quiz?.shuffle ?? null,
    my_assignment: mine ?? null,
    attempts_left: quiz && isOpen ? attemptsLeft(quiz, mine.attempts) : null,
  }
}

interface Recorded extends ProgramFields {
  type: TrainingType
  document_id: number | null
  status: ProgramStatus
}

/** A program as the audit trail shows it. It has a hash of the questions, because their correct options stay secret. */
export const recordedOf = (
  {
    title,
    description,
    type,
    document_id,
    due_days,
    valid_months,
    requires_verification,
    requires_opening,
    status,
  }: Recorded,
  quiz: Quiz | undefined,
) => ({
  ...{ title, description, type, document_id, due_days, valid_months, requires_verification, requires_opening, status },
  quiz: quiz
    ? {
        version: quiz.version,
        question_count: quiz.questions.length,
        questions_sha256: digest(quiz.questions),
        passing_score: quiz.passing_score,
        max_attempts: quiz.max_attempts,
        shuffle: quiz.shuffle,
      }
    : null,
})
