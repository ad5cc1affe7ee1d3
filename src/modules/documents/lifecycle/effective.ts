import { Type } from 'typebox'
import { type ActionContext, command } from '#action'
import { conflict, forbidden, invalidField, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { forEachDue, type Schedule, type TenantRound } from '#modules/jobs'
import { isEnough } from '../core/gate.ts'
import { type LockedDocument, lockDocument, updateDocument } from '../core/queries.ts'
import { isUnderWay } from '../core/rules.ts'
import { loadAtWork, nextRevision, type Work } from '../core/view.ts'
import { messages } from '../messages.ts'
import { applyPlan } from './apply.ts'
import { makePlan } from './facts.ts'
import { isWaiting, planRelease } from './plan.ts'
import { listDueVersions, planEffectiveDate } from './queries.ts'

/** DOC-04: a past day cannot be planned; today means as soon as the version is approved. */
export async function requireDayAhead(context: ActionContext<unknown>, day: string | null | undefined) {
  if (!day) return
  const today = await todayOf(context)
  if (day < today) throw invalidField('effective_date', messages.document_day_past({ today }))
}

/**
 * Sets when a version becomes effective; null means as soon as it is approved. The date is not part of what was signed, so the
 * approvals of the round stay, but from the submission on changing it needs a permission. Returns whether the date changed. The caller
 * holds the document's lock.
 */
export async function setEffectiveDate(
  context: ActionContext<unknown>,
  { document, atWork }: Pick<Work, 'document' | 'atWork'>,
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
    notify: [...new Set([version.owner_id, version.created_by])],
  })
  await release(context, { document, atWork: { ...atWork, version: { ...version, effective_date: day } } })
  return true
}

/** Releases a version as far as its date and training allow, and returns whether it moved. */
async function release(context: ActionContext<unknown>, work: Pick<Work, 'document' | 'atWork'>): Promise<boolean> {
  if (!isWaiting(work.atWork)) return false
  const plan = await makePlan(context, work, planRelease)
  await applyPlan(context, work.document, plan)
  return plan.effects.length > 0
}

/** Releases the version under way. The caller counts the revision. */
const releaseLatest = async (context: ActionContext<unknown>, document: LockedDocument): Promise<boolean> =>
  release(context, { document, atWork: await loadAtWork(context.tx, document.latest_version_id!) })

/** Taken by the system on the effective date, so no reader's permissions apply. */
const makeEffective = command({
  summary: 'Make a version effective on its effective date',
  permission: 'documents.make_effective',
  input: { params: IdParams },
  response: Type.Null(),
  async run(context, { params }) {
    const document = await lockDocument(context.tx, params.id)
    if (!document) throw notFound('Document')
    if (!(await releaseLatest(context, document)))
      throw conflict(messages.document_not_due({ number: document.number }))
    await updateDocument(context.tx, document.id)
    return null
  },
})

const maxPerRun = 100

/** Versions that wait only for training are skipped: they are released when it is complete. */
async function documentsDue({ services, read }: TenantRound) {
  return read(async tx => {
    const due: { params: { id: number } }[] = []
    const today = await todayOf({ tx, services })
    for (const version of await listDueVersions(tx, today)) {
      const isDue =
        version.gate !== 'before_effective' ||
        isEnough(await services.training.progress(tx, { ...version, today }), version.threshold)
      if (isDue) due.push({ params: { id: version.document_id } })
      if (due.length === maxPerRun) break
    }
    return due
  })
}

export const makeEffectiveOnDay: Schedule = {
  name: 'documents.make_effective',
  every_minutes: 1,
  round: forEachDue({ where: { task: 'documents.make_effective' }, due: documentsDue, action: makeEffective }),
}

/**
 * Called by the training module, within its command, when enough people have completed the training of a version: releases the version
 * if its effective date has come. Returns whether it did.
 */
export async function trainingCompleted(context: ActionContext<unknown>, documentId: number): Promise<boolean> {
  const document = await lockDocument(context.tx, documentId)
  if (!document) throw notFound('Document')
  const isReleased = await releaseLatest(context, document)
  if (isReleased) await updateDocument(context.tx, document.id)
  return isReleased
}
