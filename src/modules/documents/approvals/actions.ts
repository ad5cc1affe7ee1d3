import { type ActionContext, type Actor, command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import type { ProvenIdentity } from '#modules/accounts'
import { sign } from '#modules/signatures'
import { type Approval, fire, listTransitionsFrom, pendingApproval, readTenantFacts } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { Document } from '../core/schema.ts'
import {
  finish,
  isUnchanged,
  loadAtWork,
  lockForWork,
  nextRevision,
  participantOf,
  requireReadable,
  signableOf,
  type VersionAtWork,
  type View,
  type Work,
} from '../core/view.ts'
import { authorAndOwner, currentApprovers } from '../lifecycle/approval-terms.ts'
import { isObsolescence, makeObsolete, prepareSignature } from '../lifecycle/obsolete.ts'
import { takeSteps } from '../lifecycle/steps.ts'
import { messages } from '../messages.ts'
import { type Decision, evaluateDecision, type Granted, refusalOf } from './decision.ts'
import { insertDecision } from './queries.ts'
import { ApproveBody, TransitionBody } from './schema.ts'

const isSigned = ({ definition }: VersionAtWork, { approval }: Granted) =>
  definition.transitions.some(each => each.name === approval?.transition && each.approval?.signature_required)

export const approve = command({
  summary: 'Approve or reject a document',
  description:
    'Records the decision about the pending approval, and takes the next transition once the approval rules are met. A draft that can only be submitted is submitted and approved at once.',
  permission: 'documents.approve',
  input: { params: IdParams, body: ApproveBody },
  response: Document,
  // Checking a password takes longer than a lock may be held, so it is done before. Refusals are decided again under the lock.
  async prepare(context, { params, body: { decision = 'approve', comment, ...identity } }) {
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
    const outcome = await evaluateDecision(context, work.atWork, { decision, comment })
    if (!outcome.ok) throw refusalOf(outcome, work.document)
    if (!isUnchanged(work.atWork, prepared.read))
      throw conflict(messages.document_changed_meanwhile({ number: work.document.number }))
    return storeDecision(context, work, outcome, { decision, comment }, prepared.proof)
  },
})

/** Stores a decision that the workflow accepts, with its signature and the transitions that follow. */
async function storeDecision(
  context: ActionContext<unknown>,
  { document, atWork }: Work,
  { approval, transitions }: Granted,
  {
    decision,
    comment = null as string | null,
  }: { decision: Decision['decision']; comment?: string | null | undefined },
  proof?: ProvenIdentity,
): Promise<Document> {
  const { tx, actor, record } = context
  // A step that the approver takes is the submission. It comes first, because it begins the round of the approval.
  const submission = approval ? transitions.filter(({ trigger }) => trigger === 'user') : []
  const at = submission.length > 0 ? await takeSteps(context, document, atWork, submission, { comment: null }) : atWork
  const { version } = at
  const gate = pendingApproval(at.definition, at.instance)!
  const signature_id =
    approval && gate.signature_required ? await signDecision(context, at, gate, comment, proof) : null
  await insertDecision(tx, {
    document_id: document.id,
    version_id: version.id,
    round: version.round,
    transition: gate.transition,
    rules: [...(approval?.rules ?? [])],
    user_id: actor.userId!,
    decision,
    comment,
    signature_id,
  })
  record(decision === 'approve' ? 'document.approved' : 'document.rejected', document.id, {
    number: document.number,
    after: {
      version: version.version,
      transition: gate.transition,
      decision,
      signature_id,
      revision: nextRevision(document),
    },
    reason: comment,
    notify: authorAndOwner(at),
    assignees: approval ? await nextApprovers(tx, at, approval) : [],
  })
  const steps = transitions.slice(submission.length)
  if (steps.length > 0) await takeSteps(context, document, at, steps, { comment })
  return finish(context, document)
}

/** The people whose turn comes after this approval, where the order is fixed. */
async function nextApprovers(tx: Tx, at: VersionAtWork, approval: Approval): Promise<number[]> {
  const { definition, instance } = at
  if (pendingApproval(definition, instance)?.mode !== 'sequential') return []
  const then = { ...at, instance: { ...instance, approvals: [...instance.approvals, approval] } }
  return currentApprovers(then, await readTenantFacts(tx, definition))
}

function signDecision(
  context: ActionContext<unknown>,
  at: VersionAtWork,
  { signature_type, transition }: { signature_type: string; transition: string },
  comment: string | null,
  proof: ProvenIdentity | undefined,
) {
  if (!proof) throw new Error('a signed approval was let through without a proof of identity')
  const intent = comment ?? `${signature_type} of ${at.version.number}, version ${at.version.version}`
  return sign(context, signableOf(at), {
    signature_type,
    intent,
    occasion: { kind: 'approval', ref: transition },
    proof,
  })
}

export const transition = command({
  summary: 'Take a transition of the workflow',
  description:
    'Submit, withdraw, reject, cancel, obsolete: whichever transitions the workflow offers from the current state. Where a draft stands beside an effective version, the draft comes first. Making an effective version obsolete is signed and needs a reason.',
  permission: 'documents.transition',
  input: { params: IdParams, body: TransitionBody },
  response: Document,
  async prepare(context, { params, body: { transition, comment, revision: _revision, ...identity } }) {
    const { actor } = context
    const { outcome, atWork } = await context.read(async tx => {
      const atWork = await versionFor(tx, await requireReadable(tx, actor, params.id), transition)
      const request = { transition, ...(comment !== undefined && { comment }) }
      return { atWork, outcome: fire(atWork.definition, atWork.instance, participantOf(actor, atWork), request) }
    })
    const signs = outcome.ok && comment !== undefined && isObsolescence(atWork, outcome.transitions)
    return prepareSignature(context, atWork, { ...identity, signs })
  },
  async run(context, { params, body: { transition, comment } }) {
    const { tx, actor, prepared } = context
    const work = await lockForWork(context, params.id)
    const atWork = await versionFor(tx, work, transition)
    // Rejecting a pending approval is a decision, also when it is requested as a transition.
    if (transition === 'reject' && pendingApproval(atWork.definition, atWork.instance)) {
      const outcome = await evaluateDecision(context, atWork, { decision: 'reject', comment })
      if (!outcome.ok) throw refusalOf(outcome, work.document)
      return storeDecision(context, { ...work, atWork }, outcome, { decision: 'reject', comment })
    }
    const request = { transition, ...(comment !== undefined && { comment }) }
    const outcome = await takeTransition(tx, actor, atWork, request)
    if (!outcome.ok) throw refusalOf(outcome, work.document)
    if (isObsolescence(atWork, outcome.transitions))
      await makeObsolete(context, { ...work, atWork }, outcome.transitions, { comment, prepared })
    else await takeSteps(context, work.document, atWork, outcome.transitions, { comment: comment ?? null })
    return finish(context, work.document)
  },
})

/** The outcome of a transition. A refusal names people, so they are read only for it. */
async function takeTransition(tx: Tx, actor: Actor, atWork: VersionAtWork, request: { transition: string }) {
  const { definition, instance } = atWork
  const participant = participantOf(actor, atWork)
  const outcome = fire(definition, instance, participant, request)
  return outcome.ok ? outcome : fire(definition, instance, participant, request, await readTenantFacts(tx, definition))
}

/** The version under way, unless only the effective one beside it has such a transition. */
async function versionFor(tx: Tx, { row, atWork }: View, transition: string): Promise<VersionAtWork> {
  const offers = ({ definition, instance }: VersionAtWork) =>
    listTransitionsFrom(definition, instance.state).some(way => way.transition === transition)
  if (row.version_id === atWork.version.id || offers(atWork)) return atWork
  return loadAtWork(tx, row.version_id)
}
