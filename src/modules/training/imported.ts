// Training of before that a migration imports: completed, and without a signature of Attest.
import type { ActionContext } from '#action'
import { monthsLater } from '#kernel/day.ts'
import { renewalOn } from './assignments/rules.ts'
import { addCurriculum } from './curricula/actions.ts'
import { findProgramByTitle, type ImportedCompletion, insertImportedCompletions } from './imported-queries.ts'
import { findProgram, findReading, insertProgram, lockOfDocument } from './programs/queries.ts'
import { takeProgramNumber } from './programs/reading.ts'
import { recordedOf } from './programs/view.ts'
import { programDefaults, type TrainingType } from './rules.ts'

/** The types of training that no document has. */
export const importedTrainingTypes = ['classroom', 'on_the_job'] as const satisfies readonly TrainingType[]

interface ImportedProgram {
  id: number
  number: string
  title: string
  valid_months: number | null
}

async function addProgram(
  { tx, record }: ActionContext<unknown>,
  { title, type, document_id }: { title: string; type: TrainingType; document_id: number | null },
  from: object,
): Promise<ImportedProgram> {
  const number = await takeProgramNumber({ tx })
  const fields = {
    ...{ title, type, document_id, description: '', due_days: programDefaults.due_days, valid_months: null },
    ...{ requires_verification: false, requires_opening: false },
  } as const
  const { id } = await insertProgram(tx, { ...fields, number, quiz_version: null })
  record('training_program.created', id, {
    number,
    after: { ...recordedOf({ ...fields, status: 'active' }, undefined), revision: 1, ...from },
  })
  return { id, number, title, valid_months: null }
}

/** The reading of a document, made if there is none: whoever imports it need not be able to read it. */
export async function importedReading(
  context: ActionContext<unknown>,
  document: { id: number; number: string; title: string },
  from: object,
): Promise<ImportedProgram> {
  const { tx } = context
  await lockOfDocument(tx, document.id)
  const there = await findReading(tx, document.id)
  if (there) return (await findProgram(tx, there.id))!
  const title = `${document.number}: ${document.title}`.slice(0, 500)
  return addProgram(context, { title, type: 'read_and_understand', document_id: document.id }, from)
}

/** The program with this title, made if there is none. */
export async function importedProgram(
  context: ActionContext<unknown>,
  { title, type }: { title: string; type: (typeof importedTrainingTypes)[number] },
  from: object,
): Promise<ImportedProgram> {
  const there = await findProgramByTitle(context.tx, title, [...importedTrainingTypes, 'quiz'])
  return there ?? addProgram(context, { title, type, document_id: null }, from)
}

interface Completion {
  program: ImportedProgram
  user: { id: number; username: string }
  read: { document_id: number; number: string; version_id: number; version: string } | null
  completed_on: string
  /** Null: as the program has it. */
  valid_until: string | null
  score: number | null
  trainer: string | null
  counts: boolean
  migration_batch_id: number
  from: object
}

/** Answers the ids of the assignments, in the order of the completions. */
export async function addImportedCompletions(
  { tx, record }: ActionContext<unknown>,
  completions: readonly Completion[],
  { today, time_zone }: { today: string; time_zone: string },
): Promise<number[]> {
  const rows = completions.map(({ program, user, read, completed_on, valid_until, ...each }): ImportedCompletion => {
    const until =
      valid_until ?? (program.valid_months === null ? null : monthsLater(completed_on, program.valid_months))
    return {
      ...{ program_id: program.id, user_id: user.id, program_title: program.title, completed_on, valid_until: until },
      ...{ document_id: read?.document_id ?? null, version_id: read?.version_id ?? null, score: each.score },
      // A validity that is over renews nothing by itself.
      notice_on: until !== null && each.counts && until > today ? renewalOn(today, until) : null,
      ...{ counts: each.counts, migration_batch_id: each.migration_batch_id },
    }
  })
  const ids = await insertImportedCompletions(tx, rows, time_zone)
  for (const [i, id] of ids.entries()) {
    const { program, user, read, trainer, counts, from } = completions[i]!
    const { completed_on, valid_until, score, program_title } = rows[i]!
    record('training_assignment.migrated', id, {
      number: program.number,
      after: {
        ...{ status: 'completed', program: program.number, title: program_title, user: user.username },
        ...{ document: read?.number ?? null, document_version: read?.version ?? null, completed_on, valid_until },
        ...{ due_date: completed_on, score, trainer, counts, revision: 1, ...from },
      },
    })
  }
  return ids
}

export const addImportedCurriculum = addCurriculum
