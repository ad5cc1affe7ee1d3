// Retraining: readers are assigned each version that they have to read again, and open assignments move to the version to read.
import type { ActionContext } from '#action'
import { daysLater } from '#kernel/day.ts'
import { holding, todayOf } from '#modules/accounts'
import { versionToRead } from '#modules/documents'
import { startJob, steppedJob } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { maxAtOnce, noticeAfter } from '../assignments/rules.ts'
import { endOpen } from '../assignments/waive.ts'
import { findProgram, findReading, lockOfDocument, type ProgramRow } from '../programs/queries.ts'
import { assignPeople } from './people.ts'
import {
  countOutdatedReaders,
  findImpact,
  isUnderWay,
  listOutdatedReaders,
  lockOpen,
  moveOpen,
  type OutdatedReader,
  type Target,
} from './release-queries.ts'

const able = (tx: Tx) => holding(tx, 'training.complete', 'u')

async function targetOf(tx: Tx, program_id: number, document_id: number): Promise<Target> {
  const version = await versionToRead(tx, document_id)
  return { program_id, document_id, version, is_under_way: !version && (await isUnderWay(tx, document_id)) }
}

/** True if nobody's assignment is behind the version to read. */
export async function areAssignmentsCurrent(tx: Tx, documentId: number): Promise<boolean> {
  const reading = await findReading(tx, documentId)
  if (!reading) return true
  return (await listOutdatedReaders(tx, await targetOf(tx, reading.id, documentId), await able(tx), 1)).length === 0
}

/**
 * After a change of a version: open assignments move to the version to read now, people who have to read it again are assigned it, and
 * open assignments of a document that is no longer in use are cancelled. Many people are left to a job, queued in the same transaction.
 * The caller holds the document's lock.
 */
export async function updateAssignments(context: ActionContext<unknown>, documentId: number) {
  const { tx } = context
  const reading = await findReading(tx, documentId)
  if (!reading) return
  const total = await countOutdatedReaders(tx, await targetOf(tx, reading.id, documentId), await able(tx))
  if (total > maxAtOnce) await startJob(context, releaseJob, { input: { program_id: reading.id }, total })
  if (total === 0 || total > maxAtOnce) return
  const program = (await findProgram(tx, reading.id, { lock: 'share' }))!
  for (let round = 0; round < maxRounds; round++) if ((await updateSome(context, program)).found === 0) return
}

/** A person can complete an assignment while its move waits for the lock, and then needs the new version: the next round finds them. */
const maxRounds = 3

/** Each step looks up the version to read, so that a newer version that overtakes the job is the one that people get. */
export const releaseJob = steppedJob<{ program_id: number }, { idle: number }>({
  name: 'training.release',
  async step(context, { input: { program_id }, state: { idle = 0 } }) {
    const program = await findProgram(context.tx, program_id)
    if (program?.status !== 'active') return { state: { idle }, done: 0, skipped: 0, isOver: true }
    await lockOfDocument(context.tx, program.document_id!)
    const { found, done } = await updateSome(context, program)
    const rounds = done === 0 ? idle + 1 : 0
    return { state: { idle: rounds }, done, skipped: 0, isOver: found === 0 || rounds === maxRounds }
  },
})

async function updateSome(context: ActionContext<unknown>, program: ProgramRow) {
  const { tx } = context
  const target = await targetOf(tx, program.id, program.document_id!)
  const some = await listOutdatedReaders(tx, target, await able(tx), maxAtOnce)
  const moved = await moveOrCancel(context, program, target, some)
  const source_id = target.version?.id
  const lacking = some.filter(({ assignment_id }) => assignment_id === null).map(({ user_id }) => user_id)
  if (lacking.length === 0 || source_id === undefined) return { found: some.length, done: moved }
  const { assigned } = await assignPeople(context, program, lacking, { source: 'document_release', source_id })
  return { found: some.length, done: moved + assigned.length }
}

async function moveOrCancel(
  context: ActionContext<unknown>,
  program: ProgramRow,
  target: Target,
  some: readonly OutdatedReader[],
): Promise<number> {
  const { tx, record } = context
  const ids = some.flatMap(({ assignment_id }) => assignment_id ?? [])
  if (ids.length === 0) return 0
  const { version, is_under_way } = target
  if (!version && !is_under_way)
    return endOpen(context, ids, 'cancelled', 'The document is no longer in use and has no version to read')
  const today = await todayOf(context)
  // A version without training impact keeps the due dates.
  const needsReading = version !== undefined && (await findImpact(tx, version.id)) !== 'none'
  const open = await lockOpen(tx, ids)
  const fresh = daysLater(today, program.due_days)
  const dueOf = (due_date: string) => (needsReading && due_date < fresh ? fresh : due_date)
  await moveOpen(
    tx,
    version?.id ?? null,
    open.map(({ id, due_date }) => ({ id, due_date: dueOf(due_date), notice_on: noticeAfter(today, dueOf(due_date)) })),
  )
  for (const { id, user_id, due_date, version: before, revision } of open)
    record('training_assignment.moved', id, {
      number: program.number,
      before: { document_version: before, due_date, revision },
      after: {
        program_id: program.id,
        number: program.number,
        title: program.title,
        user_id,
        document_version: version?.version ?? null,
        due_date: dueOf(due_date),
        revision: revision + 1,
      },
      notify: needsReading ? [user_id] : [],
    })
  return open.length
}
