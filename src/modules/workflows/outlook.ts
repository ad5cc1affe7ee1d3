// The status of a version in its workflow: approvals given, pending and to come, the people it waits for, and its transitions.
import type { Message } from '#kernel/message.ts'
import { approvalsOf, gateFrom, mayDecideNow, progressOf } from './approvers.ts'
import {
  type ApprovalGate,
  type ApprovalRule,
  type GatedTransition,
  isGated,
  reachableFrom,
  sourcesOf,
  transitionLabel,
  transitionsFrom,
  triggerOf,
  type WorkflowDefinition,
} from './definition.ts'
import { describeRule, describeTaking, describeTrigger, describeWaiting, describeWho, type Names } from './describe.ts'
import type { Instance, TenantFacts } from './instance.ts'
import { printed } from './messages.ts'
import { isSettled, settleCounts, withCounts } from './terms.ts'

export interface RuleOutlook {
  rule: ApprovalRule
  in_words: Message
  needed: number
  given_by: number[]
  missing: number
  /** The people who may decide now. */
  may_decide_now: number[]
}
interface ApprovalOutlook {
  gate: GatedTransition
  mode: ApprovalGate['mode']
  status: 'given' | 'pending' | 'ahead'
  rules: RuleOutlook[]
}
interface Outlook {
  approvals: ApprovalOutlook[]
  waits_for: Message[]
  ways: { transition: string; label: string; to: string; in_words: Message }[]
}

const maxNamed = 5

function approvalsOfVersion(definition: WorkflowDefinition, instance: Instance, facts: TenantFacts): ApprovalOutlook[] {
  const pending = gateFrom(definition, instance.state)
  const ahead = reachableFrom(definition, [instance.state])
  const now = mayDecideNow(definition, instance, facts)
  return definition.transitions.filter(isGated).flatMap(gate => {
    const isPending = gate === pending
    const isBegun = approvalsOf(gate, instance).length > 0
    const isAhead = sourcesOf(gate).some(state => ahead.has(state))
    if (!isPending && !isBegun && !isAhead) return []
    const rules = progressOf(gate, instance).map(
      ({ rule: i, needed, given_by, open: _open, ...rule }): RuleOutlook => ({
        rule,
        in_words: describeRule(rule, facts.nameOf),
        needed,
        given_by,
        missing: needed - given_by.length,
        may_decide_now: isPending ? [...now[i]!] : [],
      }),
    )
    return [{ gate, mode: gate.approval.mode, status: isPending ? 'pending' : isBegun ? 'given' : 'ahead', rules }]
  })
}

/** One sentence for each thing that the version waits for. */
function waitsFor(
  definition: WorkflowDefinition,
  { state }: Instance,
  approvals: readonly ApprovalOutlook[],
  names: Names,
  effectiveDate: string | null,
): Message[] {
  const pending = approvals.find(({ status }) => status === 'pending')
  if (pending) {
    // A sequential approval waits for its first unmet rule only.
    const unmet = pending.rules.filter(({ missing }) => missing > 0)
    return (pending.mode === 'sequential' ? unmet.slice(0, 1) : unmet).map(
      ({ rule, missing, given_by, may_decide_now }) =>
        describeWaiting(
          pending.gate,
          { rule, missing, given: given_by.length },
          { people: may_decide_now.slice(0, maxNamed).map(id => names(id)), total: may_decide_now.length },
          names,
        ),
    )
  }
  const ways = transitionsFrom(definition, state)
  const byItself = ways
    .map(way => ({ way, trigger: triggerOf(way) }))
    .flatMap(({ way, trigger }) => {
      if (trigger !== 'on_effective_date' && trigger !== 'on_training_complete') return []
      const day = trigger === 'on_effective_date' ? effectiveDate : null
      return [printed.workflow_automatic({ transition: way.name, moment: describeTrigger(trigger), day })]
    })
  const kind = definition.states.find(({ name }) => name === state)?.kind
  if (byItself.length > 0 || kind === 'effective' || kind === 'final') return byItself
  return [describeTaking(ways, names)]
}

/** Percentages of a draft are not settled yet, so they are computed with the people of today. */
export function outlook(
  template: WorkflowDefinition,
  instance: Instance,
  facts: TenantFacts & { nameOf: Names },
  effectiveDate: string | null,
): Outlook {
  const counts = isSettled(template) ? {} : settleCounts(template, facts, instance)
  const definition = withCounts(template, counts)
  const approvals = approvalsOfVersion(definition, instance, facts)
  return {
    approvals,
    waits_for: waitsFor(definition, instance, approvals, facts.nameOf, effectiveDate),
    ways: transitionsFrom(definition, instance.state).map(way => ({
      transition: way.name,
      label: transitionLabel(way),
      to: way.to,
      in_words: describeWho(way, facts.nameOf),
    })),
  }
}
