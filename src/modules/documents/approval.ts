import type { ActionContext, Actor } from '#action'
import { AppError, conflict, forbidden, invalidField } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { type ProvenIdentity, readSettings } from '#modules/accounts'
import { type Signing, sign } from '#modules/signatures'
import {
  type Approval,
  decide,
  fire,
  isSettled,
  listTransitionsFrom,
  nobody,
  type Outcome,
  pendingApproval,
  readTenantFacts,
  settleCounts,
  type TenantFacts,
  type WorkflowDefinition,
  withCounts,
} from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { ApproveBody, TransitionBody } from './approval-schema.ts'
import { authorAndOwner, decidersOf } from './approval-terms.ts'
import { whyNotTrained } from './gate.ts'
import { insertDecision } from './history-queries.ts'
import { takeSteps } from './lifecycle.ts'
import { isRetirement, readyToSign, retire } from './obsolete.ts'
import { lockDocument } from './queries.ts'
import { Document } from './schema.ts'
import { type GatedContext, gatedCommand } from './training-gate.ts'
import {
  finish,
  isStill,
  loadAtWork,
  lockForWork,
  nextRevision,
  participantOf,
  requireReadable,
  signableOf,
  type VersionAtWork,
  type View,
  type Work,
} from './view.ts'

/** What the signatures module signs: the version that is shown, or the one that is named. */
export const findSignable: Signing['findSignable'] = async (tx, actor, documentId, label, { lock }) => {
  if (lock) await lockDocument(tx, documentId)
  const { row, atWork } = await requireReadable(tx, actor, documentId, label)
  return signableOf(atWork.version.id === row.version_id ? atWork : await loadAtWork(tx, row.version_id))
}

export const readSignable: Signing['readSignable'] = async (tx, versionId) =>
  signableOf(await loadAtWork(tx, versionId))

type Refusal = Exclude<Outcome, { ok: true }>
type Granted = Extract<Outcome, { ok: true }>
interface Decision {
  decision: 'approve' | 'reject'
  comment?: string | undefined
}

/** What the state forbids (409) is not an attempt on authority, and leaves no entry. */
export function refusalOf({ status, detail }: Refusal, record: { id: number; number: string }) {
  if (status === 422) return invalidField('comment', detail, 'missing')
  return status === 403 ? forbidden(detail, record) : new AppError(status, detail)
}

/** Why this person decides about no document at all, whatever a workflow says. */
export async function approvalBlockedReason(tx: Tx, actor: Actor): Promise<Refusal | undefined> {
  if (!actor.permissions.has('documents.approve'))
    return { ok: false, status: 403, detail: 'To decide about an approval needs the permission documents.approve' }
  if (actor.role === 'Admin' && !(await readSettings(tx)).admin_may_approve)
    return { ok: false, status: 403, detail: 'Admins may not approve in this company' }
  return undefined
}

/** Who else there is matters to an approval in a fixed order and to a percentage. */
export const needsPeople = (definition: WorkflowDefinition) =>
  definition.transitions.some(({ approval }) => approval?.mode === 'sequential') || !isSettled(definition)

/** What the workflow says to the actor's decision. */
export function answerTo(
  actor: Actor,
  atWork: VersionAtWork,
  { decision, comment }: Decision,
  facts: TenantFacts,
): Outcome {
  const { definition, instance } = atWork
  const counts = isSettled(definition) ? {} : settleCounts(definition, facts, instance.authorId)
  const request = { decision, ...(comment !== undefined && { comment }) }
  return decide(withCounts(definition, counts), instance, participantOf(actor, atWork), request, facts)
}

/** A comment is all that is missing: it is theirs to decide. */
export const canDecide = (outcome: Outcome) => outcome.ok || outcome.status === 422

/** What becomes of the actor's decision: what the workflow says, for those who may decide at all. */
export async function ask(
  { tx, actor, services, training }: Pick<GatedContext, 'tx' | 'actor' | 'services' | 'training'>,
  atWork: VersionAtWork,
  decision: Decision,
): Promise<Outcome> {
  const { definition, version } = atWork
  const refusal = await approvalBlockedReason(tx, actor)
  if (refusal) return refusal
  const lack = await whyNotTrained({ tx, services, training }, actor, version)
  if (lack !== undefined) return { ok: false, status: 403, detail: lack }
  const people = () => readTenantFacts(tx, definition)
  if (needsPeople(definition)) return answerTo(actor, atWork, decision, await people())
  const outcome = answerTo(actor, atWork, decision, nobody)
  // A refusal calls people by their names.
  return outcome.ok ? outcome : answerTo(actor, atWork, decision, await people())
}

const isSigned = ({ definition }: VersionAtWork, { approval }: Granted) =>
  definition.transitions.some(each => each.name === approval?.transition && each.approval?.signature_required)

