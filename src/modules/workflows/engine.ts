// The workflow engine (DOC-05): decides by pure functions which transitions a person or an event may take. Callers lock the version,
// decide here, and store the result.
import {
  approvalsOf,
  barredFrom,
  canDecide,
  gateFrom,
  namingRules,
  neededLater,
  pendingRules,
  placesOf,
} from './approvers.ts'
import {
  type GatedTransition,
  isGated,
  reachableFrom,
  type StateKind,
  sourcesOf,
  type Transition,
  type Trigger,
  transitionsFrom,
  triggerOf,
  type WorkflowDefinition,
} from './definition.ts'
import { delegate } from './delegate.ts'
import { describeRule, describeRules, describeTrigger, type Names } from './describe.ts'
import { excludedContributors } from './exclusions.ts'
import {
  type Approval,
  holds,
  type Instance,
  nobody,
  type Outcome,
  type Participant,
  type Refusal,
  refuse,
  type Step,
  type TenantFacts,
  type VersionFacts,
} from './instance.ts'
import { messages } from './messages.ts'

interface Way {
  transition: string
  to: string
  trigger: Trigger
  permission?: string
  comment_required: boolean
}

function kindOf(definition: WorkflowDefinition, name: string): StateKind {
  const state = definition.states.find(each => each.name === name)
  if (!state) throw new Error(`The workflow has no state ${name}`)
  return state.kind
}

export const listTransitionsFrom = (definition: WorkflowDefinition, state: string): Way[] =>
  transitionsFrom(definition, state).map(transition => ({
    transition: transition.name,
    to: transition.to,
    trigger: triggerOf(transition),
    ...(transition.permission !== undefined && { permission: transition.permission }),
    comment_required: transition.comment_required ?? false,
  }))

/** `cancel` is for drafts that were never submitted: the decisions on a submitted one must be kept. */
const isTooLate = (definition: WorkflowDefinition, { name, to }: Transition, { state, round }: Instance) =>
  name === 'cancel' && round > 0 && kindOf(definition, state) === 'initial' && kindOf(definition, to) === 'final'

/** Author and owner may always withdraw their version. */
const mayTake = ({ name, permission }: Transition, { authorId, ownerId }: Instance, participant: Participant) =>
  holds(participant, permission) ||
  (name === 'withdraw' && (participant.userId === authorId || participant.userId === ownerId))

/** The transitions that this person may take by hand, regardless of a pending approval. */
export const transitionsOpenTo = (
  definition: WorkflowDefinition,
  instance: Instance,
  participant: Participant,
): string[] =>
  transitionsFrom(definition, instance.state)
    .filter(
      each =>
        triggerOf(each) === 'by_hand' && !isTooLate(definition, each, instance) && mayTake(each, instance, participant),
    )
    .map(({ name }) => name)

/** A 409 ends with them, so that the person knows how to go on. */
function nextStepsOf(
  definition: WorkflowDefinition,
  instance: Instance,
  participant: Participant,
  names: Names | undefined,
) {
  const { state } = instance
  const gate = gateFrom(definition, state)
  const canReject =
    !gate || Array.isArray(namingRules(gate, instance, participant, { ...(names && { nameOf: names }) }))
  return {
    state,
    approved: gate ? (ownApproval(instance, participant)?.transition ?? null) : null,
    step: gate?.name ?? null,
    approvers: gate ? describeRules(gate, names) : null,
    transitions: holds(participant, 'documents.transition')
      ? transitionsOpenTo(definition, instance, participant).filter(name => name !== 'reject' || canReject)
      : [],
  }
}

/** The newest approval that this person gave in the round. */
const ownApproval = ({ approvals }: Instance, { userId }: Participant) =>
  approvals.findLast(each => each.userId === userId)

/** An approval that is taken back. Approvals of later steps were given because of it, so they go with it. */
export interface Withdrawal {
  ok: true
  approval: Approval
  later: Approval[]
  /** Back to the step that is no longer approved, if the version has left it. */
  transitions: Step[]
}

