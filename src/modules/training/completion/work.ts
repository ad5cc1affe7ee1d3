import type { ActionContext } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { todayOf } from '#modules/accounts'
import { type AssignmentRow, findNewestRow, lockAssignment } from '../assignments/queries.ts'
import { listPrerequisites } from '../curricula/people-queries.ts'
import { messages } from '../messages.ts'
import { findProgram, type ProgramRow, type Quiz, seesAll } from '../programs/queries.ts'
import { quizOf } from '../programs/view.ts'
import { findReadVersion, type ReadVersion } from './queries.ts'

/** An assignment with its program, quiz and version. */
export interface Work {
  program: ProgramRow
  assignment: AssignmentRow
  quiz: Quiz | undefined
  /** The version to read. */
  version: ReadVersion | undefined
}

export async function workOf(
  { tx }: Pick<ActionContext<unknown>, 'tx'>,
  program: ProgramRow,
  assignment: AssignmentRow,
): Promise<Work> {
  const quiz = await quizOf({ tx }, program)
  const version = assignment.version_id === null ? undefined : await findReadVersion(tx, assignment.version_id)
  return { program, assignment, quiz, version }
}

/** The actor's own assignment, because nobody can do the training of another person. */
export async function requireOwn(
  { tx, actor }: Pick<ActionContext<unknown>, 'tx' | 'actor'>,
  programId: number,
  { lock }: { lock: boolean },
): Promise<Work> {
  const program = await findProgram(tx, programId, lock ? { lock: 'share' } : {})
  const newest = program && (await findNewestRow(tx, programId, actor.userId!))
  if (program && !newest && seesAll(actor))
    throw conflict(messages.training_not_assigned_to_you({ number: program.number }))
  if (!program || !newest) throw notFound('Training program')
  return workOf({ tx }, program, lock ? (await lockAssignment(tx, newest.id))! : newest)
}

/** The assignment as the audit trail names it. */
export const auditFieldsOf = ({ program, assignment, version }: Work) => ({
  program_id: program.id,
  number: program.number,
  title: program.title,
  user_id: assignment.user_id,
  document_version: version?.version ?? null,
})

export async function requirePrerequisites(
  context: Pick<ActionContext<unknown>, 'tx' | 'services'>,
  { program, assignment }: Work,
) {
  const before = await listPrerequisites(context.tx, {
    user_id: assignment.user_id,
    program_id: program.id,
    today: await todayOf(context),
  })
  if (before.length === 0) return
  const prerequisites = before.map(({ number, title }) => `${number} (${title})`)
  throw conflict(messages.training_prerequisites_missing({ number: program.number, prerequisites }))
}
