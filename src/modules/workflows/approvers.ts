// The approvers of a pending approval, and the approvals that were given.
import {
  type ApprovalGate,
  type ApprovalRule,
  type GatedTransition,
  isGated,
  type SignatureType,
  transitionsFrom,
  type WorkflowDefinition,
} from './definition.ts'
import { describeRules } from './describe.ts'
import { excludedContributors } from './exclusions.ts'
import {
  type Approval,
  type Delegation,
  holds,
  type Instance,
  type Participant,
  type Refusal,
  refuse,
  type TenantFacts,
} from './instance.ts'
import { assign, canFill } from './matching.ts'
import { messages } from './messages.ts'
import { countOf, peopleOf } from './terms.ts'

interface PendingRule extends ApprovalRule {
  /** The index of the rule in the approval. */
  rule: number
  needed: number
  given_by: number[]
  /** Another approval can count for it now; in sequential mode only the first unmet rule is open. */
  open: boolean
}
interface PendingApproval {
  transition: string
  to: string
  mode: ApprovalGate['mode']
  signature_required: boolean
  signature_type: SignatureType
  rules: PendingRule[]
}

export const gateFrom = (definition: WorkflowDefinition, state: string): GatedTransition | undefined =>
  transitionsFrom(definition, state).find(isGated)

export const placesOf = ({ approval }: GatedTransition) => approval.rules.map(countOf)
export const approvalsOf = (gate: GatedTransition, instance: Instance) =>
  instance.approvals.filter(({ transition }) => transition === gate.name)
/** The parts of a step that are with another person: those that were delegated, and those that a deputy approved with. */
export const delegationsOf = (gate: GatedTransition, instance: Instance): Delegation[] => [
  ...instance.delegations.filter(({ transition }) => transition === gate.name),
  ...approvalsOf(gate, instance).flatMap(({ transition, userId: to, standsInFor: from, rules }) =>
    from === undefined ? [] : [{ transition, from, to, rules }],
  ),
]

export function pendingRules(gate: GatedTransition, given: readonly Approval[]): PendingRule[] {
  const places = placesOf(gate)
  const candidates = given.map(({ rules }) => rules)
  const counted = assign(places, candidates)
  const givenBy = (rule: number) => given.filter((_, i) => counted[i] === rule).map(({ userId }) => userId)
  const firstUnmet = places.findIndex((needed, rule) => givenBy(rule).length < needed)
  return gate.approval.rules.map((each, rule) => ({
    ...each,
    rule,
    needed: places[rule]!,
    given_by: givenBy(rule),
    open:
      gate.approval.mode === 'sequential'
        ? rule === firstUnmet
        : assign(places, [...candidates, [rule]]).at(-1) !== undefined,
  }))
}

/** The progress of an approval, pending or not. */
export const progressOf = (gate: GatedTransition, instance: Instance) => pendingRules(gate, approvalsOf(gate, instance))

/** The giver of the delegated part that a person approved with; undefined where their own rule counted. */
export function giverOf(
  gate: GatedTransition,
  instance: Instance,
  participant: Participant,
  rule: number,
): number | undefined {
  if (ruleNames(gate.approval.rules[rule]!, participant)) return undefined
  const delegations = delegationsOf(gate, instance)
  return delegations.find(
    ({ from, rules }) => rules.includes(rule) && holderOf(delegations, from) === participant.userId,
  )?.from
}

/** The approval that a version in this state awaits, with the approvals so far. */
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

export const ruleNames = (
  { kind, who }: Pick<ApprovalRule, 'kind' | 'who'>,
  { userId, roles, groupIds, permissions }: Participant,
): boolean => {
  if (kind === 'user') return [who].flat().includes(userId)
  if (kind === 'group') return groupIds.some(id => id === who)
  return kind === 'role' ? roles.some(role => role === who) : typeof who === 'string' && permissions.has(who)
}

/** The person who has the part now: the person themselves, or the last delegate. */
export function holderOf(delegations: readonly Delegation[], userId: number): number {
  const next = delegations.find(({ from }) => from === userId)
  return next ? holderOf(delegations, next.to) : userId
}