/** An approver takes their own approval back while the version awaits an approval. `sources`: the state that each approved step was taken from. */
export function withdrawApproval(
  definition: WorkflowDefinition,
  instance: Instance,
  participant: Participant,
  sources: ReadonlyMap<string, string>,
  facts: TenantFacts,
): Withdrawal | Refusal {
  const { state, approvals } = instance
  const next = () => nextStepsOf(definition, instance, participant, facts.nameOf)
  const gate = gateFrom(definition, state)
  if (!gate) return refuse(409, messages.approval_round_ended(next()))
  const approval = ownApproval(instance, participant)
  if (!approval) return refuse(409, messages.approval_not_given(next()))
  const { transition } = approval
  if (transition === gate.name) return { ok: true, approval, later: [], transitions: [] }
  const later = approvals.slice(approvals.indexOf(approval) + 1).filter(each => each.transition !== transition)
  const step = { name: 'approval_withdrawn', from: state, to: sources.get(transition)! }
  return { ok: true, approval, later, transitions: [stepOf(definition, state, step, 'user')] }
}

function stepOf(
  definition: WorkflowDefinition,
  from: string,
  { name, to }: Transition,
  trigger: Step['trigger'],
  voids_round = false,
): Step {
  const kind_of_to = kindOf(definition, to)
  return { transition: name, from, to, trigger, voids_round: voids_round || kind_of_to === 'initial', kind_of_to }
}

/** The approvals that a version in this state awaits before anybody takes another step by hand. */
export function approvalsAhead(definition: WorkflowDefinition, state: string): GatedTransition[] {
  const ahead = reachableFrom(definition, [state], each => triggerOf(each) !== 'by_hand')
  return definition.transitions.filter(isGated).filter(each => sourcesOf(each).some(source => ahead.has(source)))
}

/**
 * A step by a person voids the round when it leads back: to the first state, by `reject`, or to an approval that was already begun.
 * Otherwise the old approvals would stand in the way of the new ones. A step that leads on voids nothing, so that earlier approvers
 * stay excluded from later steps.
 */
function stepByHand(definition: WorkflowDefinition, instance: Instance, transition: Transition): Step {
  const asked = approvalsAhead(definition, transition.to)
  const again = instance.approvals.some(approval => asked.some(({ name }) => name === approval.transition))
  return stepOf(definition, instance.state, transition, 'user', again || transition.name === 'reject')
}

function approve(
  definition: WorkflowDefinition,
  gate: GatedTransition,
  instance: Instance,
  participant: Participant,
  facts: TenantFacts,
): Outcome {
  const naming = namingRules(gate, instance, participant, facts)
  if (!Array.isArray(naming)) return naming
  const given = approvalsOf(gate, instance)
  const pending = pendingRules(gate, given)
  const candidates = pending.filter(({ rule, open }) => open && naming.includes(rule))
  if (candidates.length === 0) {
    const open = pending.filter(each => each.open)
    const isEarly = gate.approval.mode === 'sequential' && naming.some(rule => rule > open[0]!.rule)
    const unmet = { step: gate.name, awaited: open.map(each => describeRule(each, facts.nameOf)) }
    return refuse(409, isEarly ? messages.approver_turn_not_started(unmet) : messages.approver_rules_met(unmet))
  }
  let rules: readonly number[] = naming
  if (gate.approval.mode === 'sequential') {
    const turn = candidates[0]!.rule
    if (neededLater(gate, instance, pending, turn, participant.userId, facts))
      return refuse(409, messages.approver_needed_later({ step: gate.name }))
    rules = [turn]
  }
  const approval: Approval = { transition: gate.name, userId: participant.userId, rules }
  const complete = given.length + 1 === placesOf(gate).reduce((sum, count) => sum + count, 0)
  return { ok: true, approval, transitions: complete ? [stepOf(definition, instance.state, gate, 'automatic')] : [] }
}

const commentRefusal = (transition: Transition, comment: string | undefined): Refusal | undefined =>
  transition.comment_required && !comment?.trim() ? refuse(422, messages.workflow_comment_required()) : undefined

const permissionRefusal = (
  transition: Transition,
  instance: Instance,
  participant: Participant,
): Refusal | undefined => {
  if (mayTake(transition, instance, participant)) return undefined
  const { name, permission } = transition
  return refuse(403, messages.workflow_permission_required({ transition: name, permission: permission! }))
}

