import type { ActionContext } from '#action'
import type { Check } from '#action/allowed.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { requireTransition } from '#kernel/machine.ts'
import { todayOf } from '#modules/accounts'
import { type AssignmentRow, findNewestRow, lockAssignment } from '../assignments/queries.ts'
import { listPrerequisites } from '../curricula/people-queries.ts'
import { messages } from '../messages.ts'
import { findProgram, type ProgramRow, type Quiz, seesAll } from '../programs/queries.ts'
import { quizOf } from '../programs/view.ts'
import { type TrainingTransition, trainingMachine } from '../rules.ts'
import { findOpening, findReadVersion, type Opening, type ReadVersion } from './queries.ts'

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

export const storedOpening = ({ opened_at, opened_version_id }: Opening) => ({ opened_at, opened_version_id })

async function requireOpened({ tx }: Pick<ActionContext<unknown>, 'tx'>, { program, assignment, version }: Work) {
  if (!program.requires_opening || !version || (await findOpening(tx, assignment.id))) return
  const { number, document_id } = program
  throw conflict(messages.training_document_not_opened({ number, version: version.version, document_id: document_id! }))
}

async function requirePrerequisites(
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

function requireReadVersion({ program, version }: Work, document_version: string | undefined) {
  if (program.type !== 'read_and_understand') return
  const { number } = program
  if (!version) throw conflict(messages.training_version_not_effective_yet({ number }))
  const about = { number, version: version.version }
  if (!version.counts)
    throw conflict(
      version.effective
        ? messages.training_version_superseded({ ...about, effective_version: version.effective })
        : messages.training_version_ended(about),
    )
  if (document_version !== undefined && document_version !== version.version)
    throw conflict(messages.training_version_changed(about))
}

/** The conditions under which the transition is possible now. The result of a quiz is not known yet. */
export function checksOf(
  context: Pick<ActionContext<unknown>, 'tx' | 'services'>,
  work: Work,
  { from, to, guards }: Pick<TrainingTransition, 'from' | 'to' | 'guards'>,
  { document_version }: { document_version?: string } = {},
): Check[] {
  const { number } = work.program
  const { status } = work.assignment
  return [
    () => {
      if (!from.includes(status)) requireTransition(trainingMachine, number, { from: status, to })
    },
    ...(guards.includes('prerequisites_are_done') ? [() => requirePrerequisites(context, work)] : []),
    ...(guards.includes('read_version_is_in_force') ? [() => requireReadVersion(work, document_version)] : []),
    ...(guards.includes('document_was_opened') ? [() => requireOpened(context, work)] : []),
  ]
}
