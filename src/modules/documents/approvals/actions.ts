import { type ActionContext, command } from '#action'
import { conflict, forbidden } from '#kernel/errors.ts'
import { reasonOf } from '#kernel/message.ts'
import { IdParams } from '#kernel/schema.ts'
import { requireApprover } from '#modules/accounts'
import { fire, listTransitionsFrom, pendingApproval } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { idleGateReason } from '../core/gate.ts'
import { Document } from '../core/schema.ts'
import {
  finish,
  isUnchanged,
  loadAtWork,
  lockForWork,
  participantOf,
  requireReadable,
  type VersionAtWork,
  type View,
  type Work,
} from '../core/view.ts'
import { applyPlan } from '../lifecycle/apply.ts'
import { makePlan } from '../lifecycle/facts.ts'
import { isObsolescence, type Plan, planTransition, requirePlan } from '../lifecycle/plan.ts'
import { prepareSignature } from '../lifecycle/prepare.ts'
import { listSources } from '../lifecycle/queries.ts'
import { messages } from '../messages.ts'
import { type Decision, decisionBlockedReason, evaluateDecision, type Granted } from './decision.ts'
import { planDecision, planWithdrawal } from './plan.ts'
import { ApproveBody, MovedDocument, TransitionBody, WithdrawApprovalBody } from './schema.ts'

const isSigned = ({ definition }: VersionAtWork, { approval }: Granted) =>
  definition.transitions.some(each => each.name === approval?.transition && each.approval?.signature_required)

/** Plans a decision by what holds under the lock, or refuses it. */
async function requireDecision(context: ActionContext<unknown>, { document, atWork }: Work, decision: Decision) {
  const blocked = await decisionBlockedReason(context, atWork)
  const plan = await makePlan(context, { document, atWork }, facts => planDecision({ ...facts, blocked }, decision))
  return requirePlan(plan, document)
}

/** The version still is what the person read who proved their identity. */
function requireUnchanged({ document, atWork }: Work, { read }: { read: Parameters<typeof isUnchanged>[1] }) {
  if (!isUnchanged(atWork, read)) throw conflict(messages.document_changed_meanwhile({ number: document.number }))
}

/** The answer says at a submission if the training gate waits for nobody. */
async function moved(context: ActionContext<unknown>, { document, atWork }: Work, { at }: Plan) {
  const isSubmitted = atWork.version.status_kind === 'initial' && at.version.status_kind === 'review'
  const idle = isSubmitted ? await idleGateReason(context, document) : undefined
  return { ...(await finish(context, document)), warnings: idle ? [reasonOf(idle)] : [] }
}

export const approve = command({
  summary: 'Approve or reject a document',
  description:
    'Records the decision about the pending approval, and takes the next transition once the approval rules are met. A draft that can only be submitted is submitted and approved at once.',
  permission: 'documents.approve',
  byDeputy: 'approvals',
  input: { params: IdParams, body: ApproveBody },
  response: MovedDocument,
  // Checking a password takes longer than a lock may be held, so it is done before. Refusals are decided again under the lock.
  async prepare(context, { params, body: { decision = 'approve', comment, on_behalf_of: _person, ...identity } }) {
    const { actor, services } = context
    const { outcome, atWork } = await context.read(async tx => {
      const { atWork } = await requireReadable(tx, actor, params.id)
      return {
        atWork,
        outcome: await evaluateDecision({ tx, actor, services }, atWork, { decision, comment }),
      }
    })
    return prepareSignature(context, atWork, { ...identity, signs: outcome.ok && isSigned(atWork, outcome) })
  },
  async run(context, { params, body: { decision = 'approve', comment } }) {
    const { prepared } = context
    const work = await lockForWork(context, params.id)
    const plan = await requireDecision(context, work, { decision, comment })
    requireUnchanged(work, prepared)
    await applyPlan(context, work.document, plan, prepared.proof)
    return moved(context, work, plan)
  },
})