/** The rules that this person can approve by: those that name them, and those of parts delegated to them. */
export function rulesOf(gate: GatedTransition, instance: Instance, participant: Participant): number[] {
  if (participant.rules) return [...participant.rules]
  const delegations = delegationsOf(gate, instance)
  const received = delegations
    .filter(({ from }) => holderOf(delegations, from) === participant.userId)
    .flatMap(({ rules }) => rules)
  return [...gate.approval.rules.keys()].filter(
    rule => received.includes(rule) || ruleNames(gate.approval.rules[rule]!, participant),
  )
}

/** The person who gave it, and the person for whom they did. */
const peopleOfApproval = ({ userId, standsInFor }: Approval) =>
  standsInFor === undefined ? [userId] : [userId, standsInFor]

export const excludedBy = ({ approval }: GatedTransition): readonly string[] => approval.excludes_approvers_of ?? []

/**
 * These people may not approve, whatever a rule says: contributors, and everyone who approved a step that this one excludes, or for whom
 * their deputy did.
 */
export function barredFrom(gate: GatedTransition, instance: Instance): Set<number> {
  const excluded = new Set(excludedBy(gate))
  const approvers = instance.approvals.filter(each => excluded.has(each.transition)).flatMap(peopleOfApproval)
  return new Set([...excludedContributors(gate.approval, instance).keys(), ...approvers])
}

/** The rules that this person can approve by, or the refusal where they may not decide about the pending approval. */
export function namingRules(
  gate: GatedTransition,
  instance: Instance,
  participant: Participant,
  facts: Partial<TenantFacts> = {},
): Refusal | number[] {
  const { userId } = participant
  const { name: step, permission = null } = gate
  const names = facts.nameOf
  if (approvalsOf(gate, instance).some(each => each.userId === userId))
    return refuse(409, messages.approver_already_approved({ step }))
  const part = excludedContributors(gate.approval, instance).get(userId)
  if (part) {
    const deciders = decidersOf(gate, instance, facts)
    return refuse(
      403,
      part === 'author'
        ? messages.approver_is_author({ step, ...deciders })
        : messages.approver_took_part({ step, part, ...deciders }),
    )
  }
  if (barredFrom(gate, instance).has(userId))
    return refuse(403, messages.approver_approved_excluded_step({ step, excluded: excludedBy(gate) }))
  const byDeputy = approvalsOf(gate, instance).find(({ standsInFor }) => standsInFor === userId)
  if (byDeputy) {
    const person = names ? names(byDeputy.userId) : 'another person'
    return refuse(409, messages.approver_represented({ step, person }))
  }
  const delegated = delegationsOf(gate, instance).find(({ from }) => from === userId)
  if (delegated) {
    const person = names ? names(delegated.to) : 'another person'
    return refuse(409, messages.approver_delegated({ step, person }))
  }
  const naming = rulesOf(gate, instance, participant)
  if (naming.length > 0 && holds(participant, gate.permission)) return naming
  if (naming.length > 0) return refuse(403, messages.approver_permission_required({ step, permission: permission! }))
  return refuse(403, messages.approver_not_named({ step, ...decidersOf(gate, instance, facts), permission }))
}

/** The approvers in words, and whether too few of them are left, as far as the people of the tenant are known. */
function decidersOf(gate: GatedTransition, instance: Instance, facts: Partial<TenantFacts>) {
  const { nameOf, peopleFor } = facts
  const isKnown = nameOf !== undefined && peopleFor !== undefined
  return {
    approvers: describeRules(gate, nameOf),
    is_orphaned: isKnown && !canComplete(gate, instance, { ...facts, peopleFor }),
  }
}

/** The people who can approve by each rule, after delegations; excluded people and those who approved are among them. */
function peopleNow(gate: GatedTransition, instance: Instance, facts: TenantFacts): ReadonlySet<number>[] {
  const delegations = delegationsOf(gate, instance)
  const people = peopleOf(gate, facts)
  if (delegations.length === 0) return people
  const givers = new Set(delegations.map(({ from }) => from))
  return people.map((named, rule) => {
    const holders = delegations
      .filter(({ rules }) => rules.includes(rule))
      .map(({ from }) => holderOf(delegations, from))
    return named.difference(givers).union(new Set(holders.filter(each => canDecide(gate, each, facts))))
  })
}

