import { listInWords } from '#kernel/message.ts'
import {
  type ApprovalGate,
  type ApprovalRule,
  type GatedTransition,
  isGated,
  sourcesOf,
  stepName,
  type Transition,
  triggerOf,
  type WorkflowDefinition,
} from './definition.ts'

/** The name of a person or a group in a sentence; `byId` where names are not at hand. */
export type Names = (id: number, kind?: 'group') => string
export const byId: Names = (id, kind) => `${kind ?? 'user'} ${id}`

/** A role, a permission or a group as it stands in a sentence. */
const nameOf = ({ kind, who }: Pick<ApprovalRule, 'kind' | 'who'>, names: Names) =>
  kind === 'group' ? names(Number(who), kind) : `the ${kind} ${[who].flat().join(', ')}`
const namedOf = ({ who }: Pick<ApprovalRule, 'who'>, names: Names) => [who].flat().map(id => names(Number(id)))

/** The people of a rule or an escalation, without their number: `the people with the role QA`. */
export function describePeople({ kind, who }: Pick<ApprovalRule, 'kind' | 'who'>, names: Names = byId): string {
  if (kind === 'user') return listInWords(namedOf({ who }, names))
  const named = nameOf({ kind, who }, names)
  return kind === 'group' ? `the members of ${named}` : `the people with ${named}`
}

/** `2 people with the role QA`, `1 of Petra and Quentin`, `50% of the people with the role QA`. */
export function describeRule(rule: ApprovalRule, names: Names = byId): string {
  const { kind, percent, count = 1 } = rule
  if (percent !== undefined) {
    const share = `${percent}% of ${describePeople(rule, names)}`
    return rule.count === undefined ? share : `${share}, which is ${count}`
  }
  if (kind === 'user') {
    const named = namedOf(rule, names)
    return count === named.length ? listInWords(named) : `${count} of ${listInWords(named)}`
  }
  const named = nameOf(rule, names)
  if (kind === 'group') return count === 1 ? `1 member of ${named}` : `${count} members of ${named}`
  return `${count === 1 ? '1 person' : `${count} people`} with ${named}`
}

export const describeRules = ({ approval }: GatedTransition, names: Names = byId): string =>
  approval.rules.map(rule => describeRule(rule, names)).join(approval.mode === 'sequential' ? ', then ' : ' and ')

/** `Petra, Quentin or 3 others`: of many people the first few. */
const describeSome = (people: readonly string[], total: number): string =>
  listInWords(
    total > people.length
      ? [...people, total - people.length === 1 ? '1 other' : `${total - people.length} others`]
      : people,
    'or',
  )

/** The approvals that a rule still needs: `1 more person with the role QA`. */
function describeMissing(rule: ApprovalRule, missing: number, given: number, names: Names): string {
  const { kind } = rule
  const more = given > 0 ? ' more' : ''
  if (kind === 'user') {
    const named = namedOf(rule, names)
    return missing === named.length ? listInWords(named) : `${missing}${more} of ${listInWords(named)}`
  }
  const people = missing === 1 ? 'person' : 'people'
  return `${missing}${more} ${people} ${kind === 'group' ? 'of' : 'with'} ${nameOf(rule, names)}`
}

const exclusionsOf = ({ approval }: GatedTransition) => [
  ...(approval.author_may_approve ? [] : ['the author is excluded']),
  ...(approval.excludes_approvers_of?.length
    ? [`approvers of ${listInWords(approval.excludes_approvers_of, 'or')} are excluded`]
    : []),
]

/** `approve awaits 1 more person with the role QA: Petra or Quentin; the author is excluded`. */
export function describeWaiting(
  gate: GatedTransition,
  { rule, missing, given }: { rule: ApprovalRule; missing: number; given: number },
  { people, total }: { people: readonly string[]; total: number },
  names: Names,
): string {
  const who = total === 0 ? 'nobody may approve it now' : describeSome(people, total)
  const excluded = exclusionsOf(gate)
  return [`${gate.name} awaits ${describeMissing(rule, missing, given, names)}: ${who}`, ...excluded].join('; ')
}

/** `Petra approved the review step, with the part of Quentin`. */
export const describeDecision = (
  { transition, decision }: { transition: string; decision: 'approve' | 'reject' },
  who: string,
  giver: string | undefined,
): string =>
  `${who} ${decision === 'approve' ? 'approved' : 'rejected'} the ${stepName(transition)} step${giver ? `, with the part of ${giver}` : ''}`

const whenTaken = {
  on_approval: 'when its approval is complete',
  on_effective_date: 'on the effective date',
  on_training_complete: 'when the training is complete',
  on_supersede: 'when a newer version becomes effective',
} as const

/** When an automatic transition happens. */
export const describeTrigger = (trigger: keyof typeof whenTaken): string => whenTaken[trigger]

const days = (count: number) => (count === 1 ? '1 day' : `${count} days`)

/** The due date of an approval, its reminder and its escalation. */
function describeDue({ due_days, remind_days_before = 2, escalate_to }: ApprovalGate, names: Names): string[] {
  if (due_days === undefined) return []
  const reminder = remind_days_before === 0 ? 'on that day' : `${days(remind_days_before)} before`
  return [
    `due after ${days(due_days)}, with a reminder ${reminder}`,
    ...(escalate_to ? [`escalated to ${describePeople(escalate_to, names)} when overdue`] : []),
  ]
}

/** The approvers or the permission of a transition, or the moment when it happens automatically. */
export function describeWho(transition: Transition, names: Names = byId): string {
  const trigger = triggerOf(transition)
  const parts: string[] = []
  if (isGated(transition)) {
    const { author_may_approve, signature_required, signature_type, excludes_approvers_of } = transition.approval
    parts.push(
      `approval by ${describeRules(transition, names)}`,
      `the author ${author_may_approve ? 'included' : 'excluded'}`,
    )
    if (excludes_approvers_of?.length) parts.push(`not those who approved ${excludes_approvers_of.join(', ')}`)
    if (signature_required) parts.push(`signed as ${signature_type ?? 'approval'}`)
    parts.push(...describeDue(transition.approval, names))
  } else if (trigger !== 'by_hand') parts.push(`automatically ${describeTrigger(trigger)}`)
  if (transition.permission) parts.push(`permission ${transition.permission}`)
  if (transition.comment_required) parts.push('with a comment')
  return parts.join('; ') || (transition.name === 'reject' ? 'those who could approve' : 'anyone')
}

/** The transitions by hand that a version waits for. */
export const describeTaking = (ways: readonly Transition[], names: Names): string =>
  ways.length === 0
    ? 'no transition leads on'
    : `someone takes ${listInWords(
        ways.map(way => `${way.name} (${describeWho(way, names)})`),
        'or',
      )}`

/** The workflow as a Markdown table: each state, its transitions, and who takes them or when. */
export function describeDefinition(definition: WorkflowDefinition): string {
  const labels = new Map(definition.states.map(({ name, label }) => [name, label.replaceAll('|', '\\|')]))
  const rows = definition.states.flatMap(state => {
    const ways = definition.transitions.filter(transition => sourcesOf(transition).includes(state.name))
    if (ways.length === 0) return [`| ${labels.get(state.name)} | | | |`]
    return ways.map(way => `| ${labels.get(state.name)} | ${way.name} | ${labels.get(way.to)} | ${describeWho(way)} |`)
  })
  return ['| State | Transition | To | By whom or when |', '|---|---|---|---|', ...rows].join('\n')
}