export const withdrawOwnApproval = command({
  summary: 'Take back your own approval',
  description:
    'Takes back your newest approval while the version awaits an approval. It no longer counts, and its signature is void. If the step was complete, the version returns to it, and approvals of later steps no longer count. Taking back a signed approval is signed.',
  permission: 'documents.approve',
  input: { params: IdParams, body: WithdrawApprovalBody },
  response: Document,
  async prepare(context, { params, body: { reason: _reason, revision: _revision, ...identity } }) {
    const { actor } = context
    const { atWork } = await context.read(tx => requireReadable(tx, actor, params.id))
    const signs =
      pendingApproval(atWork.definition, atWork.instance) !== undefined &&
      atWork.version.approvals.findLast(({ user }) => user.id === actor.userId)?.signature_id != null
    return prepareSignature(context, atWork, { ...identity, signs })
  },
  async run(context, { params, body: { reason } }) {
    const { tx, prepared } = context
    const work = await lockForWork(context, params.id)
    const sources = await listSources(tx, work.atWork.version)
    const plan = requirePlan(
      await makePlan(context, work, facts => planWithdrawal({ ...facts, sources }, reason)),
      work.document,
    )
    requireUnchanged(work, prepared)
    await applyPlan(context, work.document, plan, prepared.proof)
    return finish(context, work.document)
  },
})

export const transition = command({
  summary: 'Take a transition of the workflow',
  description:
    'Submit, withdraw, reject, cancel, obsolete: whichever transitions the workflow offers from the current state. Where a draft stands beside an effective version, the draft comes first. A deputy (`on_behalf_of`) rejects what awaits the approval of the person, and takes no other transition for them. Making an effective version obsolete is signed and needs a reason.',
  permission: 'documents.transition',
  byDeputy: 'approvals',
  input: { params: IdParams, body: TransitionBody },
  response: MovedDocument,
  async prepare(
    context,
    { params, body: { transition, comment, revision: _revision, on_behalf_of: _person, ...identity } },
  ) {
    const { actor } = context
    const { atWork, signs } = await context.read(async tx => {
      const atWork = await versionFor(tx, await requireReadable(tx, actor, params.id), transition)
      const request = { transition, ...(comment !== undefined && { comment }) }
      const outcome = fire(atWork.definition, atWork.instance, participantOf(actor, atWork), request)
      const signs = outcome.ok && comment !== undefined && isObsolescence(atWork, outcome.transitions)
      if (signs) await requireApprover(tx, actor, { id: params.id, number: atWork.version.number })
      return { atWork, signs }
    })
    return prepareSignature(context, atWork, { ...identity, signs })
  },
  async run(context, { params, body: { transition, comment } }) {
    const { prepared } = context
    const found = await lockForWork(context, params.id)
    const work = { ...found, atWork: await versionFor(context.tx, found, transition) }
    const { document, atWork } = work
    // Rejecting a pending approval is a decision, also when it is requested as a transition.
    const isDecision = transition === 'reject' && pendingApproval(atWork.definition, atWork.instance)
    if (context.actor.standsInFor && !isDecision)
      throw forbidden(messages.transition_for_oneself({ number: document.number }), {
        id: document.id,
        number: document.number,
      })
    const plan = isDecision
      ? await requireDecision(context, work, { decision: 'reject', comment })
      : requirePlan(await makePlan(context, work, facts => planTransition(facts, { transition, comment })), document)
    if (plan.effects.some(({ kind }) => kind === 'sign')) {
      await requireApprover(context.tx, context.actor, document)
      requireUnchanged(work, prepared)
    }
    await applyPlan(context, document, plan, prepared.proof)
    return moved(context, work, plan)
  },
})

/** The version under way, unless only the effective one beside it has such a transition. */
async function versionFor(tx: Tx, { row, atWork }: View, transition: string): Promise<VersionAtWork> {
  const offers = ({ definition, instance }: VersionAtWork) =>
    listTransitionsFrom(definition, instance.state).some(way => way.transition === transition)
  if (row.version_id === atWork.version.id || offers(atWork)) return atWork
  return loadAtWork(tx, row.version_id)
}
