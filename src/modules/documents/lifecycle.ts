import type { ActionContext } from '#action'
import { advance, findType, pendingApproval, type Step, supersede } from '#modules/workflows'
import { insertHistory, type LockedDocument, type Moved, moveVersion, pointTo, voidDecisions } from './queries.ts'
import { monthsLater } from './rules.ts'
import { loadAtWork, nextRevision, type VersionAtWork } from './view.ts'

type Context = ActionContext<unknown>

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
  comment: string | null,
): Promise<VersionAtWork> {
  let at = atWork
  for (const step of steps) at = await takeStep(context, document, at, step, comment)
  // No date and no training gate can be set yet, so nothing holds an automatic step back.
  const facts = { effective_date_reached: true, training_complete: true }
  for (const step of advance(at.definition, at.instance.state, facts))
    at = await takeStep(context, document, at, step, null)
  return at
}

async function takeStep(
  context: Context,
  document: LockedDocument,
  atWork: VersionAtWork,
  step: Step,
  comment: string | null,
): Promise<VersionAtWork> {
  const { tx, record } = context
  const { version } = atWork
  const next = stateAfter(atWork, step)
  if (step.voids_round) await voidDecisions(tx, version.id)
  // First the old version, then the new one: two are never effective, not even within the transaction.
  if (step.kind_of_to === 'effective') await replaceEffective(context, document, version.id)
  await moveVersion(tx, version.id, step.from, await whatMoves(context, atWork, next, step))
  await keepPointers(context, document, version, step)
  await insertHistory(tx, {
    document_id: document.id,
    version_id: version.id,
    round: next.version.round,
    transition: step.transition,
    from_status: step.from,
    to_status: step.to,
    trigger: step.trigger,
    comment,
  })
  record('document.state_changed', document.id, {
    number: document.number,
    before: { status: step.from },
    after: {
      status: step.to,
      version: version.version,
      transition: step.transition,
      trigger: step.trigger,
      revision: nextRevision(document),
    },
    reason: comment,
  })
  return next
}

const isSubmission = ({ version }: VersionAtWork, step: Step) =>
  version.status_kind === 'initial' && step.kind_of_to === 'review'

/** A submission begins a round, in which no approval is given yet. */
function stateAfter(atWork: VersionAtWork, step: Step): VersionAtWork {
  const { version, definition, instance } = atWork
  const submits = isSubmission(atWork, step)
  return {
    version: {
      ...version,
      round: submits ? version.round + 1 : version.round,
      status: step.to,
      status_kind: step.kind_of_to,
    },
    definition,
    instance: { ...instance, state: step.to, approvals: step.voids_round || submits ? [] : instance.approvals },
  }
}

async function whatMoves(
  { tx, services }: Context,
  atWork: VersionAtWork,
  { version, definition, instance }: VersionAtWork,
  step: Step,
): Promise<Moved> {
  const now = services.clock.now()
  const moved: Moved = { status: step.to, status_kind: step.kind_of_to, round: version.round }
  if (isSubmission(atWork, step)) moved.submitted_at = now.toISOString()
  const isApproved =
    step.trigger === 'automatic' &&
    pendingApproval(atWork.definition, atWork.instance) !== undefined &&
    pendingApproval(definition, instance) === undefined
  if (step.voids_round) moved.approved_at = null
  else if (isApproved) moved.approved_at = now.toISOString()
  if (step.kind_of_to === 'effective') {
    const type = await findType(tx, version.document_type_id)
    moved.effective_at = now.toISOString()
    moved.review_due_date = type?.review_period_months ? monthsLater(now, type.review_period_months) : null
  }
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
  await takeStep(context, document, old, step, null)
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
    comment,
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
    comment,
  )
