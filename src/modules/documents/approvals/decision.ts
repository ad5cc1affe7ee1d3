// Whether a person may decide about a pending approval, by their permissions, their training and the workflow.
import type { ActionContext, Actor } from '#action'
import { AppError, forbidden, invalidField } from '#kernel/errors.ts'
import { readSettings } from '#modules/accounts'
import {
  decide,
  isSettled,
  nobody,
  type Outcome,
  readTenantFacts,
  settleCounts,
  type TenantFacts,
  type WorkflowDefinition,
  withCounts,
} from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { untrainedReason } from '../core/gate.ts'
import { participantOf, type VersionAtWork } from '../core/view.ts'
import { messages } from '../messages.ts'

type Refusal = Exclude<Outcome, { ok: true }>
export type Granted = Extract<Outcome, { ok: true }>
export interface Decision {
  decision: 'approve' | 'reject'
  comment?: string | undefined
}

/** Only a 403 names the record for the audit trail: a wrong state (409) is not an attempt beyond one's authority. */
export function refusalOf({ status, message }: Refusal, record: { id: number; number: string }) {
  if (status === 422) return invalidField('comment', message)
  return status === 403 ? forbidden(message, record) : new AppError(status, message)
}

/** Why this person may not decide about any document, whatever its workflow allows. */
export async function approvalBlockedReason(tx: Tx, actor: Actor): Promise<Refusal | undefined> {
  if (!actor.permissions.has('documents.approve'))
    return { ok: false, status: 403, message: messages.document_approval_permission_required() }
  if (actor.role === 'Admin' && !(await readSettings(tx)).admin_may_approve)
    return { ok: false, status: 403, message: messages.document_admin_may_not_approve() }
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
  const counts = isSettled(definition) ? {} : settleCounts(definition, facts, instance.authorId)
  const request = { decision, ...(comment !== undefined && { comment }) }
  return decide(withCounts(definition, counts), instance, participantOf(actor, atWork), request, facts)
}

/** A missing comment (422) does not take the decision from a person: they can add it. */
export const canDecide = (outcome: Outcome) => outcome.ok || outcome.status === 422

/** The outcome of the actor's decision by their permissions, the training gate and the workflow. */
export async function evaluateDecision(
  { tx, actor, services }: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  atWork: VersionAtWork,
  decision: Decision,
): Promise<Outcome> {
  const { definition, version } = atWork
  const refusal = await approvalBlockedReason(tx, actor)
  if (refusal) return refusal
  const untrained = await untrainedReason({ tx, services }, actor, version)
  if (untrained) return { ok: false, status: 403, message: untrained }
  const people = () => readTenantFacts(tx, definition)
  if (needsPeople(definition)) return decideByWorkflow(actor, atWork, decision, await people())
  const outcome = decideByWorkflow(actor, atWork, decision, nobody)
  // A refusal names people, so they are read only for it.
  return outcome.ok ? outcome : decideByWorkflow(actor, atWork, decision, await people())
}
