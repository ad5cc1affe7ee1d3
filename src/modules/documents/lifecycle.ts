import type { ActionContext } from '#action'
import {
  type Approval,
  advance,
  findDefinition,
  findType,
  pendingApproval,
  type Step,
  supersede,
} from '#modules/workflows'
import { findVersion, insertHistory, type Moved, moveVersion, updateDocument, voidDecisions } from './queries.ts'
import { monthsLater } from './rules.ts'
import type { VersionAtWork } from './view.ts'

/**
 * Takes a version through the steps that the engine decided, with all that follows from each: the round, its voided approvals,
 * the history, the automatic steps behind it, and the version that a newer effective one replaces. The caller holds the
 * document's lock.
 */
export async function takeSteps(
  context: ActionContext<unknown>,
  atWork: VersionAtWork,
  steps: readonly Step[],
  comment: string | null,
) {
  let at = atWork
  for (const step of steps) at = await takeStep(context, at, step, comment)
  // Training gates and later effective dates have nothing to hold back yet: see the modules that bring them.
  for (const step of advance(at.definition, at.instance.state, {
    effective_date_reached: true,
    training_complete: true,
  }))
    at = await takeStep(context, at, step, null)
  return at
}

async function takeStep(
  context: ActionContext<unknown>,
  { version, definition, instance }: VersionAtWork,
  step: Step,
  comment: string | null,
): Promise<VersionAtWork> {
  const { tx, actor, record, services } = context
  const now = services.clock.now()
  const moment = now.toISOString()
  const isSubmission = version.status_kind === 'initial' && step.kind_of_to === 'review'
  const round = isSubmission ? version.round + 1 : version.round
  if (step.voids_round) await voidDecisions(tx, version.id)
  const approvals: readonly Approval[] = step.voids_round || isSubmission ? [] : instance.approvals
  const state: VersionAtWork = {
    version: { ...version, round, status: step.to, status_kind: step.kind_of_to },
    definition,
    instance: { ...instance, state: step.to, approvals },
  }

  const moved: Moved = { status: step.to, status_kind: step.kind_of_to, round }
  if (isSubmission) moved.submitted_at = moment
  if (step.voids_round) moved.approved_at = null
  else if (
    pendingApproval(definition, instance) &&
    step.trigger === 'automatic' &&
    !pendingApproval(definition, state.instance)
  )
    moved.approved_at = moment
  if (step.kind_of_to === 'effective') {
    const type = await findType(tx, version.document_type_id)
    await replaceEffective(context, version.document_id, version.id)
    moved.effective_at = moment
    moved.review_due_date = type?.review_period_months ? monthsLater(now, type.review_period_months) : null
  }
  await moveVersion(tx, version.id, step.from, moved)
  if (step.kind_of_to === 'effective')
    await updateDocument(tx, version.document_id, { effective_version_id: version.id, updated_by: actor.userId })
  else if (version.status_kind === 'effective')
    await updateDocument(tx, version.document_id, { effective_version_id: null, updated_by: actor.userId })
  await insertHistory(tx, {
    document_id: version.document_id,
    version_id: version.id,
    round,
    transition: step.transition,
    from_status: step.from,
    to_status: step.to,
    trigger: step.trigger,
    comment,
  })
  record('document.state_changed', version.document_id, {
    number: version.number,
    before: { version: version.version, status: step.from },
    after: { version: version.version, status: step.to, transition: step.transition, trigger: step.trigger },
    reason: comment,
  })
  return state
}

/** Before the new version is effective, the old one is no longer: never two of them, not even within the transaction. */
async function replaceEffective(context: ActionContext<unknown>, documentId: number, exceptId: number) {
  const { tx } = context
  const document = await tx
    .selectFrom('documents')
    .select('effective_version_id')
    .where('id', '=', documentId)
    .executeTakeFirstOrThrow()
  if (document.effective_version_id === null || document.effective_version_id === exceptId) return
  const old = await findVersion(tx, document.effective_version_id)
  const definition = await findDefinition(tx, old.workflow_template_id, old.workflow_template_version)
  const step = definition && supersede(definition, old.status)
  if (!step) throw new Error(`version ${old.version} of ${old.number} has no way to be superseded`)
  await takeStep(
    context,
    { version: old, definition, instance: { state: old.status, authorId: old.created_by, approvals: [] } },
    step,
    null,
  )
}

/** What a draft becomes when a newer file takes its place before it was ever effective: kept, with its voided approvals, out of the way. */
export async function replaceDraft(context: ActionContext<unknown>, { version }: VersionAtWork, comment: string) {
  const { tx, record } = context
  await voidDecisions(tx, version.id)
  await moveVersion(tx, version.id, version.status, { status: 'superseded', status_kind: 'final' })
  await insertHistory(tx, {
    document_id: version.document_id,
    version_id: version.id,
    round: version.round,
    transition: 'replaced',
    from_status: version.status,
    to_status: 'superseded',
    trigger: 'automatic',
    comment,
  })
  record('document.state_changed', version.document_id, {
    number: version.number,
    before: { version: version.version, status: version.status },
    after: { version: version.version, status: 'superseded', transition: 'replaced', trigger: 'automatic' },
    reason: comment,
  })
}

/** Back to the first state, because what is under approval changed: the round's approvals count no more. */
export async function returnToDraft(
  context: ActionContext<unknown>,
  { version, definition }: VersionAtWork,
  comment: string | null,
) {
  const initial = definition.states.find(({ kind }) => kind === 'initial')!
  const step: Step = {
    transition: 'content_changed',
    from: version.status,
    to: initial.name,
    trigger: 'automatic',
    voids_round: true,
    kind_of_to: 'initial',
  }
  await takeStep(
    context,
    { version, definition, instance: { state: version.status, authorId: version.created_by, approvals: [] } },
    step,
    comment,
  )
}
