import { monthsLater } from '#kernel/day.ts'
import { voidWithRound } from '#modules/signatures'
import { advance, findType, pendingApproval, type Step, supersede, waysFrom } from '#modules/workflows'
import { enterState } from './approval-terms.ts'
import { todayOf } from './calendar.ts'
import { insertHistory, type LockedDocument, type Moved, moveVersion, pointTo, voidDecisions } from './queries.ts'
import { noticeOf } from './rules.ts'
import type { GatedContext, TrainedVersion } from './training-gate.ts'
import { loadAtWork, nextRevision, type VersionAtWork } from './view.ts'

type Context = GatedContext

/** What a person said of a step, and what they signed it with. */
interface Said {
  comment: string | null
  signature_id?: number
}
const unsaid: Said = { comment: null }

/**
 * Takes a version through the steps that the engine decided, with all that follows from each: the round, its voided approvals,
 * the history, the automatic steps behind it, and the version that a newer effective one replaces. The caller holds the
 * document's lock.
 */
export async function takeSteps(
  context: Context,
  document: LockedDocument,
  atWork: VersionAtWork,
  steps: readonly Step[],
  said: Said,
): Promise<VersionAtWork> {
  let at = atWork
  for (const step of steps) at = await takeStep(context, document, at, step, said)
  return release(context, document, at)
}

/** Takes the steps that a version takes by itself, as far as its date is reached and its training complete. */
export async function release(
  context: Context,
  document: LockedDocument,
  atWork: VersionAtWork,
): Promise<VersionAtWork> {
  if (!waits(atWork)) return atWork
  const { effective_date } = atWork.version
  const facts = {
    effective_date_reached: effective_date === null || effective_date <= (await todayOf(context)),
    training_complete: await isTrained(context, atWork),
  }
  let at = atWork
  for (const step of advance(at.definition, at.instance.state, facts))
    at = await takeStep(context, document, at, step, unsaid)
  return at
}

const waits = ({ definition, instance }: VersionAtWork) =>
  waysFrom(definition, instance.state).some(
    ({ trigger }) => trigger === 'on_effective_date' || trigger === 'on_training_complete',
  )

const trained = ({ version }: VersionAtWork): TrainedVersion => ({
  document_id: version.document_id,
  version_id: version.id,
})

async function isTrained({ tx, training }: Context, atWork: VersionAtWork) {
  const type = await findType(tx, atWork.version.document_type_id)
  return type?.training_gate !== 'before_effective' || training.isComplete(tx, trained(atWork))
}

async function takeStep(
  context: Context,
  document: LockedDocument,
  atWork: VersionAtWork,
  step: Step,
  { comment, signature_id }: Said,
): Promise<VersionAtWork> {
  const { tx, record, training } = context
  const { version } = atWork
  const moved = await whatMoves(context, atWork, step)
  const next = stateAfter(atWork, step, moved)
  if (step.voids_round) await voidRound(context, version, step, comment)
  // First the old version, then the new one: two are never effective, not even within the transaction.
  if (step.kind_of_to === 'effective') await replaceEffective(context, document, version.id)
  await moveVersion(tx, version.id, step.from, moved)
  await keepPointers(context, document, version, step)
  const { at, asks, concerns } = await enterState(context, next, step, { fromFirst: version.status_kind === 'initial' })
  await insertHistory(tx, {
    document_id: document.id,
    version_id: version.id,
    round: moved.round,
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
    },
    after: {
      status: step.to,
      effective_date: next.version.effective_date,
      approval_due_date: at.version.approval_due_date,
      version: version.version,
      transition: step.transition,
      trigger: step.trigger,
      ...(signature_id !== undefined && { signature_id }),
      revision: nextRevision(document),
    },
    reason: comment,
    concerns,
    asks,
  })
  if (moved.approved_at) await training.released(context, trained(next), 'approved')
  if (moved.effective_at) await training.released(context, trained(next), 'effective')
  return at
}

/** The approvals of the round count no more, and neither do the signatures that they were given with. */
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

const isSubmission = ({ version }: VersionAtWork, step: Step) =>
  version.status_kind === 'initial' && step.kind_of_to === 'review'

/** A submission begins a round, in which no approval is given yet. */
function stateAfter(atWork: VersionAtWork, step: Step, { effective_date, round, is_waiting }: Moved): VersionAtWork {
  const { version, definition, instance } = atWork
  const begins = step.voids_round || isSubmission(atWork, step)
  return {
    version: {
      ...version,
      round,
      status: step.to,
      status_kind: step.kind_of_to,
      is_waiting,
      effective_date: effective_date === undefined ? version.effective_date : effective_date,
    },
    definition,
    instance: { ...instance, state: step.to, round, approvals: begins ? [] : instance.approvals },
  }
}

async function whatMoves(context: Context, atWork: VersionAtWork, step: Step): Promise<Moved> {
  const { version, definition, instance } = atWork
  const now = context.services.clock.now().toISOString()
  const after = { ...atWork, instance: { ...instance, state: step.to } }
  const moved: Moved = {
    status: step.to,
    status_kind: step.kind_of_to,
    round: version.round,
    is_waiting: waits(after),
  }
  if (isSubmission(atWork, step)) {
    moved.round += 1
    moved.submitted_at = now
  }
  const isApproved =
    step.trigger === 'automatic' &&
    pendingApproval(definition, instance) !== undefined &&
    pendingApproval(definition, after.instance) === undefined
  if (step.voids_round) moved.approved_at = null
  else if (isApproved) moved.approved_at = now
  if (step.kind_of_to === 'effective' && version.status_kind !== 'effective') {
    const [type, today] = [await findType(context.tx, version.document_type_id), await todayOf(context)]
    moved.effective_at = now
    // The day on which people could work by it, which is later than the one that was planned where nothing ran that day.
    moved.effective_date = today
    const due = type?.review_period_months ? monthsLater(today, type.review_period_months) : null
    moved.review_due_date = due
    moved.review_notice_on = due && noticeOf(due, today)
  }
  if (step.kind_of_to !== 'effective' && version.status_kind === 'effective') {
    moved.review_due_date = null
    moved.review_notice_on = null
    moved.needs_revision = false
  }
  // What was never effective was so on no day.
  if (step.kind_of_to === 'final' && version.status_kind !== 'effective') moved.effective_date = null
  return moved
}

/** Which version is effective, and which is the newest: one that was given up beside an effective version is not. */
async function keepPointers(
  { tx }: Context,
  document: LockedDocument,
  { id, status_kind }: VersionAtWork['version'],
  step: Step,
) {
  if (step.kind_of_to === 'effective') await pointTo(tx, document.id, { effective_version_id: id })
  else if (status_kind === 'effective') await pointTo(tx, document.id, { effective_version_id: null })
  else if (step.kind_of_to === 'final' && document.effective_version_id !== null)
    await pointTo(tx, document.id, { latest_version_id: document.effective_version_id })
}

async function replaceEffective(context: Context, document: LockedDocument, newId: number) {
  const { effective_version_id } = document
  if (effective_version_id === null || effective_version_id === newId) return
  const old = await loadAtWork(context.tx, effective_version_id)
  const step = supersede(old.definition, old.version.status)
  if (!step) throw new Error(`version ${old.version.version} of ${document.number} has no way to be superseded`)
  await takeStep(context, document, old, step, unsaid)
}

/** What a draft becomes when a newer file takes its place before it was ever effective: kept, with its approvals voided. */
export const replaceDraft = (context: Context, document: LockedDocument, atWork: VersionAtWork, comment: string) =>
  takeStep(
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

/** Back to the first state, because what is under approval changed: the round's approvals count no more. */
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
