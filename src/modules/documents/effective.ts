import { Type } from 'typebox'
import type { ActionContext } from '#action'
import { type ClockTask, clockTask, type DueContext } from '#action/clock-task.ts'
import { conflict, forbidden, invalidField, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { listReached, planEffectiveDate } from './effective-queries.ts'
import { isEnough } from './gate.ts'
import { release } from './lifecycle.ts'
import { messages } from './messages.ts'
import { type LockedDocument, lockDocument, updateDocument } from './queries.ts'
import { isUnderWay } from './rules.ts'
import { type GatedContext, gatedCommand, type TrainingGate } from './training-gate.ts'
import { loadAtWork, nextRevision, type VersionAtWork } from './view.ts'

/** DOC-04: a day that is over cannot be planned any more; today is as soon as the version is approved. */
export async function requireDayAhead(context: ActionContext<unknown>, day: string | null | undefined) {
  if (!day) return
  const today = await todayOf(context)
  if (day < today) throw invalidField('effective_date', messages.document_day_past({ today }))
}

/**
 * Sets when a version becomes effective, or with null that it does as soon as it is approved. It is no part of what was signed, so
 * that the approvals of the round stay; but from the submission on it is decided by whom the permission names. Whether anything
 * was to be set. The caller holds the document's lock.
 */
export async function setEffectiveDate(
  context: GatedContext,
  document: LockedDocument,
  atWork: VersionAtWork,
  day: string | null,
  { isFirst, reason }: { isFirst: boolean; reason: string | null },
): Promise<boolean> {
  const { tx, actor, record } = context
  const { version } = atWork
  if (day === version.effective_date) return false
  const named = { version: version.version, status: version.status }
  if (!isUnderWay(version.status_kind)) throw conflict(messages.document_effective_date_fixed(named))
  if (!isFirst && !actor.permissions.has('documents.make_effective'))
    throw forbidden(messages.document_effective_date_permission_required(named), document)
  await requireDayAhead(context, day)
  await planEffectiveDate(tx, version.id, day)
  record('document.effective_date_set', document.id, {
    number: document.number,
    before: { effective_date: version.effective_date },
    after: { effective_date: day, version: version.version, revision: nextRevision(document) },
    reason,
    concerns: [...new Set([version.owner_id, version.created_by])],
  })
  await release(context, document, { ...atWork, version: { ...version, effective_date: day } })
  return true
}

/** Releases the version under way as far as its date and its training allow; whether it moved. The caller counts the revision. */
async function releaseLatest(context: GatedContext, document: LockedDocument): Promise<boolean> {
  const atWork = await loadAtWork(context.tx, document.latest_version_id!)
  const { version } = await release(context, document, atWork)
  return version.status !== atWork.version.status
}

/** What happens by itself on the day; by the system, which needs no reader's sight. */
const makeEffective = gatedCommand({
  summary: 'Make a version effective whose day has come',
  permission: 'documents.make_effective',
  input: { params: IdParams },
  response: Type.Null(),
  async run(context, { params }) {
    const document = await lockDocument(context.tx, params.id)
    if (!document) throw notFound('Document')
    if (!(await releaseLatest(context, document))) throw conflict(messages.document_not_due({ number: document.number }))
    await updateDocument(context.tx, document.id)
    return null
  },
})

const most_at_once = 100

/** Those that only wait for training are passed over: they are released when it is complete. */
async function documentsDue({ services, read }: DueContext, training: TrainingGate) {
  return read(async tx => {
    const due: { params: { id: number } }[] = []
    const today = await todayOf({ tx, services })
    for (const version of await listReached(tx, today)) {
      const isDue =
        version.gate !== 'before_effective' ||
        isEnough(await training.progress(tx, { ...version, today }), version.threshold)
      if (isDue) due.push({ params: { id: version.document_id } })
      if (due.length === most_at_once) break
    }
    return due
  })
}

export const makeEffectiveOnDay = (training: TrainingGate): ClockTask =>
  clockTask({
    name: 'documents.make_effective',
    every_minutes: 1,
    due: context => documentsDue(context, training),
    action: makeEffective(training),
  })

/**
 * Called by the module of training, within its command, when the last of those who must know a version has completed its training:
 * releases the version where its day has come. Answers whether it did.
 */
export async function trainingCompleted(context: GatedContext, documentId: number): Promise<boolean> {
  const document = await lockDocument(context.tx, documentId)
  if (!document) throw notFound('Document')
  const isReleased = await releaseLatest(context, document)
  if (isReleased) await updateDocument(context.tx, document.id)
  return isReleased
}