/** A pending approval can be rejected by everyone whom its rules name, also before their turn. */
function reject(
  definition: WorkflowDefinition,
  gate: GatedTransition,
  instance: Instance,
  participant: Participant,
  comment: string | undefined,
  facts: TenantFacts,
): Outcome {
  const way = transitionsFrom(definition, instance.state).find(({ name }) => name === 'reject')
  if (!way) throw new Error(`The workflow has an approval ${gate.name} without a reject`)
  const naming = namingRules(gate, instance, participant, facts)
  if (!Array.isArray(naming)) return naming
  return (
    permissionRefusal(way, instance, participant) ??
    commentRefusal(way, comment) ?? { ok: true, transitions: [stepByHand(definition, instance, way)] }
  )
}

/** The only transition from a first state to an approval, if it has no approval itself: usually `submit`. */
function submissionFrom(definition: WorkflowDefinition, state: string): Transition | undefined {
  if (kindOf(definition, state) !== 'initial') return undefined
  const [only, ...others] = transitionsFrom(definition, state).filter(({ to }) => kindOf(definition, to) !== 'final')
  return only && others.length === 0 && triggerOf(only) === 'by_hand' && gateFrom(definition, only.to)
    ? only
    : undefined
}

/**
 * A person's decision about the pending approval. `approve` answers the approval to store and, once all rules are met, the step
 * that follows; `reject` answers the step back, which voids the round.
 *
 * On a draft whose only transition is `submit` to an approval, `approve` submits and approves at once. A caller who may do only
 * one of the two is refused, and nothing happens.
 *
 * One person's approval counts for one rule. In parallel mode the rule is chosen as late as possible, so that no order of
 * approvers gets stuck; in sequential mode `facts` show whether a later rule needs the person.
 */
export function decide(
  definition: WorkflowDefinition,
  instance: Instance,
  participant: Participant,
  request: { decision: 'approve' | 'reject'; comment?: string },
  facts: TenantFacts,
): Outcome {
  const { state } = instance
  const { decision, comment } = request
  const gate = gateFrom(definition, state)
  if (gate && decision === 'reject') return reject(definition, gate, instance, participant, comment, facts)
  if (gate) {
    const outcome = approve(definition, gate, instance, participant, facts)
    return outcome.ok ? (commentRefusal(gate, comment) ?? outcome) : outcome
  }
  const submission = decision === 'approve' ? submissionFrom(definition, state) : undefined
  if (!submission)
    return refuse(
      409,
      messages.workflow_nothing_to_approve(nextStepsOf(definition, instance, participant, facts.nameOf)),
    )
  const refusal = permissionRefusal(submission, instance, participant) ?? commentRefusal(submission, comment)
  if (refusal) return refusal
  const step = stepByHand(definition, instance, submission)
  // Every transition back to a draft voids the round, so no approval is left.
  const submitted = {
    ...instance,
    state: step.to,
    round: instance.round + 1,
    approvals: [],
    delegations: [],
    submitterId: participant.userId,
  }
  const approved = decide(definition, submitted, participant, request, facts)
  if (approved.ok) return { ...approved, transitions: [step, ...approved.transitions] }
  const { message: reason } = approved
  // A person who is excluded for this submission alone did nothing beyond their authority.
  const excluded = excludedContributors(gateFrom(definition, step.to)!.approval, submitted)
  return refuse(
    excluded.get(participant.userId) === 'submitter' ? 409 : approved.status,
    messages.workflow_submission_refused({ reason, reason_code: reason.code, transition: submission.name }),
  )
}

/**
 * The decision of a deputy for a person whom a rule of the pending approval names. What keeps either of them from deciding keeps the
 * deputy from it, and only the person's own part counts: a deputy of a delegate, or of a deputy, decides nothing.
 */
