// The workflow engine (DOC-05): what a person or an event may do to a version, as a function of values only. Callers lock the
// version, ask here, and store what the answer says.
import {
  type ApprovalGate,
  type ApprovalRule,
  type GatedTransition,
  isGated,
  reachableFrom,
  type SignatureType,
  type StateKind,
  sourcesOf,
  type Transition,
  type Trigger,
  transitionsFrom,
  triggerOf,
  type WorkflowDefinition,
} from './definition.ts'
import { describeRule, describeRules, describeTrigger } from './describe.ts'
import { assign, canFill } from './matching.ts'

/** Who asks. `roles` are the person's own role first, then those that it inherits. */
export interface Participant {
  userId: number
  roles: readonly string[]
  groupIds: readonly number[]
  permissions: ReadonlySet<string>
}

/** A valid approval of the current round. */
export interface Approval {
  transition: string
  userId: number
  /**
   * The rules that it can count for: in parallel mode all that named the person at that moment, in sequential mode the one
   * whose turn it was. It counts for one of them; `pendingApproval` says for which.
   */
  rules: readonly number[]
}

export interface Instance {
  state: string
  authorId: number
  approvals: readonly Approval[]
}

/** `voids_round`: the approvals given so far count no more. */
export interface Step {
  transition: string
  from: string
  to: string
  trigger: 'user' | 'automatic'
  voids_round: boolean
  kind_of_to: StateKind
}

export interface Refusal {
  ok: false
  /** 403: not by this person; 409: not in this state; 422: the comment is missing. */
  status: 403 | 409 | 422
  detail: string
}
export type Outcome = { ok: true; approval?: Approval; transitions: Step[] } | Refusal

/** What approval rules are checked against: the active people of the tenant that a rule names. */
export interface TenantFacts {
  peopleFor(rule: Pick<ApprovalRule, 'kind' | 'who'>): ReadonlySet<number>
}

/** `training_complete` is true where no training gate applies, `effective_date_reached` where no date was set. */
export interface VersionFacts {
  effective_date_reached: boolean
  training_complete: boolean
}

/** Another mode or other approvers for one approval of one document (DOC-06). */
export interface ApprovalOverride {
  transition: string
  mode?: ApprovalGate['mode']
  rules: ApprovalRule[]
}

export interface Way {
  transition: string
  to: string
  trigger: Trigger
  permission?: string
  comment_required: boolean
}

export interface PendingRule extends ApprovalRule {
  /** Its index among the rules of the approval. */
  rule: number
  needed: number
  given_by: number[]
  /** Whether a further approval can count for it now; in sequential mode only the first unmet rule is open. */
  open: boolean
}
export interface PendingApproval {
  transition: string
  to: string
  mode: ApprovalGate['mode']
  signature_required: boolean
  signature_type: SignatureType
  rules: PendingRule[]
}

const refuse = (status: Refusal['status'], detail: string): Refusal => ({ ok: false, status, detail })

function kindOf(definition: WorkflowDefinition, name: string): StateKind {
  const state = definition.states.find(each => each.name === name)
  if (!state) throw new Error(`The workflow has no state ${name}`)
  return state.kind
}

const gateFrom = (definition: WorkflowDefinition, state: string): GatedTransition | undefined =>
  transitionsFrom(definition, state).find(isGated)

/** The definition with one approval configured otherwise. Without an override it is the definition itself. */
export function effectiveDefinition(definition: WorkflowDefinition, override?: ApprovalOverride): WorkflowDefinition {
  if (!override) return definition
  const { transition: name, mode, rules } = override
  if (!definition.transitions.some(each => each.name === name && isGated(each)))
    throw new Error(`The workflow has no approval ${name}`)
  return {
    ...definition,
    transitions: definition.transitions.map(each =>
      each.name === name && isGated(each)
        ? { ...each, approval: { ...each.approval, mode: mode ?? each.approval.mode, rules } }
        : each,
    ),
  }
}

export const waysFrom = (definition: WorkflowDefinition, state: string): Way[] =>
  transitionsFrom(definition, state).map(transition => ({
    transition: transition.name,
    to: transition.to,
    trigger: triggerOf(transition),
    ...(transition.permission !== undefined && { permission: transition.permission }),
    comment_required: transition.comment_required ?? false,
  }))

