// A dry run of a workflow: the steps of a document from its first state to the effective one, and the people for each.
import type { Message } from '#kernel/message.ts'
import { canDecide } from './approvers.ts'
import {
  type GatedTransition,
  isGated,
  type Transition,
  transitionsFrom,
  triggerOf,
  type WorkflowDefinition,
} from './definition.ts'
import { describeRule, describeRules, describeWho } from './describe.ts'
import { excludedContributors } from './exclusions.ts'
import type { Contributors, TenantFacts } from './instance.ts'
import { canFill } from './matching.ts'
import { messages, type Part } from './messages.ts'
import { countsNow, peopleOf, settleCounts, withCounts } from './terms.ts'

/** The people who are away, each with the deputy who decides for them; null where nobody does. */
export type Absences = ReadonlyMap<number, number | null>
const nobodyAway: Absences = new Map()

interface RehearsedStep {
  state: string
  transition: string
  to: string
  in_words: Message
  /** `away`: those of the named people who are away, with the deputies who could decide for them. */
  rules: { in_words: Message; needed: number; people: number[]; away: { userId: number; deputyId: number | null }[] }[]
  /** The people whom a rule names and who may not approve, by their part in the version. */
  excluded: { userId: number; part: Part }[]
  issue: Message | null
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

/**
 * The people who could approve a step by each of its rules: those who are named and not excluded, and for those who are away their
 * deputies, who decide only what both may decide.
 */
function freePeople(
  gate: GatedTransition,
  contributors: Contributors,
  facts: TenantFacts,
  absences: Absences,
): { people: ReadonlySet<number>; away: { userId: number; deputyId: number | null }[] }[] {
  const excluded = excludedContributors(gate.approval, contributors)
  return peopleOf(gate, facts).map((named, i) => {
    const free = named.difference(excluded)
    const away = [...absences].flatMap(([userId, deputy]) => {
      if (!free.has(userId)) return []
      const isNamed = gate.approval.rules[i]!.kind !== 'permission' || (deputy !== null && named.has(deputy))
      const decides =
        deputy !== null && !absences.has(deputy) && !excluded.has(deputy) && isNamed && canDecide(gate, deputy, facts)
      return [{ userId, deputyId: decides ? deputy : null }]
    })
    const deputies = new Set(away.flatMap(({ deputyId }) => deputyId ?? []))
    return { people: free.difference(absences).union(deputies), away }
  })
}

/** The reason why too few people could approve a step, alone or after another step whose approvers it excludes. */
function shortageOf(
  gate: GatedTransition,
  gates: readonly GatedTransition[],
  contributors: Contributors,
  facts: TenantFacts,
  absences: Absences = nobodyAway,
) {
  const others = gates.filter(({ name }) => gate.approval.excludes_approvers_of?.includes(name))
  const canPass = (all: readonly GatedTransition[]) =>
    canFill(
      all.flatMap(each => countsNow(each, facts, contributors)),
      all.flatMap(each => freePeople(each, contributors, facts, absences).map(({ people }) => people)),
    )
  const names = facts.nameOf
  if (!canPass([gate]))
    return messages.workflow_step_short_of_people({ step: gate.name, approvers: describeRules(gate, names) })
  const other = others.find(each => !canPass([each, gate]))
  return other && messages.workflow_steps_short_of_people({ steps: [other.name, gate.name] })
}

/** Why one of the approvals could not be given, because too few people remain without the contributors. */
export function findShortage(definition: WorkflowDefinition, contributors: Contributors, facts: TenantFacts) {
  const gates = definition.transitions.filter(isGated)
  return gates.map(gate => shortageOf(gate, gates, contributors, facts)).find(each => each !== undefined)
}

export function rehearse(
  template: WorkflowDefinition,
  contributors: Contributors,
  facts: TenantFacts,
  absences: Absences = nobodyAway,
): RehearsedStep[] {
  const definition = withCounts(template, settleCounts(template, facts, contributors))
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
      const issue = isUnheld ? messages.workflow_permission_unheld({ permission }) : null
      return { ...step, rules: [], excluded: [], issue }
    }
    const barred = excludedContributors(transition.approval, contributors)
    const named = peopleOf(transition, facts)
    const free = freePeople(transition, contributors, facts, absences)
    const counts = countsNow(transition, facts, contributors)
    return {
      ...step,
      rules: transition.approval.rules.map((rule, i) => ({
        in_words: describeRule(rule, facts.nameOf),
        needed: counts[i]!,
        people: [...free[i]!.people],
        away: free[i]!.away,
      })),
      excluded: [...barred]
        .filter(([userId]) => named.some(each => each.has(userId)))
        .map(([userId, part]) => ({ userId, part })),
      issue: shortageOf(transition, gates, contributors, facts, absences) ?? null,
    }
  })
}
