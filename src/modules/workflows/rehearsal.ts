// A dry run of a workflow: the steps of a document from its first state to the effective one, and the people for each.
import {
  type GatedTransition,
  isGated,
  type Transition,
  transitionsFrom,
  triggerOf,
  type WorkflowDefinition,
} from './definition.ts'
import { describeRule, describeRules, describeWho } from './describe.ts'
import type { TenantFacts } from './instance.ts'
import { canFill } from './matching.ts'
import { messages } from './messages.ts'
import { countsNow, peopleOf, settleCounts, withCounts } from './terms.ts'

interface RehearsedStep {
  state: string
  transition: string
  to: string
  in_words: string
  rules: { in_words: string; needed: number; people: number[] }[]
  /** The people whom a rule names and who may not approve. */
  excluded: number[]
  issue: string | null
}

/** The shortest path to an effective state; of equally short ones the first in the definition. */
function wayToEffective({ states, transitions }: WorkflowDefinition): { state: string; transition: Transition }[] {
  const kindOf = (name: string) => states.find(each => each.name === name)?.kind
  const first = states.find(({ kind }) => kind === 'initial')
  const ways = new Map(first ? [[first.name, [] as { state: string; transition: Transition }[]]] : [])
  for (const [state, way] of ways) {
    if (kindOf(state) === 'effective') return way
    for (const transition of transitionsFrom({ states, transitions }, state))
      if (transition.name !== 'reject' && kindOf(transition.to) !== undefined && !ways.has(transition.to))
        ways.set(transition.to, [...way, { state, transition }])
  }
  return []
}

/** The reason why too few people could approve a step, alone or after another step whose approvers it excludes. */
function shortageOf(gate: GatedTransition, gates: readonly GatedTransition[], authorId: number, facts: TenantFacts) {
  const others = gates.filter(({ name }) => gate.approval.excludes_approvers_of?.includes(name))
  const withoutAuthor = (each: GatedTransition) =>
    peopleOf(each, facts).map(people =>
      each.approval.author_may_approve ? people : people.difference(new Set([authorId])),
    )
  const canPass = (all: readonly GatedTransition[]) =>
    canFill(
      all.flatMap(each => countsNow(each, facts, authorId)),
      all.flatMap(withoutAuthor),
    )
  const names = facts.nameOf
  if (!canPass([gate]))
    return messages.workflow_step_short_of_people({ step: gate.name, approvers: describeRules(gate, names) })
  const other = others.find(each => !canPass([each, gate]))
  return other && messages.workflow_steps_short_of_people({ steps: [other.name, gate.name] })
}

export function rehearse(template: WorkflowDefinition, authorId: number, facts: TenantFacts): RehearsedStep[] {
  const definition = withCounts(template, settleCounts(template, facts, authorId))
  const way = wayToEffective(definition)
  const gates = way.map(({ transition }) => transition).filter(isGated)
  return way.map(({ state, transition }) => {
    const step = {
      state,
      transition: transition.name,
      to: transition.to,
      in_words: describeWho(transition, facts.nameOf),
    }
    if (!isGated(transition)) {
      const { permission } = transition
      const everybody = (rule: { kind: 'permission'; who: string }) =>
        facts.everybodyNamed?.(rule) ?? facts.peopleFor(rule)
      const isUnheld =
        triggerOf(transition) === 'by_hand' &&
        permission !== undefined &&
        everybody({ kind: 'permission', who: permission }).size === 0
      const issue = isUnheld ? messages.workflow_permission_unheld({ permission }).text : null
      return { ...step, rules: [], excluded: [], issue }
    }
    const barred = new Set(transition.approval.author_may_approve ? [] : [authorId])
    const people = peopleOf(transition, facts)
    const counts = countsNow(transition, facts, authorId)
    return {
      ...step,
      rules: transition.approval.rules.map((rule, i) => ({
        in_words: describeRule(rule, facts.nameOf),
        needed: counts[i]!,
        people: [...people[i]!.difference(barred)],
      })),
      excluded: [...barred].filter(userId => people.some(each => each.has(userId))),
      issue: shortageOf(transition, gates, authorId, facts)?.text ?? null,
    }
  })
}
