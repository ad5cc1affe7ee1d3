// Handing a part in a pending approval to another: the task, never the identity. Who receives it signs as themselves.
import { approvalsOf, barredFrom, canComplete, canDecide, gateFrom, holderOf, ruleNames, rulesOf } from './approvers.ts'
import type { GatedTransition, WorkflowDefinition } from './definition.ts'
import {
  type Delegation,
  holds,
  type Instance,
  type Participant,
  type Refusal,
  refuse,
  type TenantFacts,
} from './instance.ts'

interface Parties {
  from: Participant
  to: Participant
}

/** Why a person could not decide about the approval, whoever names them. */
function hindrance(gate: GatedTransition, instance: Instance, { userId }: Participant): string | undefined {
  if (approvalsOf(gate, instance).some(each => each.userId === userId)) return `has approved ${gate.name} already`
  if (userId === instance.authorId && !gate.approval.author_may_approve)
    return `is the author, who may not decide about ${gate.name}`
  if (barredFrom(gate, instance).has(userId))
    return `approved ${gate.approval.excludes_approvers_of?.join(' or ')} and so may not decide about ${gate.name}`
  const isGiver = instance.delegations.some(({ transition, from }) => transition === gate.name && from === userId)
  return isGiver ? `has handed the part in ${gate.name} to another already` : undefined
}

/** The delegation to keep, or why there can be none. An approval that could be completed still can be. */
export function delegate(
  definition: WorkflowDefinition,
  instance: Instance,
  { from, to }: Parties,
  facts: TenantFacts,
): { ok: true; delegation: Delegation } | Refusal {
  const gate = gateFrom(definition, instance.state)
  if (!gate) return refuse(409, `Nothing awaits approval in the state ${instance.state}`)
  const name = ({ userId }: Participant) => facts.nameOf?.(userId) ?? `user ${userId}`
  if (from.userId === to.userId) return refuse(409, `${name(to)} has that part already`)
  const [lost, unfit] = [hindrance(gate, instance, from), hindrance(gate, instance, to)]
  if (lost) return refuse(409, `${name(from)} ${lost}`)
  if (rulesOf(gate, instance, from).length === 0 || !holds(from, gate.permission))
    return refuse(403, `No rule of ${gate.name} names ${name(from)}`)
  if (unfit) return refuse(409, `${name(to)} ${unfit}`)
  if (!canDecide(gate, to.userId, facts))
    return refuse(409, `${name(to)} may not decide about ${gate.name}, whoever hands a part to them`)
  const rules = [...gate.approval.rules.keys()].filter(rule => ruleNames(gate.approval.rules[rule]!, from))
  const delegation = { transition: gate.name, from: from.userId, to: to.userId, rules }
  const then = { ...instance, delegations: [...instance.delegations, delegation] }
  return canComplete(gate, instance, facts) && !canComplete(gate, then, facts)
    ? refuse(409, `Then there would not be enough different people to approve ${gate.name}`)
    : { ok: true, delegation }
}

/** What is left of the delegations when one person takes their part back; with it goes what was handed on of it alone. */
export function takeBack(
  definition: WorkflowDefinition,
  instance: Instance,
  userId: number,
  facts: Pick<TenantFacts, 'nameOf'>,
): { ok: true; transition: string; ended: number[] } | Refusal {
  const gate = gateFrom(definition, instance.state)
  const name = (id: number) => facts.nameOf?.(id) ?? `user ${id}`
  const own = instance.delegations.filter(({ transition }) => transition === gate?.name)
  if (!gate || !own.some(({ from }) => from === userId))
    return refuse(409, `${name(userId)} has handed no part in an approval that is pending to another`)
  const holder = holderOf(own, userId)
  if (approvalsOf(gate, instance).some(each => each.userId === holder))
    return refuse(409, `${name(holder)} has approved ${gate.name} with it already`)
  const ended = [userId]
  for (let at = own.find(({ from }) => from === userId)!; ; ) {
    const handedOn = own.find(({ from, rules }) => from === at.to && rules.length === 0)
    const receives = own.some(({ from, to }) => to === at.to && !ended.includes(from))
    if (!handedOn || receives) return { ok: true, transition: gate.name, ended }
    ended.push(handedOn.from)
    at = handedOn
  }
}
