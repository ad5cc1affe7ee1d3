// The plan of a decision about a pending approval: a pure function, as those of the transitions that it leads to.
import { type Approval, pendingApproval, type TenantFacts, withdrawApproval } from '#modules/workflows'
import { nextRevision, participantOf, signableOf, type VersionAtWork } from '../core/view.ts'
import { authorAndOwner, currentApprovers } from '../lifecycle/approval-terms.ts'
import {
  type Effect,
  emptyPlan,
  type Facts,
  type Plan,
  planSteps,
  type Refusal,
  submissionRefusal,
} from '../lifecycle/plan.ts'
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
  const refusal = submissionRefusal(facts, submission, comment)
  if (refusal) return refusal
  const isForAnother = atWork.version.created_by !== actor.userId
  const submitted = planSteps(facts, emptyPlan(facts), submission, { comment: isForAnother ? comment : null })
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
      on_behalf_of_id: actor.standsInFor?.userId ?? null,
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
  const decided = [...(isSigned ? [signingOf(at, gate, actor.userId!, comment)] : []), stored]
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

/** An approval is taken back, with its signature. The version returns to its step, if it has left it. */
export function planWithdrawal(
  facts: Facts & { sources: ReadonlyMap<string, string> },
  reason: string,
): Plan | Refusal {
  const { actor, atWork, document, people, sources } = facts
  const { version, definition, instance } = atWork
  const outcome = withdrawApproval(definition, instance, participantOf(actor, atWork), sources, people)
  if (!outcome.ok) return outcome
  const gone = (each: { transition: string; userId: number }) =>
    version.approvals.find(({ transition, user }) => transition === each.transition && user.id === each.userId)!
  const own = gone(outcome.approval)
  const later = outcome.later.map(gone)
  const voided = [own, ...later]
  const signing: Effect[] =
    own.signature_id === null
      ? []
      : [
          {
            kind: 'sign',
            signable: signableOf(atWork),
            signature_type: 'withdrawal',
            intent: reason,
            occasion: { kind: 'approval_withdrawal', ref: String(own.signature_id) },
          },
        ]
  const withdrawing: Effect = {
    kind: 'withdraw_approval',
    id: own.id,
    later: later.map(({ id }) => id),
    signature_ids: voided.flatMap(({ signature_id }) => signature_id ?? []),
    event: 'document.approval_withdrawn',
    after: { version: version.version, transition: own.transition, revision: nextRevision(document) },
    reason,
    notify: [...new Set([...authorAndOwner(atWork), ...later.map(({ user }) => user.id)])],
    assignees: [],
  }
  const at = {
    ...atWork,
    version: { ...version, approvals: version.approvals.filter(each => !voided.includes(each)) },
    instance: {
      ...instance,
      approvals: instance.approvals.filter(each => each !== outcome.approval && !outcome.later.includes(each)),
    },
  }
  const plan: Plan = { ok: true, at, effects: [...signing, withdrawing] }
  return planSteps(facts, plan, outcome.transitions, { comment: reason, is_signed: signing.length > 0 })
}

const withApproval = (at: VersionAtWork, approval: Approval): VersionAtWork => ({
  ...at,
  instance: { ...at.instance, approvals: [...at.instance.approvals, approval] },
})

/** What an approver signs who does not comment. */
export const intentOf = ({ version }: VersionAtWork, signature_type: string) =>
  `${signature_type} of ${version.number}, version ${version.version}`

const signingOf = (
  at: VersionAtWork,
  { signature_type, transition }: { signature_type: string; transition: string },
  userId: number,
  comment: string | null,
): Effect => ({
  kind: 'sign',
  signable: signableOf(at),
  signature_type,
  intent: comment ?? intentOf(at, signature_type),
  occasion: { kind: 'approval', ref: occasionOf(at, transition, userId) },
})

/** A person signs an occasion once, so an approval after one that was taken back names the signature that it replaces. */
function occasionOf({ version }: VersionAtWork, transition: string, userId: number) {
  const before = version.voided_approvals.findLast(each => each.transition === transition && each.user_id === userId)
  return before ? `${transition}/${before.signature_id}` : transition
}
