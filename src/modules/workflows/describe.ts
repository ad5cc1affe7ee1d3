import type { Message } from '#kernel/message.ts'
import {
  type ApprovalRule,
  type GatedTransition,
  isGated,
  sourcesOf,
  type Transition,
  triggerOf,
  type WorkflowDefinition,
} from './definition.ts'
import { type Moment, type NamedPeople, printed } from './messages.ts'

/** The name of a person or a group in a sentence; `byId` where names are not at hand. */
export type Names = (id: number, kind?: 'group') => string
export const byId: Names = (id, kind) => `${kind ?? 'user'} ${id}`

function namedPeople({ kind, who }: Pick<ApprovalRule, 'kind' | 'who'>, names: Names): NamedPeople {
  if (kind === 'user') return { kind, names: [who].flat().map(id => names(Number(id))) }
  if (kind === 'group') return { kind, names: [names(Number(who), kind)] }
  return { kind, names: [who].flat().map(String) }
}

/** The people of a rule or an escalation, without their number: `the people with the role QA`. */
export const describePeople = (rule: Pick<ApprovalRule, 'kind' | 'who'>, names: Names = byId): Message =>
  printed.workflow_people(namedPeople(rule, names))

/** `2 people with the role QA`, `1 of Petra and Quentin`, `50% of the people with the role QA`. */
export function describeRule(rule: ApprovalRule, names: Names = byId): Message {
  const { percent, count } = rule
  const people = namedPeople(rule, names)
  return percent === undefined
    ? printed.workflow_rule_people({ ...people, count: count ?? 1 })
    : printed.workflow_rule_percent({ ...people, percent, count: count ?? null })
}

export const describeRules = ({ approval }: GatedTransition, names: Names = byId): Message =>
  printed.workflow_rules({
    rules: approval.rules.map(rule => describeRule(rule, names)),
    is_in_order: approval.mode === 'sequential',
  })

/** `approve awaits 1 more person with the role QA: Petra or Quentin; the author is excluded`. */
export function describeWaiting(
  { name: transition, approval }: GatedTransition,
  { rule, missing, given }: { rule: ApprovalRule; missing: number; given: number },
  { people, total }: { people: readonly string[]; total: number },
  names: Names,
): Message {
  return printed.workflow_approval_awaited({
    ...namedPeople(rule, names),
    ...{ transition, missing, given, people, others: total - people.length },
    is_author_excluded: !approval.author_may_approve,
    excluded_steps: approval.excludes_approvers_of ?? [],
  })
}

/** `Petra approved the review step, with the part of Quentin`. */
export const describeDecision = (
  { transition: step, decision }: { transition: string; decision: 'approve' | 'reject' },
  person: string,
  giver: string | undefined,
): Message => printed.workflow_decision({ person, decision, step, giver: giver ?? null })

/** When an automatic transition happens. */
export const describeTrigger = (moment: Moment): Message => printed.workflow_moment({ moment })

/** The approvers or the permission of a transition, or the moment when it happens automatically. */
export function describeWho(transition: Transition, names: Names = byId): Message {
  const trigger = triggerOf(transition)
  const gate = isGated(transition) ? transition : undefined
  const { signature_required = false, signature_type = 'approval', due_days, escalate_to } = gate?.approval ?? {}
  return printed.workflow_transition({
    transition: transition.name,
    approvers: gate ? describeRules(gate, names) : null,
    is_author_excluded: gate?.approval.author_may_approve === false,
    excluded_steps: gate?.approval.excludes_approvers_of ?? [],
    signed_as: signature_required ? signature_type : null,
    due_days: due_days ?? null,
    remind_days_before: gate?.approval.remind_days_before ?? 2,
    escalated_to: due_days !== undefined && escalate_to ? describePeople(escalate_to, names) : null,
    moment: gate || trigger === 'by_hand' ? null : describeTrigger(trigger),
    permission: transition.permission ?? null,
    is_comment_required: transition.comment_required ?? false,
  })
}

/** The transitions by hand that a version waits for. */
export const describeTaking = (ways: readonly Transition[], names: Names): Message =>
  printed.workflow_transitions_awaited({
    transitions: ways.map(({ name }) => name),
    by_whom: ways.map(way => describeWho(way, names)),
  })

/** The workflow as a Markdown table: each state, its transitions, and who takes them or when. */
export function describeDefinition(definition: WorkflowDefinition): string {
  const labels = new Map(definition.states.map(({ name, label }) => [name, label.replaceAll('|', '\\|')]))
  const rows = definition.states.flatMap(state => {
    const ways = definition.transitions.filter(transition => sourcesOf(transition).includes(state.name))
    if (ways.length === 0) return [`| ${labels.get(state.name)} | | | |`]
    return ways.map(
      way => `| ${labels.get(state.name)} | ${way.name} | ${labels.get(way.to)} | ${describeWho(way).text} |`,
    )
  })
  return ['| State | Transition | To | By whom or when |', '|---|---|---|---|', ...rows].join('\n')
}