const holds = (participant: Participant, permission: string | undefined) =>
  permission === undefined || participant.permissions.has(permission)

/** The end of a 409: what is possible instead. */
function possibilities(definition: WorkflowDefinition, state: string, participant: Participant): string {
  const gate = gateFrom(definition, state)
  const ways = waysFrom(definition, state)
    .filter(({ trigger, permission }) => trigger === 'by_hand' && holds(participant, permission))
    .map(({ transition }) => transition)
  const waits = gate ? ` It awaits the approval ${gate.name}, by ${describeRules(gate)}.` : ''
  return `${waits} ${ways.length > 0 ? `From ${state} you may: ${ways.join(', ')}` : `From ${state} there is nothing that you may do by hand`}`
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

/**
 * A step that a person takes voids the round when it leads back: to the first state, by `reject`, or to where an approval that
 * was begun will be asked for again. Otherwise the old approvals would stand in the way of the new ones.
 */
function stepByHand(definition: WorkflowDefinition, instance: Instance, transition: Transition): Step {
  const ahead = reachableFrom(definition, [transition.to])
  const asked = definition.transitions.filter(each => isGated(each) && sourcesOf(each).some(state => ahead.has(state)))
  const again = instance.approvals.some(approval => asked.some(({ name }) => name === approval.transition))
  return stepOf(definition, instance.state, transition, 'user', again || transition.name === 'reject')
}

const ruleNames = ({ kind, who }: ApprovalRule, { userId, roles, groupIds, permissions }: Participant): boolean => {
  if (kind === 'user') return who === userId
  if (kind === 'group') return groupIds.some(id => id === who)
  return kind === 'role' ? roles.some(role => role === who) : typeof who === 'string' && permissions.has(who)
}

const placesOf = ({ approval }: GatedTransition) => approval.rules.map(({ count }) => count)
const approvalsOf = (gate: GatedTransition, instance: Instance) =>
  instance.approvals.filter(({ transition }) => transition === gate.name)

function pendingRules(gate: GatedTransition, given: readonly Approval[]): PendingRule[] {
  const places = placesOf(gate)
  const candidates = given.map(({ rules }) => rules)
  const counted = assign(places, candidates)
  const givenBy = (rule: number) => given.filter((_, i) => counted[i] === rule).map(({ userId }) => userId)
  const firstUnmet = places.findIndex((needed, rule) => givenBy(rule).length < needed)
  return gate.approval.rules.map((each, rule) => ({
    ...each,
    rule,
    needed: each.count,
    given_by: givenBy(rule),
    open:
      gate.approval.mode === 'sequential'
        ? rule === firstUnmet
        : assign(places, [...candidates, [rule]]).at(-1) !== undefined,
  }))
}

/** The approval that a version in this state awaits, with what has been given. */
export function pendingApproval(definition: WorkflowDefinition, instance: Instance): PendingApproval | undefined {
  const gate = gateFrom(definition, instance.state)
  if (!gate) return undefined
  const { mode, signature_required, signature_type } = gate.approval
  return {
    transition: gate.name,
    to: gate.to,
    mode,
    signature_required,
    signature_type: signature_type ?? 'approval',
    rules: pendingRules(gate, approvalsOf(gate, instance)),
  }
}

/** Those who may not approve whatever a rule says: the author, and who approved a transition that this one excludes. */
function barredFrom(gate: GatedTransition, instance: Instance): Set<number> {
  const excluded = new Set(gate.approval.excludes_approvers_of)
  const barred = new Set(instance.approvals.filter(each => excluded.has(each.transition)).map(({ userId }) => userId))
  return gate.approval.author_may_approve ? barred : barred.add(instance.authorId)
}

/** Why this person may decide nothing about the pending approval, or the rules that name them. */
function namingRules(gate: GatedTransition, instance: Instance, participant: Participant): Refusal | number[] {
  if (approvalsOf(gate, instance).some(({ userId }) => userId === participant.userId))
    return refuse(409, `You have approved ${gate.name} already`)
  if (participant.userId === instance.authorId && !gate.approval.author_may_approve)
    return refuse(403, `The author may not decide about ${gate.name}: ${describeRules(gate)} may`)
  if (barredFrom(gate, instance).has(participant.userId))
    return refuse(
      403,
      `Who approved ${gate.approval.excludes_approvers_of?.join(' or ')} may not decide about ${gate.name}`,
    )
  const naming = [...gate.approval.rules.keys()].filter(rule => ruleNames(gate.approval.rules[rule]!, participant))
  if (naming.length > 0 && holds(participant, gate.permission)) return naming
  const beside = gate.permission ? `, each with the permission ${gate.permission}` : ''
  return refuse(403, `No rule of ${gate.name} names you. It is decided by ${describeRules(gate)}${beside}`)
}

/** The people that each rule of an approval names, and who hold the permission of the transition. */
export function peopleOf({ approval, permission }: GatedTransition, facts: TenantFacts): ReadonlySet<number>[] {
  const holders = permission === undefined ? undefined : facts.peopleFor({ kind: 'permission', who: permission })
  return approval.rules.map(rule => (holders ? facts.peopleFor(rule).intersection(holders) : facts.peopleFor(rule)))
}

/** In sequential mode: whether this person is needed further on, where nobody else is left, while others could approve now. */
function neededLater(
  gate: GatedTransition,
  instance: Instance,
  pending: readonly PendingRule[],
  turn: number,
  { userId }: Participant,
  facts: TenantFacts,
): boolean {
  const people = peopleOf(gate, facts)
  const missing = pending.map(({ needed, given_by }) => needed - given_by.length)
  const gone = barredFrom(gate, instance).union(new Set(approvalsOf(gate, instance).map(each => each.userId)))
  const possible = canFill(missing, people, gone)
  return possible && !canFill(missing.with(turn, missing[turn]! - 1), people, gone.union(new Set([userId])))
}

function approve(
  definition: WorkflowDefinition,
  gate: GatedTransition,
  instance: Instance,
  participant: Participant,
  facts: TenantFacts,
): Outcome {
  const naming = namingRules(gate, instance, participant)
  if (!Array.isArray(naming)) return naming
  const given = approvalsOf(gate, instance)
  const pending = pendingRules(gate, given)
  const candidates = pending.filter(({ rule, open }) => open && naming.includes(rule))
  if (candidates.length === 0) {
    const open = pending.filter(each => each.open)
    const early = gate.approval.mode === 'sequential' && naming.some(rule => rule > open[0]!.rule)
    const waiting = open.map(describeRule).join(' or ')
    if (early) return refuse(409, `It is not your turn to approve ${gate.name} yet: it awaits ${waiting}`)
    return refuse(409, `The rules that name you have the approvals that they need: ${gate.name} awaits ${waiting}`)
  }
  let rules: readonly number[] = naming
  if (gate.approval.mode === 'sequential') {
    const turn = candidates[0]!.rule
    if (neededLater(gate, instance, pending, turn, participant, facts))
      return refuse(409, `Only you can give a later approval of ${gate.name}, so another must approve first`)
    rules = [turn]
  }
  const approval: Approval = { transition: gate.name, userId: participant.userId, rules }
  const complete = given.length + 1 === placesOf(gate).reduce((sum, count) => sum + count, 0)
  return { ok: true, approval, transitions: complete ? [stepOf(definition, instance.state, gate, 'automatic')] : [] }
}

const lacksComment = (transition: Transition, comment: string | undefined): Refusal | undefined =>
  transition.comment_required && !comment?.trim() ? refuse(422, `${transition.name} needs a comment`) : undefined

const lacksPermission = (transition: Transition, participant: Participant): Refusal | undefined =>
  holds(participant, transition.permission)
    ? undefined
    : refuse(403, `${transition.name} needs the permission ${transition.permission}`)

/** `reject` of a pending approval: by whomever one of its rules names, whether or not it is their turn. */
function reject(
  definition: WorkflowDefinition,
  gate: GatedTransition,
  instance: Instance,
  participant: Participant,
  comment: string | undefined,
): Outcome {
  const way = transitionsFrom(definition, instance.state).find(({ name }) => name === 'reject')
  if (!way) throw new Error(`The workflow has an approval ${gate.name} without a reject`)
  const naming = namingRules(gate, instance, participant)
  if (!Array.isArray(naming)) return naming
  return (
    lacksPermission(way, participant) ??
    lacksComment(way, comment) ?? { ok: true, transitions: [stepByHand(definition, instance, way)] }
  )
}

/** The one ungated way on from a first state to where an approval waits: `submit`, as a rule. */
function submissionFrom(definition: WorkflowDefinition, state: string): Transition | undefined {
  if (kindOf(definition, state) !== 'initial') return undefined
  const [only, ...others] = transitionsFrom(definition, state).filter(({ to }) => kindOf(definition, to) !== 'final')
  return only && others.length === 0 && triggerOf(only) === 'by_hand' && gateFrom(definition, only.to)
    ? only
    : undefined
}

/**
 * A person's decision about the pending approval. `approve` answers the approval to keep and, once all rules are met, the step
 * that follows; `reject` answers the step back, which voids the round.
 *
 * On a draft whose only way on is an ungated `submit` to an approval, `approve` submits and approves at once. A caller who may
 * do only one of the two is refused, and nothing happens.
 *
 * One person's approval counts for one rule. Which one is settled as late as possible in parallel mode, so that no order of
 * approvers gets stuck; in sequential mode `facts` tell whether somebody must be kept for a later rule.
 */
export function decide(
  definition: WorkflowDefinition,
  instance: Instance,
  participant: Participant,
  { decision, comment }: { decision: 'approve' | 'reject'; comment?: string },
  facts: TenantFacts,
): Outcome {
  const { state } = instance
  const gate = gateFrom(definition, state)
  if (gate && decision === 'reject') return reject(definition, gate, instance, participant, comment)
  if (gate) {
    const outcome = approve(definition, gate, instance, participant, facts)
    return outcome.ok ? (lacksComment(gate, comment) ?? outcome) : outcome
  }
  const submission = decision === 'approve' ? submissionFrom(definition, state) : undefined
  if (!submission)
    return refuse(409, `Nothing awaits approval in the state ${state}.${possibilities(definition, state, participant)}`)
  const refusal = lacksPermission(submission, participant) ?? lacksComment(submission, comment)
  if (refusal) return refusal
  const step = stepByHand(definition, instance, submission)
  // No approval is left from before: whatever leads back to a draft voids the round.
  const submitted = { ...instance, state: step.to, approvals: [] }
  const request = { decision, ...(comment !== undefined && { comment }) }
  const approved = decide(definition, submitted, participant, request, facts)
  if (approved.ok) return { ...approved, transitions: [step, ...approved.transitions] }
  return {
    ...approved,
    detail: `${approved.detail}. To submit without approving, take the transition ${submission.name}`,
  }
}

/** A transition that a person takes by hand: submit, withdraw, obsolete, cancel, reject (as in `decide`). */
export function fire(
  definition: WorkflowDefinition,
  instance: Instance,
  participant: Participant,
  { transition, comment }: { transition: string; comment?: string },
): Outcome {
  const { state } = instance
  const way = transitionsFrom(definition, state).find(({ name }) => name === transition)
  if (!way)
    return refuse(
      409,
      `No transition ${transition} from the state ${state}.${possibilities(definition, state, participant)}`,
    )
  const trigger = triggerOf(way)
  if (trigger !== 'by_hand')
    return refuse(
      409,
      `${transition} is taken by itself ${describeTrigger(trigger)}.${possibilities(definition, state, participant)}`,
    )
  const gate = gateFrom(definition, state)
  if (gate && way.name === 'reject') return reject(definition, gate, instance, participant, comment)
  return (
    lacksPermission(way, participant) ??
    lacksComment(way, comment) ?? { ok: true, transitions: [stepByHand(definition, instance, way)] }
  )
}

/**
 * The automatic steps that now apply, one after the other. Into a state of kind `effective` a version comes by itself only when
 * both its date is reached and its training is complete, whichever of the two the transition names.
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

/** What happens to an effective version when a newer one becomes effective. */
export function supersede(definition: WorkflowDefinition, state: string): Step | undefined {
  const way = transitionsFrom(definition, state).find(each => triggerOf(each) === 'on_supersede')
  return way && stepOf(definition, state, way, 'automatic')
}
