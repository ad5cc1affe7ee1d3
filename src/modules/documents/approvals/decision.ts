// Whether a person may decide about a pending approval, by their permissions, their training and the workflow.
import type { ActionContext, Actor } from '#action'
import { messages as shared } from '#kernel/messages.ts'
import { mayApprove, readSettings } from '#modules/accounts'
import {
  decide,
  decideFor,
  isSettled,
  type Outcome,
  settleCounts,
  type TenantFacts,
  type WorkflowDefinition,
  withCounts,
  withPeople,
} from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { untrainedReason } from '../core/gate.ts'
import { participantOf, type VersionAtWork } from '../core/view.ts'
import type { Refusal } from '../lifecycle/plan.ts'
import { messages } from '../messages.ts'

export type Granted = Extract<Outcome, { ok: true }>
export interface Decision {
  decision: 'approve' | 'reject'
  comment?: string | undefined
}

/** Why this person may not decide about any document, whatever its workflow allows. */
export async function approvalBlockedReason(tx: Tx, actor: Actor): Promise<Refusal | undefined> {
  if (!actor.permissions.has('documents.approve'))
    return { ok: false, status: 403, message: messages.document_approval_permission_required() }
  if (!mayApprove(await readSettings(tx), actor))
    return { ok: false, status: 403, message: shared.admin_may_not_approve() }
  return undefined
}

/** An approval in a fixed order or by percentage depends on the other people of the tenant, so these must be read. */
export const needsPeople = (definition: WorkflowDefinition) =>
  definition.transitions.some(({ approval }) => approval?.mode === 'sequential') || !isSettled(definition)

/** The outcome of the actor's decision by the rules of the workflow alone. */
export function decideByWorkflow(
  actor: Actor,
  atWork: VersionAtWork,
  { decision, comment }: Decision,
  facts: TenantFacts,
): Outcome {
  const { definition, instance } = atWork
  const counts = isSettled(definition) ? {} : settleCounts(definition, facts, instance)
  const request = { decision, ...(comment !== undefined && { comment }) }
  const participant = participantOf(actor, atWork)
  if (!actor.standsInFor) return decide(withCounts(definition, counts), instance, participant, request, facts)
  const parties = { deputy: participant, person: facts.participantOf!(actor.standsInFor.userId) }
  return decideFor(withCounts(definition, counts), instance, parties, request, facts)
}

/** A missing comment (422) does not take the decision from a person: they can add it. */
export const canDecide = (outcome: Outcome) => outcome.ok || outcome.status === 422

/** Why this person may not decide about this document, whatever its workflow allows. */
export async function decisionBlockedReason(asking: Asking, { version }: VersionAtWork): Promise<Refusal | undefined> {
  const refusal = await approvalBlockedReason(asking.tx, asking.actor)
  if (refusal) return refusal
  const message = await untrainedReason(asking, asking.actor, version)
  return message && { ok: false, status: 403, message }
}
type Asking = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

/** The outcome of the actor's decision by their permissions, the training gate and the workflow. */
export const evaluateDecision = async (asking: Asking, atWork: VersionAtWork, decision: Decision): Promise<Outcome> =>
  (await decisionBlockedReason(asking, atWork)) ??
  withPeople(asking.tx, atWork.definition, people => decideByWorkflow(asking.actor, atWork, decision, people))
