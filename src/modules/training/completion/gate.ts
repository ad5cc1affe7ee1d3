// The training gates of documents and signatures (TRN-04), and the release of a version that waits for its training.
import type { ActionContext } from '#action'
import { todayOf } from '#modules/accounts'
import { lockDocument, type TrainingGate, trainingCompleted } from '#modules/documents'
import { areAssignmentsCurrent, updateAssignments } from '../assigning/release.ts'
import { findReading } from '../programs/queries.ts'
import {
  countProgress,
  findWaiting,
  hasReaders,
  isReader,
  listLacking,
  listReadable,
  listRestricted,
} from './gate-queries.ts'

export const trainingGate: TrainingGate = {
  async progress(tx, version) {
    const counts = await countProgress(tx, version)
    return { ...counts, is_assigned: await areAssignmentsCurrent(tx, version.document_id) }
  },
  hasReaders,
  async mayRead(tx, userId, version) {
    if (await isReader(tx, userId, version)) return true
    const reading = await findReading(tx, version.document_id)
    return { training: reading?.number ?? null }
  },
  async lacking(tx, at) {
    const lacks = new Map<number, string[]>()
    for (const { user_id, program } of await listLacking(tx, at))
      lacks.set(user_id, [...(lacks.get(user_id) ?? []), program])
    return lacks
  },
  released: (context, { document_id }) => updateAssignments(context, document_id),
}

/** The documents with gate `before_access` whose content this person may know because of their training. */
export async function restrictedDocumentsOf(
  context: Pick<ActionContext<unknown>, 'tx' | 'services'>,
  userId: number,
): Promise<number[]> {
  const documents = await listRestricted(context.tx, userId)
  return documents.length === 0 ? [] : listReadable(context.tx, userId, documents, await todayOf(context))
}

/**
 * Called before a command locks a program, if its completion may be the last that a version waits for: a document is locked before its
 * programs and assignments. The command calls the answered function at its end, which releases the version once its day has come.
 */
export async function lockWaitingVersion(
  context: ActionContext<unknown>,
  programId: number | undefined,
): Promise<() => Promise<void>> {
  const waiting = programId === undefined ? undefined : await findWaiting(context.tx, programId)
  if (!waiting) return async () => {}
  await lockDocument(context.tx, waiting.document_id)
  return async () => {
    await trainingCompleted(context, waiting.document_id)
  }
}
