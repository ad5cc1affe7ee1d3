// Delegation of a part in a pending approval: the task, never the identity. The delegate signs in their own name.
import type { Message } from '#kernel/message.ts'
import {
  approvalsOf,
  barredFrom,
  canComplete,
  canDecide,
  delegationsOf,
  excludedBy,
  gateFrom,
  holderOf,
  ruleNames,
  rulesOf,
} from './approvers.ts'
import type { GatedTransition, WorkflowDefinition } from './definition.ts'
import { excludedContributors } from './exclusions.ts'
import {
  type Delegation,
  holds,
  type Instance,
  type Participant,
  type Refusal,
  refuse,
  type TenantFacts,
} from './instance.ts'
import { messages } from './messages.ts'

interface Parties {
  from: Participant
  to: Participant
}

/** The reason why a person cannot decide about the approval, even where a rule names them. */
function hindranceOf(
  gate: GatedTransition,
  instance: Instance,
  { userId }: Participant,
  person: string,
): Message | undefined {
  const step = gate.name
  if (approvalsOf(gate, instance).some(each => each.userId === userId))
    return messages.delegation_person_approved({ step, person })
  const part = excludedContributors(gate.approval, instance).get(userId)
  if (part)
    return part === 'author'
      ? messages.delegation_person_is_author({ step, person })
      : messages.delegation_person_took_part({ step, person, part })
  if (barredFrom(gate, instance).has(userId))
    return messages.delegation_person_excluded({ step, person, excluded: excludedBy(gate) })
  if (approvalsOf(gate, instance).some(({ standsInFor }) => standsInFor === userId))
    return messages.delegation_person_represented({ step, person })
  const hasDelegated = delegationsOf(gate, instance).some(({ from }) => from === userId)
  return hasDelegated ? messages.delegation_person_delegated({ step, person }) : undefined
}

const missingOf = ({ permission }: GatedTransition, person: Participant) =>
  ['documents.approve', ...(permission === undefined ? [] : [permission])].filter(each => !holds(person, each))

/**
 * The delegation to keep, or the refusal. An approval that could be completed before must still be completable. `isOwn`: the giver delegates
 * it themselves, which takes the permission to decide; for somebody who lost it or has left, another person may delegate it.
 */
export function delegate(
  definition: WorkflowDefinition,
  instance: Instance,
  { from, to }: Parties,
  facts: TenantFacts,
  { isOwn = true } = {},
): { ok: true; delegation: Delegation } | Refusal {
  const gate = gateFrom(definition, instance.state)
  if (!gate) {
    const { state } = instance
    const unknown = { step: null, approvers: null, transitions: null, approved: null }
    return refuse(409, messages.workflow_nothing_to_approve({ state, ...unknown }))
  }
  const step = gate.name
  const nameOf = ({ userId }: Participant) => facts.nameOf?.(userId) ?? `user ${userId}`
  const [giver, receiver] = [nameOf(from), nameOf(to)]
  if (from.userId === to.userId) return refuse(409, messages.delegation_to_holder({ person: receiver }))
  const giverHindrance = hindranceOf(gate, instance, from, giver)
  if (giverHindrance) return refuse(409, giverHindrance)
  if (rulesOf(gate, instance, from).length === 0)
    return refuse(403, messages.delegation_person_not_named({ step, person: giver }))
  if (isOwn && !holds(from, gate.permission))
    return refuse(
      403,
      messages.delegation_person_lacks_permission({ step, person: giver, permission: gate.permission! }),
    )
  const receiverHindrance = hindranceOf(gate, instance, to, receiver)
  if (receiverHindrance) return refuse(409, receiverHindrance)
  if (!canDecide(gate, to.userId, facts))
    return refuse(
      409,
      messages.delegation_person_cannot_decide({ step, person: receiver, permissions: missingOf(gate, to) }),
    )
  const rules = [...gate.approval.rules.keys()].filter(rule => ruleNames(gate.approval.rules[rule]!, from))
  const delegation = { transition: gate.name, from: from.userId, to: to.userId, rules }
  const then = { ...instance, delegations: [...instance.delegations, delegation] }
  return canComplete(gate, instance, facts) && !canComplete(gate, then, facts)
    ? refuse(409, messages.delegation_leaves_too_few({ step }))
    : { ok: true, delegation }
}

/** Ends the delegation of one person's part, and those by which only this part was delegated further. */
export function takeBack(
  definition: WorkflowDefinition,
  instance: Instance,
  userId: number,
  facts: Pick<TenantFacts, 'nameOf'>,
): { ok: true; transition: string; ended: number[] } | Refusal {
  const gate = gateFrom(definition, instance.state)
  const nameOf = (id: number) => facts.nameOf?.(id) ?? `user ${id}`
  const own = instance.delegations.filter(({ transition }) => transition === gate?.name)
  if (!gate || !own.some(({ from }) => from === userId))
    return refuse(409, messages.delegation_not_found({ person: nameOf(userId) }))
  const holder = holderOf(own, userId)
  if (approvalsOf(gate, instance).some(each => each.userId === holder))
    return refuse(409, messages.delegation_used({ step: gate.name, person: nameOf(holder) }))
  const ended = [userId]
  for (let at = own.find(({ from }) => from === userId)!; ; ) {
    const handedOn = own.find(({ from, rules }) => from === at.to && rules.length === 0)
    const receives = own.some(({ from, to }) => to === at.to && !ended.includes(from))
    if (!handedOn || receives) return { ok: true, transition: gate.name, ended }
    ended.push(handedOn.from)
    at = handedOn
  }
}