/** The person is active and has the permissions to decide, if a rule names them. */
export const canDecide = ({ permission }: GatedTransition, userId: number, facts: TenantFacts): boolean =>
  facts.peopleFor({ kind: 'user', who: userId }).has(userId) &&
  (permission === undefined || facts.peopleFor({ kind: 'permission', who: permission }).has(userId))

/** The people who may decide about the pending approval now, for each rule; in sequential mode only those whose turn it is. */
export function mayDecideNow(definition: WorkflowDefinition, instance: Instance, facts: TenantFacts): Set<number>[] {
  const gate = gateFrom(definition, instance.state)
  if (!gate) return []
  const given = approvalsOf(gate, instance)
  const gone = barredFrom(gate, instance).union(new Set(given.map(({ userId }) => userId)))
  const pending = pendingRules(gate, given)
  return peopleNow(gate, instance, facts).map((people, rule) => {
    const { open } = pending[rule]!
    if (!open) return new Set()
    const free = people.difference(gone)
    if (gate.approval.mode === 'parallel') return free
    return new Set([...free].filter(userId => !neededLater(gate, instance, pending, rule, userId, facts)))
  })
}

/** The people to notify of an overdue approval: those whom the escalation names, if they may read drafts. */
export const superiorsOf = ({ escalate_to }: ApprovalGate, facts: TenantFacts): ReadonlySet<number> => {
  if (!escalate_to) return new Set()
  const everybody = (rule: Pick<ApprovalRule, 'kind' | 'who'>) => facts.everybodyNamed?.(rule) ?? facts.peopleFor(rule)
  return everybody(escalate_to).intersection(everybody({ kind: 'permission', who: 'documents.read_drafts' }))
}

/** Checks that enough different people remain to complete the approval. */
export function canComplete(gate: GatedTransition, instance: Instance, facts: TenantFacts): boolean {
  const given = approvalsOf(gate, instance)
  const gone = barredFrom(gate, instance).union(new Set(given.map(({ userId }) => userId)))
  const people = peopleNow(gate, instance, facts).map((free, rule) =>
    free.difference(gone).union(new Set(given.filter(({ rules }) => rules.includes(rule)).map(each => each.userId))),
  )
  return canFill(placesOf(gate), people)
}

/** A version in this state awaits an approval that too few people are left to give. */
export function isShortOfPeople(definition: WorkflowDefinition, instance: Instance, facts: TenantFacts): boolean {
  const gate = gateFrom(definition, instance.state)
  return gate !== undefined && !canComplete(gate, instance, facts)
}

/** The delegations of the pending approval that no decision was made with, by their givers. */
export function unusedDelegations(definition: WorkflowDefinition, instance: Instance): number[] {
  const gate = gateFrom(definition, instance.state)
  if (!gate) return []
  const delegations = delegationsOf(gate, instance)
  const deciders = new Set(approvalsOf(gate, instance).map(({ userId }) => userId))
  return delegations.map(({ from }) => from).filter(from => !deciders.has(holderOf(delegations, from)))
}

/** The pending approval awaits this very person: a rule names them by their id, or the part of another was delegated to them. */
export function awaitsInPerson(definition: WorkflowDefinition, instance: Instance, userId: number): boolean {
  const gate = gateFrom(definition, instance.state)
  if (!gate || approvalsOf(gate, instance).some(each => each.userId === userId)) return false
  if (delegationsOf(gate, instance).some(({ from }) => from === userId)) return false
  const named = rulesOf(gate, instance, { userId, roles: [], groupIds: [], permissions: new Set() })
  return progressOf(gate, instance).some(each => named.includes(each.rule) && each.given_by.length < each.needed)
}

/** In sequential mode, checks that a later rule needs this person, because nobody else is left for it, while others can approve now. */
export function neededLater(
  gate: GatedTransition,
  instance: Instance,
  pending: readonly PendingRule[],
  turn: number,
  userId: number,
  facts: TenantFacts,
): boolean {
  const people = peopleNow(gate, instance, facts)
  const missing = pending.map(({ needed, given_by }) => needed - given_by.length)
  const gone = barredFrom(gate, instance).union(new Set(approvalsOf(gate, instance).map(each => each.userId)))
  const possible = canFill(missing, people, gone)
  return possible && !canFill(missing.with(turn, missing[turn]! - 1), people, gone.union(new Set([userId])))
}
