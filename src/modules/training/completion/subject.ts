import type { RecordReader, RecordSubject } from '#modules/signatures'
import { digest } from '#platform/crypto/canonical.ts'
import type { Tx } from '#platform/db/database.ts'
import {
  findAnsweredQuiz,
  findLatestAttempt,
  findSignedAssignment,
  findSignedProgram,
  findSignedVersion,
  isOfOwnTraining,
} from './subject-queries.ts'

// The names of columns. A name that a signature covers must never be removed or changed, or old signatures could not be verified.
const signedColumns = [
  ...['program_id', 'program_title', 'user_id', 'source', 'source_id', 'document_id', 'version_id', 'due_date'],
  ...['assigned_at', 'assigned_by', 'started_at', 'completed_at', 'attempts', 'score', 'valid_until'],
  ...['opened_at', 'opened_version_id'],
]

/** The content of the trainee's signature and of the trainer's: the person, the hash of the document and the result. */
export async function readAssignment(tx: Tx, id: number): Promise<RecordSubject | undefined> {
  const assignment = await findSignedAssignment(tx, id)
  if (!assignment) return undefined
  const program = await findSignedProgram(tx, assignment.program_id)
  const version = await findSignedVersion(tx, assignment.version_id)
  const { status, content_revision } = assignment
  return {
    type: 'training_assignment',
    id,
    number: `${program.number}, training ${id}`,
    status,
    content_revision,
    content: {
      ...Object.fromEntries(Object.entries(assignment).filter(([name]) => signedColumns.includes(name))),
      document_version: version ? { version: version.version, sha256: version.sha256 } : null,
      attempt: await readAttempt(tx, id),
    },
  }
}

/** The answers that passed, with a hash of their questions. */
async function readAttempt(tx: Tx, assignmentId: number) {
  const attempt = await findLatestAttempt(tx, assignmentId)
  if (!attempt) return null
  const quiz = await findAnsweredQuiz(tx, attempt.quiz_id)
  const { attempt_number, answers, score, passed, submitted_at } = attempt
  const { version, questions, passing_score } = quiz
  return {
    ...{ attempt_number, answers, score, passed, submitted_at },
    quiz: { version, questions_sha256: digest(questions), passing_score },
  }
}

export const signedTraining: RecordReader = {
  read: readAssignment,
  readable: ({ userId, permissions }) => permissions.has('training.read_all') || isOfOwnTraining(userId),
}
