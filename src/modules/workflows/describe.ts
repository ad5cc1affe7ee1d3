import {
  type ApprovalRule,
  type GatedTransition,
  isGated,
  sourcesOf,
  type Transition,
  triggerOf,
  type WorkflowDefinition,
} from './definition.ts'

/** `2 people with the role QA`. */
export function describeRule({ kind, who, count }: ApprovalRule): string {
  if (kind === 'user') return `user ${who}`
  if (kind === 'group') return count === 1 ? `1 member of group ${who}` : `${count} members of group ${who}`
  return `${count === 1 ? '1 person' : `${count} people`} with the ${kind} ${who}`
}

export const describeRules = ({ approval }: GatedTransition): string =>
  approval.rules.map(describeRule).join(approval.mode === 'sequential' ? ', then ' : ' and ')

const whenTaken = {
  on_approval: 'when its approval is complete',
  on_effective_date: 'on the effective date',
  on_training_complete: 'when the training is complete',
  on_supersede: 'when a newer version becomes effective',
} as const

/** When a transition that nobody takes by hand is taken. */
export const describeTrigger = (trigger: keyof typeof whenTaken): string => whenTaken[trigger]

function describeWho(transition: Transition): string {
  const trigger = triggerOf(transition)
  const parts: string[] = []
  if (isGated(transition)) {
    const { author_may_approve, signature_required, signature_type, excludes_approvers_of } = transition.approval
    parts.push(`approval by ${describeRules(transition)}`, `the author ${author_may_approve ? 'included' : 'excluded'}`)
    if (excludes_approvers_of?.length) parts.push(`not those who approved ${excludes_approvers_of.join(', ')}`)
    if (signature_required) parts.push(`signed as ${signature_type ?? 'approval'}`)
  } else if (trigger !== 'by_hand') parts.push(`by itself ${describeTrigger(trigger)}`)
  if (transition.permission) parts.push(`permission ${transition.permission}`)
  if (transition.comment_required) parts.push('with a comment')
  return parts.join('; ') || (transition.name === 'reject' ? 'those who could approve' : 'anyone')
}

/** The workflow as a Markdown table: each state, its ways, and who takes them or when. */
export function describeDefinition(definition: WorkflowDefinition): string {
  const labels = new Map(definition.states.map(({ name, label }) => [name, label.replaceAll('|', '\\|')]))
  const rows = definition.states.flatMap(state => {
    const ways = definition.transitions.filter(transition => sourcesOf(transition).includes(state.name))
    if (ways.length === 0) return [`| ${labels.get(state.name)} | | | |`]
    return ways.map(way => `| ${labels.get(state.name)} | ${way.name} | ${labels.get(way.to)} | ${describeWho(way)} |`)
  })
  return ['| State | Way | To | Who or when |', '|---|---|---|---|', ...rows].join('\n')
}