export function decideFor(
  definition: WorkflowDefinition,
  instance: Instance,
  { deputy, person }: Record<'deputy' | 'person', Participant>,
  request: { decision: 'approve' | 'reject'; comment?: string },
  facts: TenantFacts,
): Outcome {
  const gate = gateFrom(definition, instance.state)
  if (!gate)
    return refuse(409, messages.workflow_nothing_to_approve(nextStepsOf(definition, instance, deputy, facts.nameOf)))
  const { name: step } = gate
  const anyRule = [...gate.approval.rules.keys()]
  const own = namingRules(gate, instance, { ...deputy, rules: anyRule }, facts)
  if (!Array.isArray(own)) return own
  const name = facts.nameOf?.(person.userId) ?? `user ${person.userId}`
  if (!canDecide(gate, person.userId, facts))
    return refuse(
      403,
      messages.delegation_person_lacks_permission({ step, person: name, permission: lackedBy(gate, person) }),
    )
  const handed = delegate(definition, instance, { from: person, to: deputy }, facts)
  if (!handed.ok) {
    const isExcluded = barredFrom(gate, instance).has(person.userId)
    return refuse(isExcluded ? 403 : handed.status, handed.message)
  }
  const { delegation } = handed
  if (delegation.rules.length === 0) return refuse(403, messages.delegation_person_not_named({ step, person: name }))
  const then = { ...instance, delegations: [...instance.delegations, delegation] }
  const outcome = decide(definition, then, { ...deputy, rules: delegation.rules }, request, facts)
  return outcome.ok && outcome.approval
    ? { ...outcome, approval: { ...outcome.approval, standsInFor: person.userId } }
    : outcome
}

const lackedBy = ({ permission }: GatedTransition, person: Participant) =>
  permission !== undefined && holds(person, 'documents.approve') ? permission : 'documents.approve'

/** Takes a transition by hand: submit, withdraw, obsolete, cancel, or reject as in `decide`. */
export function fire(
  definition: WorkflowDefinition,
  instance: Instance,
  participant: Participant,
  { transition, comment }: { transition: string; comment?: string },
  facts: TenantFacts = nobody,
): Outcome {
  const { state } = instance
  const way = transitionsFrom(definition, state).find(({ name }) => name === transition)
  const nextSteps = () => nextStepsOf(definition, instance, participant, facts.nameOf)
  if (!way) return refuse(409, messages.workflow_transition_unknown({ ...nextSteps(), transition }))
  if (isTooLate(definition, way, instance)) return refuse(409, messages.workflow_cancel_after_submission(nextSteps()))
  const trigger = triggerOf(way)
  if (trigger !== 'by_hand')
    return refuse(
      409,
      messages.workflow_transition_automatic({ ...nextSteps(), transition, moment: describeTrigger(trigger) }),
    )
  const gate = gateFrom(definition, state)
  if (gate && way.name === 'reject') return reject(definition, gate, instance, participant, comment, facts)
  return (
    permissionRefusal(way, instance, participant) ??
    commentRefusal(way, comment) ?? { ok: true, transitions: [stepByHand(definition, instance, way)] }
  )
}

/**
 * The automatic steps that now apply, in order. A version becomes effective only when its date is reached and its training is
 * complete, whichever of the two the transition names.
 */
export function advance(definition: WorkflowDefinition, state: string, facts: VersionFacts): Step[] {
  const applies = (transition: Transition) => {
    const trigger = triggerOf(transition)
    if (trigger !== 'on_effective_date' && trigger !== 'on_training_complete') return false
    if (kindOf(definition, transition.to) === 'effective')
      return facts.effective_date_reached && facts.training_complete
    return trigger === 'on_effective_date' ? facts.effective_date_reached : facts.training_complete
  }
  const steps: Step[] = []
  const passed = new Set([state])
  for (let at = state; ; ) {
    const next = transitionsFrom(definition, at).find(each => applies(each) && !passed.has(each.to))
    if (!next) return steps
    steps.push(stepOf(definition, at, next, 'automatic'))
    passed.add(next.to)
    at = next.to
  }
}

/** A transition from this state, with the automatic ones that follow from it, can make a version effective. */
export function canSoonBeEffective(definition: WorkflowDefinition, state: string): boolean {
  const next = transitionsFrom(definition, state)
    .filter(each => triggerOf(each) !== 'on_supersede')
    .map(({ to }) => to)
  const reached = reachableFrom(definition, next, each => triggerOf(each) !== 'by_hand')
  return [...reached].some(each => kindOf(definition, each) === 'effective')
}

/** The step of an effective version when a newer one becomes effective. */
export function supersede(definition: WorkflowDefinition, state: string): Step | undefined {
  const way = transitionsFrom(definition, state).find(each => triggerOf(each) === 'on_supersede')
  return way && stepOf(definition, state, way, 'automatic')
}
