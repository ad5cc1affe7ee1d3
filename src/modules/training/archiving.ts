import { sql } from 'kysely'
import type { ActionContext } from '#action'
import { conflict, invalidField } from '#kernel/errors.ts'
import { jobKind, startJob } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { most_at_once } from './assign-rules.ts'
import { findProgram, listOpen } from './program-queries.ts'
import { endOpen } from './waive.ts'

interface Archived {
  program: { id: number; number: string }
  /** To how many people it is assigned and open. */
  open: number
}

/** Who decides about the documents of such a type could not be trained any more (21 CFR 11.10(i)). */
export async function refuseNamedByType(tx: Tx, { id, number }: Archived['program']) {
  const type = await tx
    .selectFrom('document_types')
    .select('name')
    .where(sql<boolean>`${id} = any(signing_program_ids)`)
    .where('is_active', '=', true)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (type)
    throw conflict(
      `${number} is the training of those who decide about the document type ${type.name}: change that first`,
    )
}

/** What of a program is open when it is archived is cancelled with it: at once, or of many people by a job that goes on after the answer. */
export async function cancelOpen(
  context: ActionContext<unknown>,
  { program, open }: Archived,
  { cancel_open, change_reason: reason }: { cancel_open?: boolean; change_reason?: string },
) {
  if (open === 0) return
  const people = open === 1 ? 'one person who has' : `${open} people who have`
  if (!cancel_open)
    throw conflict(`${program.number} is assigned to ${people} not completed it: with cancel_open that is cancelled`)
  if (reason === undefined) throw invalidField('change_reason', 'is required where something is cancelled', 'missing')
  const input = { program_id: program.id, reason }
  if (open > most_at_once) await startJob(context, 'training.cancel_open', { input, total: open })
  else await endOpen(context, await listOpen(context.tx, program.id, most_at_once), 'cancelled', reason)
}

/** While the program is archived nobody is assigned it, so that what is open only grows less; taken into use again it keeps the rest. */
export const cancelOpenJob = jobKind<{ program_id: number; reason: string }, object>({
  kind: 'training.cancel_open',
  async step(context, { input: { program_id, reason } }) {
    const program = await findProgram(context.tx, program_id, { lock: 'share' })
    if (program?.status !== 'archived') return { state: {}, done: 0, skipped: 0, isOver: true }
    const ids = await listOpen(context.tx, program_id, most_at_once)
    const done = await endOpen(context, ids, 'cancelled', reason)
    return { state: {}, done, skipped: 0, isOver: ids.length < most_at_once }
  },
})