export const approve = gatedCommand({
  summary: 'Approve or reject a document',
  description:
    'Records the decision about the pending approval, and moves the document by itself once the rules are met. A draft whose only way on is to be submitted is submitted and approved at once.',
  permission: 'documents.approve',
  input: { params: IdParams, body: ApproveBody },
  response: Document,
  // Ahead of the lock, because a password takes longer to check than a lock may be held. Who is refused is refused under it.
  async prepare(context, { params, body: { decision = 'approve', comment, ...identity } }) {
    const { actor, services, training } = context
    const { outcome, atWork } = await context.read(async tx => {
      const { atWork } = await requireReadable(tx, actor, params.id)
      return { atWork, outcome: await ask({ tx, actor, services, training }, atWork, { decision, comment }) }
    })
    return readyToSign(context, atWork, { ...identity, signs: outcome.ok && isSigned(atWork, outcome) })
  },
  async run(context, { params, body: { decision = 'approve', comment } }) {
    const { prepared } = context
    const work = await lockForWork(context, params.id)
    const outcome = await ask(context, work.atWork, { decision, comment })
    if (!outcome.ok) throw refusalOf(outcome, work.document)
    if (!isStill(work.atWork, prepared.read))
      throw conflict(`${work.document.number} was changed while you decided about it: read it again`)
    return settle(context, work, outcome, { decision, comment }, prepared.proof)
  },
})

/** Stores a decision that the workflow accepts, with its signature and all that follows from it. */
async function settle(
  context: GatedContext,
  { document, atWork }: Work,
  { approval, transitions }: Granted,
  {
    decision,
    comment = null as string | null,
  }: { decision: Decision['decision']; comment?: string | null | undefined },
  proof?: ProvenIdentity,
): Promise<Document> {
  const { tx, actor, record } = context
  // Of an approval, the step that its giver takes is the submission, and comes first: it begins the round that is approved in.
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
    concerns: authorAndOwner(at),
    asks: approval ? await nextInTurn(tx, at, approval) : [],
  })
  const steps = transitions.slice(submission.length)
  if (steps.length > 0) await takeSteps(context, document, at, steps, { comment })
  return finish(context, document)
}

/** Of an approval in a fixed order, those whose turn it is then. */
async function nextInTurn(tx: Tx, at: VersionAtWork, approval: Approval): Promise<number[]> {
  const { definition, instance } = at
  if (pendingApproval(definition, instance)?.mode !== 'sequential') return []
  const then = { ...at, instance: { ...instance, approvals: [...instance.approvals, approval] } }
  return decidersOf(then, await readTenantFacts(tx, definition))
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

export const transition = gatedCommand({
  summary: 'Take a transition of the workflow by hand',
  description:
    'Submit, withdraw, reject, cancel, obsolete: whatever the template offers from the state. On a draft beside an effective version, the draft comes first. To take an effective version out of use is signed, with a reason.',
  permission: 'documents.take_part',
  input: { params: IdParams, body: TransitionBody },
  response: Document,
  async prepare(context, { params, body: { transition, comment, revision: _revision, ...identity } }) {
    const { actor } = context
    const { outcome, atWork } = await context.read(async tx => {
      const atWork = await versionFor(tx, await requireReadable(tx, actor, params.id), transition)
      const request = { transition, ...(comment !== undefined && { comment }) }
      return { atWork, outcome: fire(atWork.definition, atWork.instance, participantOf(actor, atWork), request) }
    })
    const signs = outcome.ok && comment !== undefined && isRetirement(atWork, outcome.transitions)
    return readyToSign(context, atWork, { ...identity, signs })
  },
  async run(context, { params, body: { transition, comment } }) {
    const { tx, actor, prepared } = context
    const work = await lockForWork(context, params.id)
    const atWork = await versionFor(tx, work, transition)
    // To reject what awaits approval is a decision, whichever way it comes.
    if (transition === 'reject' && pendingApproval(atWork.definition, atWork.instance)) {
      const outcome = await ask(context, atWork, { decision: 'reject', comment })
      if (!outcome.ok) throw refusalOf(outcome, work.document)
      return settle(context, { ...work, atWork }, outcome, { decision: 'reject', comment })
    }
    const request = { transition, ...(comment !== undefined && { comment }) }
    const outcome = await take(tx, actor, atWork, request)
    if (!outcome.ok) throw refusalOf(outcome, work.document)
    if (isRetirement(atWork, outcome.transitions))
      await retire(context, { ...work, atWork }, outcome.transitions, { comment, ready: prepared })
    else await takeSteps(context, work.document, atWork, outcome.transitions, { comment: comment ?? null })
    return finish(context, work.document)
  },
})

/** What the workflow says to a transition by hand. A refusal calls people by their names. */
async function take(tx: Tx, actor: Actor, atWork: VersionAtWork, request: { transition: string }) {
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
