// The plan of a decision about a pending approval: a pure function, as those of the transitions that it leads to.
import { type Approval, pendingApproval, type TenantFacts } from '#modules/workflows'
import { nextRevision, signableOf, type VersionAtWork } from '../core/view.ts'
import { authorAndOwner, currentApprovers } from '../lifecycle/approval-terms.ts'
import { type Effect, emptyPlan, type Facts, type Plan, planSteps, type Refusal } from '../lifecycle/plan.ts'
import { type Decision, decideByWorkflow } from './decision.ts'

/** `blocked`: why the person may not decide about the document, whatever its workflow allows. */
export type DecisionFacts = Facts & { blocked: Refusal | undefined }

/** The decision with its signature, and the transitions that the workflow takes by it. */
export function planDecision(facts: DecisionFacts, request: Decision): Plan | Refusal {
  const { actor, atWork, document, people } = facts
  const { decision, comment = null } = request
  const outcome = facts.blocked ?? decideByWorkflow(actor, atWork, request, people)
  if (!outcome.ok) return outcome
  const { approval, transitions } = outcome
  // A step that the approver takes is the submission. It comes first, because it begins the round of the approval.
  const submission = approval ? transitions.filter(({ trigger }) => trigger === 'user') : []
  const submitted = planSteps(facts, emptyPlan(facts), submission, { comment: null })
  const { at } = submitted
  const gate = pendingApproval(at.definition, at.instance)!
  const stored: Effect = {
    kind: 'store_decision',
    decision: {
      document_id: document.id,
      version_id: at.version.id,
      round: at.version.round,
      transition: gate.transition,
      rules: [...(approval?.rules ?? [])],
      user_id: actor.userId!,
      decision,
      comment,
    },
    event: decision === 'approve' ? 'document.approved' : 'document.rejected',
    after: { version: at.version.version, transition: gate.transition, decision, revision: nextRevision(document) },
    reason: comment,
    notify: authorAndOwner(at),
    assignees: approval ? nextApprovers(at, approval, people) : [],
  }
  const isSigned = approval !== undefined && gate.signature_required
  const decided = [...(isSigned ? [signingOf(at, gate, comment)] : []), stored]
  const plan = {
    ...submitted,
    at: approval ? withApproval(at, approval) : at,
    effects: [...submitted.effects, ...decided],
  }
  const steps = transitions.slice(submission.length)
  return steps.length > 0 ? planSteps(facts, plan, steps, { comment }) : plan
}

/** The people whose turn comes after this approval, where the order is fixed. */
function nextApprovers(at: VersionAtWork, approval: Approval, people: TenantFacts): number[] {
  const { definition, instance } = at
  if (pendingApproval(definition, instance)?.mode !== 'sequential') return []
  return currentApprovers(withApproval(at, approval), people)
}

const withApproval = (at: VersionAtWork, approval: Approval): VersionAtWork => ({
  ...at,
  instance: { ...at.instance, approvals: [...at.instance.approvals, approval] },
})

const signingOf = (
  at: VersionAtWork,
  { signature_type, transition }: { signature_type: string; transition: string },
  comment: string | null,
): Effect => ({
  kind: 'sign',
  signable: signableOf(at),
  signature_type,
  intent: comment ?? `${signature_type} of ${at.version.number}, version ${at.version.version}`,
  occasion: { kind: 'approval', ref: transition },
})
