// The rules of an approval in one document: those of the template or those configured for it, each with a number of people.
import { type ApprovalRule, type GatedTransition, isGated, type WorkflowDefinition } from './definition.ts'
import { excludedContributors } from './exclusions.ts'
import type { ApprovalOverride, Contributors, TenantFacts } from './instance.ts'

/** Applies the override of one approval. Without an override it answers the definition itself. */
export function effectiveDefinition(definition: WorkflowDefinition, override?: ApprovalOverride): WorkflowDefinition {
  if (!override) return definition
  const { transition: name, mode, rules } = override
  if (!definition.transitions.some(each => each.name === name && isGated(each)))
    throw new Error(`The workflow has no approval ${name}`)
  return withGates(definition, gate =>
    gate.name === name ? { ...gate.approval, mode: mode ?? gate.approval.mode, rules } : gate.approval,
  )
}

const withGates = (
  definition: WorkflowDefinition,
  change: (gate: GatedTransition) => GatedTransition['approval'],
): WorkflowDefinition => ({
  ...definition,
  transitions: definition.transitions.map(each => {
    if (!isGated(each)) return each
    const approval = change(each)
    return approval === each.approval ? each : { ...each, approval }
  }),
})

/** The people whom each rule of an approval names and who have the permission of the transition. */
export function peopleOf({ approval, permission }: GatedTransition, facts: TenantFacts): ReadonlySet<number>[] {
  const holders = permission === undefined ? undefined : facts.peopleFor({ kind: 'permission', who: permission })
  return approval.rules.map(rule => (holders ? facts.peopleFor(rule).intersection(holders) : facts.peopleFor(rule)))
}

/** The number of people for each rule, for approvals that have a percentage. */
export type Counts = Readonly<Record<string, readonly number[]>>

/** The number of people that each rule needs today. Excluded contributors are not counted. */
export function countsNow(gate: GatedTransition, facts: TenantFacts, contributors?: Contributors): number[] {
  const { rules } = gate.approval
  const barred = contributors ? excludedContributors(gate.approval, contributors) : new Map()
  const people = rules.some(({ percent }) => percent !== undefined) ? peopleOf(gate, facts) : []
  return rules.map(({ percent, count = 1 }, rule) =>
    percent === undefined ? count : Math.max(1, Math.ceil((percent * people[rule]!.difference(barred).size) / 100)),
  )
}

/** Computes the percentages of a workflow with the people of today. */
export const settleCounts = (definition: WorkflowDefinition, facts: TenantFacts, contributors?: Contributors): Counts =>
  Object.fromEntries(
    definition.transitions
      .filter(isGated)
      .filter(({ approval }) => approval.rules.some(({ percent }) => percent !== undefined))
      .map(gate => [gate.name, countsNow(gate, facts, contributors)]),
  )

/** The definition with a number in each rule that has a percentage. */
export const withCounts = (definition: WorkflowDefinition, counts: Counts): WorkflowDefinition =>
  Object.keys(counts).length === 0
    ? definition
    : withGates(definition, ({ name, approval }) => {
        const needed = counts[name]
        if (!needed) return approval
        return { ...approval, rules: approval.rules.map((rule, i) => withCount(rule, needed[i])) }
      })
const withCount = (rule: ApprovalRule, count: number | undefined): ApprovalRule =>
  rule.percent === undefined || count === undefined ? rule : { ...rule, count }

export const isSettled = ({ transitions }: WorkflowDefinition) =>
  transitions.every(({ approval }) => approval?.rules.every(isCounted) ?? true)
const isCounted = ({ count, percent }: ApprovalRule) => count !== undefined || percent === undefined

/** The number of different people that a rule needs. */
export function countOf(rule: ApprovalRule): number {
  if (!isCounted(rule)) throw new Error('a percentage was to be counted before it was settled')
  return rule.count ?? 1
}
