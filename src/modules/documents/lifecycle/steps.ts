import type { ActionContext } from '#action'
import { todayOf } from '#modules/accounts'
import { voidWithRound } from '#modules/signatures'
import { advance, type Step, supersede } from '#modules/workflows'
import { isEnough, trained } from '../core/gate.ts'
import { findGate } from '../core/gate-queries.ts'
import { findOnceEffective, type LockedDocument, updatePointers } from '../core/queries.ts'
import { updateVersionState } from '../core/version-queries.ts'
import { loadAtWork, nextRevision, type VersionAtWork } from '../core/view.ts'
import { enterState } from './approval-terms.ts'
import { insertHistory, voidDecisions } from './queries.ts'
import { changesOfStep, isWaiting, stateAfter } from './step-changes.ts'

type Context = ActionContext<unknown>

/** The comment on a step, and the signature that it was taken with. */
interface StepNote {
  comment: string | null
  signature_id?: number
}
const noNote: StepNote = { comment: null }

/**
 * Takes a version through the steps that the engine decided, with their consequences: the round, its voided approvals, the history,
 * the automatic steps that follow, and the version that a newer effective one supersedes. The caller holds the document's lock.
 */
export async function takeSteps(
  context: Context,
  document: LockedDocument,
  atWork: VersionAtWork,
  steps: readonly Step[],
  note: StepNote,
): Promise<VersionAtWork> {
  let at = atWork
  for (const step of steps) {
    const { version } = at
    at = await takeStep(context, document, at, step, note)
    if (step.kind_of_to === 'final') await context.services.training.released(context, trained(version), 'ended')
  }
  return release(context, document, at)
}

/** Takes the automatic steps of a version, as far as its effective date is reached and its training complete. */
export async function release(
  context: Context,
  document: LockedDocument,
  atWork: VersionAtWork,
): Promise<VersionAtWork> {
  if (!isWaiting(atWork)) return atWork
  const { effective_date } = atWork.version
  const facts = {
    effective_date_reached: effective_date === null || effective_date <= (await todayOf(context)),
    training_complete: await isTrained(context, atWork),
  }
  let at = atWork
  for (const step of advance(at.definition, at.instance.state, facts))
    at = await takeStep(context, document, at, step, noNote)
  return at
}

async function isTrained(context: Context, { version }: VersionAtWork) {
  const { tx, services } = context
  const { gate, threshold } = await findGate(tx, version.document_id)
  return (
    gate !== 'before_effective' ||
    isEnough(await services.training.progress(tx, { ...trained(version), today: await todayOf(context) }), threshold)
  )
}

async function takeStep(
  context: Context,
  document: LockedDocument,
  atWork: VersionAtWork,
  step: Step,
  { comment, signature_id }: StepNote,
): Promise<VersionAtWork> {
  const { tx, services, record } = context
  const { version } = atWork
  const changes = await changesOfStep(context, atWork, step)
  const next = stateAfter(atWork, step, changes)
  if (step.voids_round) await voidRound(context, version, step, comment)
  // First the old version, then the new one: two are never effective, not even within the transaction.
  if (step.kind_of_to === 'effective') await replaceEffective(context, document, version.id)
  await updateVersionState(tx, version.id, step.from, changes)
  await movePointers(context, document, version, step)
  const { at, assignees, notify } = await enterState(context, next, step, {
    fromFirst: version.status_kind === 'initial',
  })
  await insertHistory(tx, {
    document_id: document.id,
    version_id: version.id,
    round: changes.round,
    transition: step.transition,
    from_status: step.from,
    to_status: step.to,
    trigger: step.trigger,
    comment,
    ...(signature_id !== undefined && { signature_id }),
  })
  record('document.state_changed', document.id, {
    number: document.number,
    before: {
      status: step.from,
      effective_date: version.effective_date,
      approval_due_date: version.approval_due_date,
      review_due_date: version.review_due_date,
    },
    after: {
      status: step.to,
      effective_date: next.version.effective_date,
      approval_due_date: at.version.approval_due_date,
      review_due_date: changes.review_due_date === undefined ? version.review_due_date : changes.review_due_date,
      version: version.version,
      transition: step.transition,
      trigger: step.trigger,
      ...(signature_id !== undefined && { signature_id }),
      revision: nextRevision(document),
    },
    reason: comment,
    notify,
    assignees,
  })
  if (changes.approved_at) await services.training.released(context, trained(version), 'approved')
  if (changes.effective_at) await services.training.released(context, trained(version), 'effective')
  return at
}

/** Voids the approvals of the round and their signatures. */
async function voidRound(
  context: Context,
  { id, number, round }: VersionAtWork['version'],
  { transition }: Step,
  comment: string | null,
) {
  const ids = await voidDecisions(context.tx, id)
  const reason = `Round ${round} was ended by ${transition}${comment ? `: ${comment}` : ''}`
  await voidWithRound(context, { number, ids, reason })
}

/** Keeps the effective and the newest version of the document: after a cancelled one, the last effective version is the newest. */
async function movePointers(
  { tx }: Context,
  document: LockedDocument,
  { id, status_kind }: VersionAtWork['version'],
  step: Step,
) {
  if (step.kind_of_to === 'effective') await updatePointers(tx, document.id, { effective_version_id: id })
  else if (status_kind === 'effective') await updatePointers(tx, document.id, { effective_version_id: null })
  else if (step.kind_of_to === 'final') {
    const latest = await findOnceEffective(tx, document.id)
    if (latest) await updatePointers(tx, document.id, { latest_version_id: latest.id })
  }
}

async function replaceEffective(context: Context, document: LockedDocument, newId: number) {
  const { effective_version_id } = document
  if (effective_version_id === null || effective_version_id === newId) return
  const old = await loadAtWork(context.tx, effective_version_id)
  const step = supersede(old.definition, old.version.status)
  if (!step) throw new Error(`version ${old.version.version} of ${document.number} has no way to be superseded`)
  await takeStep(context, document, old, step, noNote)
}

/** Supersedes a draft that a newer file replaces before it was ever effective: it is kept, with its approvals voided. */
export async function replaceDraft(context: Context, document: LockedDocument, atWork: VersionAtWork, comment: string) {
  await takeStep(
    context,
    document,
    atWork,
    {
      transition: 'replaced',
      from: atWork.version.status,
      to: 'superseded',
      trigger: 'automatic',
      voids_round: true,
      kind_of_to: 'final',
    },
    { comment },
  )
  await context.services.training.released(context, trained(atWork.version), 'replaced')
}

/** Returns a version to draft because its content changed under approval, which voids the approvals of the round. */
export const returnToDraft = (
  context: Context,
  document: LockedDocument,
  atWork: VersionAtWork,
  comment: string | null,
) =>
  takeStep(
    context,
    document,
    atWork,
    {
      transition: 'content_changed',
      from: atWork.version.status,
      to: atWork.definition.states.find(({ kind }) => kind === 'initial')!.name,
      trigger: 'automatic',
      voids_round: true,
      kind_of_to: 'initial',
    },
    { comment },
  )
