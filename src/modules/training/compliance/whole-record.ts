import type { ActionContext, PrepareContext } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { todayOf } from '#modules/accounts'
import { findAssignment } from '../assignments/queries.ts'
import { messages } from '../messages.ts'
import { maxEntriesOfPdf, requireTrainee } from './record.ts'
import { countRecordEntries, findMark, listAttempts, listRecordEntries } from './record-queries.ts'
import type { RecordEntry } from './record-schema.ts'

/** All training of a person, or one assignment. */
export type WholeRecordOf = { user_id: number } | { assignment_id: number }
type Reading = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

/** The person, for whoever may read the record, and a mark that is another one after each change of it. */
export async function requireTrainingRecord({ tx, actor, services }: Reading, of: WholeRecordOf) {
  if ('user_id' in of) {
    const trainee = await requireTrainee(tx, actor, of.user_id)
    return { trainee, number: trainee.username, mark: await findMark(tx, trainee.id, undefined) }
  }
  const assignment = await findAssignment(tx, of.assignment_id, await todayOf({ tx, services }))
  if (!assignment || !(assignment.user.id === actor.userId || actor.permissions.has('training.read_all')))
    throw notFound('Training assignment')
  const trainee = await requireTrainee(tx, actor, assignment.user.id)
  return { trainee, number: assignment.number, mark: await findMark(tx, trainee.id, of.assignment_id) }
}

const entriesAtOnce = 200

/** The entries of the record in the order of their assignment, and the answers of their quizzes. */
export async function readTrainingRecord({ read, actor, services }: PrepareContext, of: WholeRecordOf) {
  const filter = 'assignment_id' in of ? { assignment_id: of.assignment_id } : {}
  const { trainee, mark, today, total } = await read(async tx => {
    const found = await requireTrainingRecord({ tx, actor, services }, of)
    const today = await todayOf({ tx, services })
    return { ...found, today, total: await countRecordEntries(tx, found.trainee.id, filter, today) }
  })
  if (total > maxEntriesOfPdf) throw conflict(messages.training_dossier_too_large({ maximum: maxEntriesOfPdf }))
  const entries: RecordEntry[] = []
  const attempts: Awaited<ReturnType<typeof listAttempts>> = []
  for (let offset = 0; offset < total; offset += entriesAtOnce)
    await read(async tx => {
      const sort = { field: 'assigned_at', direction: 'asc' } as const
      const part = await listRecordEntries(tx, trainee.id, filter, today, sort, { limit: entriesAtOnce, offset })
      entries.push(...part)
      const ids = part.map(({ assignment_id }) => assignment_id)
      attempts.push(...(await listAttempts(tx, ids)))
    })
  return { trainee, mark, entries, attempts }
}
